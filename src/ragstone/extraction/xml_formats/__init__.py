"""Formats written as XML that are known by their root: outlines, processes, translations, flat OpenDocument."""
