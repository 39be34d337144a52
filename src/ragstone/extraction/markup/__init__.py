"""Lightweight markup: reStructuredText, AsciiDoc, Org and TeX, each with the lines of the file as text of record."""
