"""The stores: a URL becomes a store, through one table."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from ragstone.core.errors import UsageError
from ragstone.core.ports import Reader, Store
from ragstone.stores.concealed import concealed
from ragstone.stores.master import Master
from ragstone.stores.pair import Pair, filter_of


@dataclass(frozen=True, slots=True)
class Migration:
    """What bringing a store's format up to date did: its version now, the steps taken, what to know."""

    version: int | None
    applied: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of store: how its URL is written, what opens one, what migrates it where that is a step of its own,
    and whether it can keep tenants encrypted."""

    shape: str
    open: Callable[[str, int, Master | None], Store]
    migrate: Callable[[str], Awaitable[Migration]] | None = None
    encrypts: bool = False


def open_store(url: str, *, keep_versions: int = 1, master: Master | None = None) -> Store:
    """The store behind a URL; nothing is read or written yet.

    `embedded:PATH` or a bare path is a directory, `json:PATH` one file, `postgresql://…` a database as libpq names it
    (see `ragstone.stores.postgres.url`), `qdrant://…` a Qdrant with a ledger beside it (`ragstone.stores.qdrant.url`).
    `keep_versions` is how many revisions of a document stay (the active one always does); `master` wraps the keys of
    new tenants. Raises `UsageError` for an unknown scheme, and for a master key where nothing would be encrypted.
    """
    kind, rest = _kind(url)
    if keep_versions < 1:
        raise UsageError(f"keep_versions is {keep_versions}; it must be at least 1")
    if master is not None and not kind.encrypts:
        raise UsageError(
            f"store {concealed(url)!r} cannot encrypt: encryption at rest is made by embedded stores alone. Leave out "
            "`encryption`, and encrypt the server's disks"
        )
    return kind.open(rest, keep_versions, master)


def encrypts(url: str) -> bool:
    """Whether the store behind a URL can keep tenants encrypted."""
    return _kind(url)[0].encrypts


async def migrate_store(url: str) -> Migration:
    """Bring the format of the store behind a URL up to date; a store in files does that when it is opened."""
    kind, rest = _kind(url)
    return Migration(None) if kind.migrate is None else await kind.migrate(rest)


def _kind(url: str) -> tuple[Kind, str]:
    """The kind of a store, and what it is opened by."""
    if "\0" in url:
        raise UsageError(f"store {concealed(url)!r:.60} is no place; write a folder, or one of: {KINDS}")
    scheme, colon, rest = url.partition(":")
    if not colon or "/" in scheme:
        scheme, rest = "embedded", url
    if scheme not in STORES:
        raise UsageError(f"store {concealed(url)!r} is of an unknown kind; write one of: {KINDS}")
    if not rest.strip("/"):
        raise UsageError(f"store {concealed(url)!r} names no place; write {STORES[scheme].shape}")
    if not STORES[scheme].shape.endswith(":PATH"):
        return STORES[scheme], url
    if "?keywords=" in rest:
        raise UsageError(f"store {concealed(url)!r}: only PostgreSQL ranks words in another way; leave out ?keywords=…")
    return STORES[scheme], rest


def _embedded(path: str, keep_versions: int, master: Master | None) -> Store:
    from ragstone.stores.embedded import EmbeddedStore

    return EmbeddedStore(Path(path).expanduser(), keep_versions=keep_versions, master=master)


def _json(path: str, keep_versions: int, _: Master | None) -> Store:
    from ragstone.stores.jsonfile import JsonStore

    return JsonStore(Path(path).expanduser(), keep_versions=keep_versions)


def _postgres(url: str, keep_versions: int, _: Master | None) -> Store:
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

    def reader(self, pair: Pair) -> AbstractAsyncContextManager[Reader]:
        """One view of a pair; raises `ConfigError` where it is not as the configuration says."""
        ...

    async def close(self) -> None: ...


def open_tables(url: str, *, timeout: float) -> OpenTables:
    """The tables behind a URL of PostgreSQL; nothing is connected yet. `timeout` is in seconds, of a statement.

    Raises `UsageError` for a URL of another kind.
    """
    if url.partition(":")[0] not in ("postgresql", "postgres"):
        raise UsageError(f"database {concealed(url)!r} is of an unknown kind; write {POSTGRES.shape}")
    _check_driver()
    from ragstone.stores.tables import Tables

    return Tables(url, timeout=timeout)


def _check_driver() -> None:
    if find_spec("psycopg") is None or find_spec("psycopg_pool") is None:
        raise UsageError("PostgreSQL needs a package that is not installed; run: pip install 'ragstone[postgres]'")


def _qdrant(url: str, keep_versions: int, _: Master | None) -> Store:
    if find_spec("qdrant_client") is None:
        raise UsageError("Qdrant needs a package that is not installed; run: pip install 'ragstone[qdrant]'")
    from ragstone.stores.qdrant import QdrantStore, parsed

    read = parsed(url)
    return QdrantStore(read, open_store(read.ledger, keep_versions=keep_versions))


async def _migrate_qdrant(url: str) -> Migration:
    """Points have no format of their own; the ledger may have."""
    from ragstone.stores.qdrant.url import parsed

    return await migrate_store(parsed(url).ledger)


POSTGRES = Kind("postgresql://USER@HOST/DATABASE", _postgres, _migrate_postgres)
QDRANT = Kind("qdrant://HOST:6334", _qdrant, _migrate_qdrant)
STORES: Mapping[str, Kind] = {
    "embedded": Kind("embedded:PATH", _embedded, encrypts=True),
    "json": Kind("json:PATH", _json),
    "postgresql": POSTGRES,
    "postgres": POSTGRES,
    "qdrant": QDRANT,
    "qdrants": QDRANT,
}
__all__ = [
    "KINDS",
    "STORES",
    "Kind",
    "Master",
    "Migration",
    "OpenTables",
    "Pair",
    "concealed",
    "encrypts",
    "filter_of",
    "migrate_store",
    "open_store",
    "open_tables",
]
KINDS = ", ".join(dict.fromkeys(kind.shape for kind in STORES.values()))
