"""The stores: a URL becomes a store, through one table."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from ragstone.core.errors import UsageError
from ragstone.core.ports import Reader, Store
from ragstone.stores.column_pair import ColumnPair, parse_filter
from ragstone.stores.master_key import MasterKey
from ragstone.stores.url_redaction import redact_url


@dataclass(frozen=True, slots=True)
class Migration:
    """What bringing a store's format up to date did: its version now, the steps taken, what to know."""

    version: int | None
    applied: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoreKind:
    """One kind of store: how its URL is written, what opens one, what migrates it where that is a step of its own,
    and whether it can keep tenants encrypted."""

    shape: str
    open: Callable[[str, int, MasterKey | None], Store]
    migrate: Callable[[str], Awaitable[Migration]] | None = None
    encrypts: bool = False


def open_store(url: str, *, keep_versions: int = 1, master: MasterKey | None = None) -> Store:
    """The store behind a URL; nothing is read or written yet.

    `embedded:PATH` or a bare path is a directory, `json:PATH` one file, `postgresql://…` a database as libpq names it
    (see `ragstone.stores.postgres.url`), `qdrant://…` a Qdrant with a ledger beside it (`ragstone.stores.qdrant.url`).
    `keep_versions` is how many revisions of a document stay (the active one always does); `master` wraps the keys of
    new tenants. Raises `UsageError` for an unknown scheme, and for a master key where nothing would be encrypted.
    """
    kind, rest = _resolve_kind(url)
    if keep_versions < 1:
        raise UsageError(f"keep_versions is {keep_versions}; it must be at least 1")
    if master is not None and not kind.encrypts:
        raise UsageError(
            f"store {redact_url(url)!r} cannot encrypt: encryption at rest is made by embedded stores alone. Leave out "
            "`encryption`, and encrypt the server's disks"
        )
    return kind.open(rest, keep_versions, master)


def can_encrypt(url: str) -> bool:
    """Whether the store behind a URL can keep tenants encrypted."""
    return _resolve_kind(url)[0].encrypts


async def migrate_store(url: str) -> Migration:
    """Bring the format of the store behind a URL up to date; a store in files does that when it is opened."""
    kind, rest = _resolve_kind(url)
    return Migration(None) if kind.migrate is None else await kind.migrate(rest)


def _resolve_kind(url: str) -> tuple[StoreKind, str]:
    """The kind of a store, and what it is opened by."""
    if "\0" in url:
        raise UsageError(f"store {redact_url(url)!r:.60} is no place; write a folder, or one of: {KINDS}")
    scheme, colon, rest = url.partition(":")
    if not colon or "/" in scheme:
        scheme, rest = "embedded", url
    if scheme not in STORES:
        raise UsageError(f"store {redact_url(url)!r} is of an unknown kind; write one of: {KINDS}")
    if not rest.strip("/"):
        raise UsageError(f"store {redact_url(url)!r} names no place; write {STORES[scheme].shape}")
    if not STORES[scheme].shape.endswith(":PATH"):
        return STORES[scheme], url
    if "?keywords=" in rest:
        raise UsageError(
            f"store {redact_url(url)!r}: only PostgreSQL ranks words in another way; leave out ?keywords=…"
        )
    return STORES[scheme], rest


def _open_embedded(path: str, keep_versions: int, master: MasterKey | None) -> Store:
    from ragstone.stores.embedded import EmbeddedStore

    return EmbeddedStore(Path(path).expanduser(), keep_versions=keep_versions, master=master)


def _open_json(path: str, keep_versions: int, _: MasterKey | None) -> Store:
    from ragstone.stores.jsonfile import JsonStore

    return JsonStore(Path(path).expanduser(), keep_versions=keep_versions)


def _open_postgres(url: str, keep_versions: int, _: MasterKey | None) -> Store:
    _check_driver()
    from ragstone.stores.postgres import PostgresStore

    return PostgresStore(url, keep_versions=keep_versions)


async def _migrate_postgres(url: str) -> Migration:
    _check_driver()
    from ragstone.stores.postgres import migrate

    done = await migrate(url)
    return Migration(done.version, done.applied, done.notes)


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
        raise UsageError(f"database {redact_url(url)!r} is of an unknown kind; write {POSTGRES.shape}")
    _check_driver()
    from ragstone.stores.tables import TableDatabase

    return TableDatabase(url, timeout=timeout)


def _check_driver() -> None:
    if find_spec("psycopg") is None or find_spec("psycopg_pool") is None:
        raise UsageError("PostgreSQL needs a package that is not installed; run: pip install 'ragstone[postgres]'")


def _open_qdrant(url: str, keep_versions: int, _: MasterKey | None) -> Store:
    if find_spec("qdrant_client") is None:
        raise UsageError("Qdrant needs a package that is not installed; run: pip install 'ragstone[qdrant]'")
    from ragstone.stores.qdrant import QdrantStore, parse_qdrant_url

    read = parse_qdrant_url(url)
    return QdrantStore(read, open_store(read.ledger, keep_versions=keep_versions))


async def _migrate_qdrant(url: str) -> Migration:
    """Points have no format of their own; the ledger may have."""
    from ragstone.stores.qdrant.url import parse_qdrant_url

    return await migrate_store(parse_qdrant_url(url).ledger)


POSTGRES = StoreKind("postgresql://USER@HOST/DATABASE", _open_postgres, _migrate_postgres)
QDRANT = StoreKind("qdrant://HOST:6334", _open_qdrant, _migrate_qdrant)
STORES: Mapping[str, StoreKind] = {
    "embedded": StoreKind("embedded:PATH", _open_embedded, encrypts=True),
    "json": StoreKind("json:PATH", _open_json),
    "postgresql": POSTGRES,
    "postgres": POSTGRES,
    "qdrant": QDRANT,
    "qdrants": QDRANT,
}
__all__ = [
    "KINDS",
    "STORES",
    "ColumnPair",
    "MasterKey",
    "Migration",
    "OpenTables",
    "StoreKind",
    "can_encrypt",
    "migrate_store",
    "open_store",
    "open_tables",
    "parse_filter",
    "redact_url",
]
KINDS = ", ".join(dict.fromkeys(kind.shape for kind in STORES.values()))
