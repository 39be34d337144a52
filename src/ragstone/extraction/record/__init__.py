"""The text of record and its blocks: how extractors of all formats build them."""
