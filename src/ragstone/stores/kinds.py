"""The table of stores: a URL becomes a store; the module of a store is imported when one is opened."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ragstone.core.errors import UsageError
from ragstone.core.ports import Store
from ragstone.stores.master_key import MasterKey
from ragstone.stores.url_redaction import redact_url

SERVER = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://.*|[\w.-]+:[0-9]{1,5}/?")  # where a place on this machine is expected


@dataclass(frozen=True, slots=True)
class Migration:
    """The result of a migration: the new version, the steps taken, notes."""

    version: int | None
    applied: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoreKind:
    """One kind of store: how its URL is written, the module that holds it, and whether it can keep tenants encrypted.

    The module is imported when a store is opened. It has `open_url(url, keep_versions, master)`, which gives the store,
    and `migrate_url(url)` where `migrates` says so. `packages` are those that it needs, which come with the extra
    `extra` of Ragstone and are named by `vendor`.
    """

    shape: str
    module: str
    vendor: str = ""
    packages: tuple[str, ...] = ()
    extra: str = ""
    migrates: bool = False
    encrypts: bool = False

    def load_module(self) -> Any:
        """The module that holds the store. Raises `UsageError` that names the extra for a package that is missing."""
        if any(find_spec(package) is None for package in self.packages):
            raise UsageError(
                f"{self.vendor} needs a package that is not installed; run: pip install 'ragstone[{self.extra}]'"
            )
        return import_module(self.module)


def open_store(url: str, *, keep_versions: int = 1, master: MasterKey | None = None) -> Store:
    """The store behind a URL; nothing is read or written yet.

    `embedded:PATH` or a bare path is a directory, `json:PATH` one file, `postgresql://…` a database as libpq names it
    (see `ragstone.stores.postgres.url`), `qdrant://…` a Qdrant with a ledger beside it (`ragstone.stores.qdrant.url`).
    `keep_versions` is how many revisions of a document stay (the active one always does); `master` wraps the keys of
    new tenants. Raises `UsageError` for an unknown scheme, and for a master key where nothing would be encrypted.
    """
    kind, rest = _resolve_kind(url)
    if keep_versions < 1:
        raise UsageError(f"invalid keep_versions {keep_versions}: expected at least 1")
    if master is not None and not kind.encrypts:
        raise UsageError(
            f"store {redact_url(url)!r} cannot encrypt: only embedded stores encrypt at rest. Leave out "
            "`encryption`, and encrypt the server's disks"
        )
    store: Store = kind.load_module().open_url(rest, keep_versions, master)
    return store


def can_encrypt(url: str) -> bool:
    """Whether the store behind a URL can keep tenants encrypted."""
    return _resolve_kind(url)[0].encrypts


async def migrate_store(url: str) -> Migration:
    """Bring the format of the store behind a URL up to date; a store in files does that when it is opened."""
    kind, rest = _resolve_kind(url)
    if not kind.migrates:
        return Migration(None)
    done: Migration = await kind.load_module().migrate_url(rest)
    return done


def local_place(url: str) -> Path | None:
    """The file or folder of a store that has one on this machine."""
    kind, rest = _resolve_kind(url)
    return Path(rest).expanduser().absolute() if kind.shape.endswith(":PATH") else None


def list_own_paths(url: str, folder: Path) -> list[str]:
    """The globs, relative to a folder, of the files that a store on this machine has below it; none where the folder is
    the store's own.

    >>> list_own_paths("json:docs/kb.json", Path("docs"))
    ['/kb.json', '/kb.json.lock', '/kb.json.uploads', '/kb.json.????????????????.*']
    """
    _, rest = _resolve_kind(url)
    own = rest.removeprefix("qdrant:").partition("?")[0] if url.startswith("qdrant:") else rest
    if "://" in own or own.startswith((":", "//")):
        return []
    place, root = Path(own).expanduser().resolve(), folder.resolve()
    if place == root or not place.is_relative_to(root):
        return []
    path = re.sub(r"[*?]", "?", place.relative_to(root).as_posix())
    return [f"/{path}{suffix}" for suffix in ("", ".lock", ".uploads", f".{'?' * 16}.*")]


def describe_location(url: str, file: Path) -> str:
    """Where a store is, for a file that names it: a path relative to the folder of the file, so that both can move
    together; a server without user, password and parameters.

    >>> describe_location("json:kb/notes.json", Path("kb/calibration.json"))
    'json:notes.json'
    >>> describe_location("postgresql://app:s3cret@db:5433/prod?sslmode=require", Path("calibration.json"))
    'postgresql://db:5433/prod'
    """
    kind, rest = _resolve_kind(url)
    if not kind.shape.endswith(":PATH"):
        parts = urlsplit(url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    folder = file.expanduser().absolute().parent
    return (
        f"{kind.shape.partition(':')[0]}:{Path(os.path.relpath(Path(rest).expanduser().absolute(), folder)).as_posix()}"
    )


def _resolve_kind(url: str) -> tuple[StoreKind, str]:
    """The kind of a store, and what it is opened by."""
    if "\0" in url:
        raise UsageError(f"invalid store {redact_url(url)!r:.60}: expected a folder or one of: {KINDS}")
    scheme, colon, rest = url.partition(":")
    if not colon or "/" in scheme:
        scheme, rest = "embedded", url
    if scheme not in STORES:
        raise UsageError(f"unknown store {redact_url(url)!r}: expected one of: {KINDS}")
    if not rest.strip("/"):
        raise UsageError(f"invalid store {redact_url(url)!r}: expected {STORES[scheme].shape}")
    if SERVER.fullmatch(rest.partition("?")[0]):
        said = f"{redact_url(rest)!r} is the address of a server, not a folder or file"
        raise UsageError(f"invalid store {redact_url(url)!r}: {said}; expected {STORES[scheme].shape}")
    if not STORES[scheme].shape.endswith(":PATH"):
        return STORES[scheme], url
    if "?keywords=" in rest:
        raise UsageError(
            f"store {redact_url(url)!r}: only PostgreSQL ranks words in another way; leave out ?keywords=…"
        )
    return STORES[scheme], rest


POSTGRES = StoreKind(
    "postgresql://USER@HOST/DATABASE",
    "ragstone.stores.postgres",
    vendor="PostgreSQL",
    packages=("psycopg", "psycopg_pool"),
    extra="postgres",
    migrates=True,
)
QDRANT = StoreKind(
    "qdrant://HOST:6334",
    "ragstone.stores.qdrant",
    vendor="Qdrant",
    packages=("qdrant_client",),
    extra="qdrant",
    migrates=True,
)
STORES: Mapping[str, StoreKind] = {
    "embedded": StoreKind("embedded:PATH", "ragstone.stores.embedded", encrypts=True),
    "json": StoreKind("json:PATH", "ragstone.stores.jsonfile"),
    "postgresql": POSTGRES,
    "postgres": POSTGRES,
    "qdrant": QDRANT,
    "qdrants": QDRANT,
}
KINDS = ", ".join(dict.fromkeys(kind.shape for kind in STORES.values()))
