"""The stores: a URL becomes a store, through one table."""

from contextlib import AbstractAsyncContextManager
from typing import Protocol

from ragstone.core.errors import UsageError
from ragstone.core.ports import Reader
from ragstone.stores.column_pair import ColumnPair, parse_filter
from ragstone.stores.kinds import (
    KINDS,
    POSTGRES,
    STORES,
    Migration,
    StoreKind,
    can_encrypt,
    describe_location,
    list_own_paths,
    local_place,
    migrate_store,
    open_store,
)
from ragstone.stores.master_key import MasterKey
from ragstone.stores.url_redaction import redact_url

__all__ = [
    "KINDS",
    "STORES",
    "ColumnPair",
    "MasterKey",
    "Migration",
    "OpenTables",
    "StoreKind",
    "can_encrypt",
    "describe_location",
    "list_own_paths",
    "local_place",
    "migrate_store",
    "open_store",
    "open_tables",
    "parse_filter",
    "redact_url",
]


class OpenTables(Protocol):
    """Tables of somebody else's database, as readers."""

    def reader(self, pair: ColumnPair) -> AbstractAsyncContextManager[Reader]:
        """One view of a pair; raises `ConfigError` where it is not as the configuration says."""
        ...

    async def close(self) -> None: ...


def open_tables(url: str, *, timeout: float) -> OpenTables:
    """The tables behind a URL of PostgreSQL; nothing is connected yet. `timeout` is in seconds, of a statement.

    Raises `UsageError` for a URL of another kind.
    """
    if url.partition(":")[0] not in ("postgresql", "postgres"):
        raise UsageError(f"unknown database {redact_url(url)!r}: expected {POSTGRES.shape}")
    POSTGRES.load_module()
    from ragstone.stores.tables import TableDatabase

    return TableDatabase(url, timeout=timeout)
