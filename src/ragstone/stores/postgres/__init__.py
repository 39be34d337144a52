"""The PostgreSQL store: many tenants and processes, one server; vectors by pgvector, BM25 by our own postings."""

from ragstone.stores.kinds import Migration
from ragstone.stores.master_key import MasterKey
from ragstone.stores.postgres.migrate import MigrationResult, migrate
from ragstone.stores.postgres.store import PostgresStore

__all__ = ["MigrationResult", "PostgresStore", "migrate", "migrate_url", "open_url"]


def open_url(url: str, keep_versions: int, _: MasterKey | None) -> PostgresStore:
    """The store in a database."""
    return PostgresStore(url, keep_versions=keep_versions)


async def migrate_url(url: str) -> Migration:
    """Bring a database's schema up to date."""
    done = await migrate(url)
    return Migration(done.version, done.applied, done.notes)
