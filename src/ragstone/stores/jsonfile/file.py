"""The file of a json: store: read whole, rewritten whole under a lock, and the locks of ingestions beside it."""

import asyncio
import json
import os
import threading
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from ragstone.core.errors import Corrupt, NotAStore, StoreError
from ragstone.core.records import Run
from ragstone.core.types import Scope
from ragstone.stores.collection_errors import not_built_error
from ragstone.stores.durable_files import list_temporary_files, make_directory, replace_file
from ragstone.stores.error_mapping import map_errors
from ragstone.stores.file_locks import acquire_lock, brief_lock, describe_ingestion, is_locked
from ragstone.stores.jsonfile.content import MAGIC, Contents, ScopeContent, dump_contents, load_contents
from ragstone.stores.search_cache_file import SearchCacheFile

T = TypeVar("T")
HEAD_BYTES = 100  # bytes in which a json: store says what it is


class JsonFile:
    """Beside PATH stand PATH.lock, for each source that was ingested PATH.<digest>.run, and for each scope
    PATH.<digest>.stamps and, where its searches are kept, PATH.<digest>.searches."""

    def __init__(self, path: Path, *, now: Callable[[], datetime]) -> None:
        self._path = path
        self._now = now
        self._lock = threading.Lock()
        self._held: dict[Path, int] = {}
        self._closed = False

    def size(self) -> int:
        """Bytes on disk."""
        with map_errors(self._path):
            return self._path.stat().st_size

    def close(self) -> None:
        """Let the locks of unfinished runs go; nothing can be read or changed after."""
        self._closed = True
        for descriptor in self._held.values():
            os.close(descriptor)
        self._held.clear()

    async def read_all(self) -> Contents:
        """All scopes in the file."""
        return await asyncio.to_thread(self._read)

    async def read_scope(self, scope: Scope) -> ScopeContent:
        """One scope; raises `NotBuilt`."""
        found = (await self.read_all()).get((scope.tenant, scope.collection))
        if found is None:
            raise not_built_error(scope)
        return found

    async def change_scope(
        self, scope: Scope, how: Callable[[ScopeContent], ScopeContent], *, make: bool = False
    ) -> None:
        """Read, change, write the whole file under its lock; with `make` a scope that is not there begins empty."""

        def change_contents(everything: Contents) -> None:
            key = (scope.tenant, scope.collection)
            if key not in everything and not make:
                raise not_built_error(scope)
            new = how(everything.get(key, ScopeContent({})))
            moment = self._now().isoformat(timespec="seconds")
            everything[key] = replace(new, generation=new.generation + 1, built_at=moment)

        await asyncio.to_thread(lambda: self._rewrite(change_contents))

    async def erase_scope(self, scope: Scope) -> bool:
        """Take a scope out of the file; False when it was not there."""

        def erase_content(everything: Contents) -> bool:
            self._delete_beside(scope)
            return everything.pop((scope.tenant, scope.collection), None) is not None

        return await asyncio.to_thread(lambda: self._rewrite(erase_content))

    def search_cache_file(self, scope: Scope) -> SearchCacheFile:
        """The file of a scope's earlier searches."""
        return SearchCacheFile(self._digest_path([scope.tenant, scope.collection], "searches"))

    async def run_beside(self, scope: Scope, work: Callable[[], None]) -> None:
        """Do something beside the file under its lock; nothing for a scope that is not there."""

        def run_locked() -> None:
            with self._lock, map_errors(self._path), brief_lock(self._path.with_name(f"{self._path.name}.lock")):
                if (scope.tenant, scope.collection) in self._read():
                    work()

        await asyncio.to_thread(run_locked)

    async def erase_tenant(self, tenant: str) -> bool:
        """Take all of a tenant out of the file; False when there was none."""

        def erase_contents(contents: dict[tuple[str, str], ScopeContent]) -> bool:
            doomed = [scope for scope in contents if scope[0] == tenant]
            for scope in doomed:
                self._delete_beside(Scope(*scope))
            return bool([contents.pop(scope) for scope in doomed])

        return await asyncio.to_thread(lambda: self._rewrite(erase_contents))

    def read_stamps(self, scope: Scope) -> dict[str, bytes]:
        """The notes of ingestions about a scope's files by source; {} where there are none, or they are damaged."""
        try:
            found = json.loads(self._stamps_path(scope).read_bytes())
            return {source: b64decode(notes, validate=True) for source, notes in found.items()}
        except (OSError, ValueError, TypeError, AttributeError, RecursionError):
            return {}

    def write_stamps(self, scope: Scope, source: str, notes: bytes) -> None:
        """Keep the notes of a source in place of those before; the caller holds the file's lock."""
        kept = {name: b64encode(one).decode() for name, one in (self.read_stamps(scope) | {source: notes}).items()}
        with suppress(OSError):
            replace_file(self._stamps_path(scope), json.dumps(kept, separators=(",", ":")).encode())

    def _stamps_path(self, scope: Scope) -> Path:
        return self._digest_path([scope.tenant, scope.collection], "stamps")

    def _delete_beside(self, scope: Scope) -> None:
        self.search_cache_file(scope).delete_file()
        self._stamps_path(scope).unlink(missing_ok=True)

    def hold_source(self, scope: Scope, run: Run) -> None:
        """Take the lock of a source until `let_go`, or until this process ends; raises `Busy`."""
        path = self._run_path(scope, run.source)
        with map_errors(path):
            self._held[path] = acquire_lock(path, what=describe_ingestion(run.source), since=run.started_at)

    def release_source(self, scope: Scope, run: Run) -> None:
        """Release the lock of a source."""
        path = self._run_path(scope, run.source)
        if path in self._held:
            os.close(self._held.pop(path))

    def is_source_held(self, scope: Scope, run: Run) -> bool:
        """Whether a live process holds the lock of a run's source."""
        path = self._run_path(scope, run.source)
        with map_errors(path):
            return is_locked(path)

    def _run_path(self, scope: Scope, source: str) -> Path:
        return self._digest_path([scope.tenant, scope.collection, source], "run")

    def _digest_path(self, about: Sequence[str], ending: str) -> Path:
        digest = sha256(json.dumps(about).encode()).hexdigest()[:16]
        return self._path.with_name(f"{self._path.name}.{digest}.{ending}")

    def _rewrite(self, work: Callable[[Contents], T]) -> T:
        with self._lock, map_errors(self._path):
            make_directory(self._path.parent)
            with brief_lock(self._path.with_name(f"{self._path.name}.lock")):
                everything = self._read()
                result = work(everything)
                self._write(everything)
                return result

    def _read(self) -> Contents:
        if self._closed:
            raise StoreError("the store is closed; open it anew")
        with map_errors(self._path):
            try:
                data = self._path.read_bytes()
            except FileNotFoundError:
                return {}
            except IsADirectoryError as error:
                raise NotAStore(f"{self._path} is a directory; json: needs a file") from error
        try:
            return load_contents(data)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            if MAGIC.encode() not in data[:HEAD_BYTES]:
                raise NotAStore(f"{self._path} is not a json: store; name another file") from error
            raise Corrupt(
                f"{self._path} is damaged ({type(error).__name__}: {error}); ingest anew into another file"
            ) from error

    def _write(self, everything: Mapping[tuple[str, str], ScopeContent]) -> None:
        data = dump_contents(everything)
        for path in list_temporary_files(self._path.parent, self._path.name):
            path.unlink(missing_ok=True)
        replace_file(self._path, data)
