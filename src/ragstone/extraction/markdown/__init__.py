"""Markdown: blocks with the exact places of their text in the file."""
