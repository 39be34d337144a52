"""The door to embedding: what of a chunk is embedded, under which key, and in which batches."""

from ragstone.ingestion.embedding_text import embedded, embedded_tokens, vector_key
from ragstone.providers.batching import embed_all

__all__ = ["embed_all", "embedded", "embedded_tokens", "vector_key"]
