"""The Qdrant store: vectors and their search in Qdrant, everything else in a ledger, which alone is believed."""

from ragstone.stores.qdrant.store import QdrantStore
from ragstone.stores.qdrant.url import QdrantUrl, parse_qdrant_url

__all__ = ["QdrantStore", "QdrantUrl", "parse_qdrant_url"]
