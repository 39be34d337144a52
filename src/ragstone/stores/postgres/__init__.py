"""The PostgreSQL store: many tenants and processes, one server; vectors by pgvector, BM25 by our own postings."""

from ragstone.stores.postgres.migrate import MigrationResult, migrate
from ragstone.stores.postgres.store import PostgresStore

__all__ = ["MigrationResult", "PostgresStore", "migrate"]
