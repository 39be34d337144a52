"""Lightweight markup: reStructuredText, AsciiDoc, Org and TeX, each with the file itself as text of record."""
