"""The door to embedding: what of a chunk is embedded, under which key, and in which batches."""

from ragstone.ingestion.embedding_text import count_embedded_tokens, format_embedding_text, vector_key
from ragstone.providers.batching import embed_all

__all__ = ["count_embedded_tokens", "embed_all", "format_embedding_text", "vector_key"]
