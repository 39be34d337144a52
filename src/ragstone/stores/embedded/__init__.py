"""The embedded store: SQLite as the truth, exact search in memory, one directory for each collection."""

from ragstone.stores.embedded.store import EmbeddedStore

__all__ = ["EmbeddedStore"]
