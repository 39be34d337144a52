"""The door to embedding: what of a chunk is embedded, under which key, and in which batches."""

from ragstone.embed.batch import embed_all
from ragstone.embed.context import embedded, embedded_tokens, vector_key

__all__ = ["embed_all", "embedded", "embedded_tokens", "vector_key"]
