"""The Qdrant store: vectors and their search in Qdrant, everything else in a ledger, which alone is believed."""

from ragstone.stores.kinds import Migration, migrate_store, open_store
from ragstone.stores.master_key import MasterKey
from ragstone.stores.qdrant.store import QdrantStore
from ragstone.stores.qdrant.url import QdrantUrl, parse_qdrant_url

__all__ = ["QdrantStore", "QdrantUrl", "migrate_url", "open_url", "parse_qdrant_url"]


def open_url(url: str, keep_versions: int, _: MasterKey | None) -> QdrantStore:
    """The store in a Qdrant, with the ledger that its URL names."""
    read = parse_qdrant_url(url)
    return QdrantStore(read, open_store(read.ledger, keep_versions=keep_versions))


async def migrate_url(url: str) -> Migration:
    """Bring the ledger's format up to date: points have no format of their own."""
    return await migrate_store(parse_qdrant_url(url).ledger)
