"""The stamps of files in a folder of this machine, for stores on a server.

Size, times and number of a file mean something only on the machine that has the file: in the store, the stamps of one
writer would meet the files of another. A stamp also holds the version of its document, and counts only while the store
has that version, so a run of another machine, a restored backup or another store of this identity does no harm.
"""

import asyncio
import contextlib
import json
from hashlib import sha256
from pathlib import Path

from ragstone.core.errors import StoreError
from ragstone.core.ports import FileMemory, IdentifiedStore, Store
from ragstone.core.types import Scope
from ragstone.stores.durable_files import make_directory, replace_file


class LocalFileMemory:
    """Keeps stamps in a file for each collection and source; implements `FileMemory`."""

    def __init__(self, folder: Path, identity: str, scope: Scope) -> None:
        self._folder = folder
        self._prefix = _collection_prefix(identity, scope)

    async def recall_files(self, source: str) -> bytes:
        return await asyncio.to_thread(self._read, source)

    async def remember_files(self, source: str, notes: bytes) -> None:
        await asyncio.to_thread(self._write, source, notes)

    def _read(self, source: str) -> bytes:
        try:
            return self._file(source).read_bytes()
        except OSError:
            return b""

    def _write(self, source: str, notes: bytes) -> None:
        path = self._file(source)
        with contextlib.suppress(OSError):  # a run does not fail where nothing can be kept
            make_directory(self._folder)
            replace_file(path, notes)
            path.with_suffix(".json").unlink(missing_ok=True)  # of an earlier version

    def _file(self, source: str) -> Path:
        return self._folder / f"{self._prefix}{_digest(source)}.bin"


async def find_file_memory(store: Store, scope: Scope, folder: Path | None) -> FileMemory | None:
    """The memory of a collection's files: its ledger, else this folder; None where neither keeps stamps."""
    ledger = store.ledger(scope)
    if isinstance(ledger, FileMemory):
        return ledger
    identity = await _identify(store) if folder is not None else None
    return LocalFileMemory(folder, identity, scope) if folder is not None and identity is not None else None


async def forget_stamps(store: Store, tenant: str, collection: str | None, folder: Path | None) -> None:
    """Remove what this machine keeps of a collection, or of all of a tenant: it names files."""
    identity = await _identify(store) if folder is not None else None
    if folder is not None and identity is not None:
        prefix = (
            f"{_digest(identity, tenant)}-"
            if collection is None
            else _collection_prefix(identity, Scope(tenant, collection))
        )
        await asyncio.to_thread(_remove_files, folder, prefix)


def _remove_files(folder: Path, prefix: str) -> None:
    for path in sorted(folder.glob(f"{prefix}*")):
        path.unlink(missing_ok=True)


async def _identify(store: Store) -> str | None:
    with contextlib.suppress(StoreError):
        return await store.identity() if isinstance(store, IdentifiedStore) else None
    return None


def _collection_prefix(identity: str, scope: Scope) -> str:
    return f"{_digest(identity, scope.tenant)}-{_digest(scope.collection)}-"


def _digest(*names: str) -> str:
    return sha256(json.dumps(names).encode()).hexdigest()[:20]
