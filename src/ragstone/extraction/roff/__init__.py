"""Manual pages in their source (man and mdoc macros of roff) to a text of record like Markdown."""
