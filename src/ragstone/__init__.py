"""Ragstone: a folder of documents in, checked answers out."""
