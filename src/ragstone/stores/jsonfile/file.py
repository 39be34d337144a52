"""The file of a json: store: read whole, rewritten whole under a lock, and the locks of ingestions beside it."""

import asyncio
import json
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from ragstone.core.errors import Corrupt, StoreError, UsageError
from ragstone.core.types import Run, Scope
from ragstone.stores.absent import not_built
from ragstone.stores.durable import make_directory, remains, write_aside
from ragstone.stores.foreign import mapped
from ragstone.stores.jsonfile.content import MAGIC, Content, Everything, dumped, loaded
from ragstone.stores.locks import gate, held, hold, ingestion
from ragstone.stores.remembered import CacheFile

T = TypeVar("T")
HEAD = 100  # bytes in which a json: store says what it is


class JsonFile:
    """Beside PATH stand PATH.lock, for each source that was ingested PATH.<digest>.run, and for each scope whose
    searches are kept PATH.<digest>.searches."""

    def __init__(self, path: Path, *, now: Callable[[], datetime]) -> None:
        self._path = path
        self._now = now
        self._lock = threading.Lock()
        self._held: dict[Path, int] = {}
        self._closed = False

    def size(self) -> int:
        """Bytes on disk."""
        with mapped(self._path):
            return self._path.stat().st_size

    def close(self) -> None:
        """Let the locks of unfinished runs go; nothing can be read or changed after."""
        self._closed = True
        for descriptor in self._held.values():
            os.close(descriptor)
        self._held.clear()

    async def everything(self) -> Everything:
        """All scopes in the file."""
        return await asyncio.to_thread(self._read)

    async def content(self, scope: Scope) -> Content:
        """One scope; raises `NotBuilt`."""
        found = (await self.everything()).get((scope.tenant, scope.collection))
        if found is None:
            raise not_built(scope)
        return found

    async def change(self, scope: Scope, how: Callable[[Content], Content], *, make: bool = False) -> None:
        """Read, change, write the whole file under its lock; with `make` a scope that is not there begins empty."""

        def work(everything: Everything) -> None:
            key = (scope.tenant, scope.collection)
            if key not in everything and not make:
                raise not_built(scope)
            new = how(everything.get(key, Content({})))
            moment = self._now().isoformat(timespec="seconds")
            everything[key] = replace(new, generation=new.generation + 1, built_at=moment)

        await asyncio.to_thread(lambda: self._rewritten(work))

    async def erase(self, scope: Scope) -> bool:
        """Take a scope out of the file; False when it was not there."""

        def work(everything: Everything) -> bool:
            self.searches(scope).remove()
            return everything.pop((scope.tenant, scope.collection), None) is not None

        return await asyncio.to_thread(lambda: self._rewritten(work))

    def searches(self, scope: Scope) -> CacheFile:
        """The file of a scope's earlier searches."""
        return CacheFile(self._named([scope.tenant, scope.collection], "searches"))

    async def beside(self, scope: Scope, work: Callable[[], None]) -> None:
        """Do something beside the file while nobody changes it; nothing for a scope that is not there."""

        def done() -> None:
            with self._lock, mapped(self._path), gate(self._path.with_name(f"{self._path.name}.lock")):
                if (scope.tenant, scope.collection) in self._read():
                    work()

        await asyncio.to_thread(done)

    async def erase_all(self, tenant: str) -> bool:
        """Take all of a tenant out of the file; False when there was none."""

        def taken_out(contents: dict[tuple[str, str], Content]) -> bool:
            doomed = [scope for scope in contents if scope[0] == tenant]
            for scope in doomed:
                self.searches(Scope(*scope)).remove()
            return bool([contents.pop(scope) for scope in doomed])

        return await asyncio.to_thread(lambda: self._rewritten(taken_out))

    def hold(self, scope: Scope, run: Run) -> None:
        """Take the lock of a source until `let_go`, or until this process ends; raises `Busy`."""
        path = self._run_file(scope, run.source)
        with mapped(path):
            self._held[path] = hold(path, what=ingestion(run.source), since=run.started_at)

    def let_go(self, scope: Scope, run: Run) -> None:
        """Release the lock of a source."""
        path = self._run_file(scope, run.source)
        if path in self._held:
            os.close(self._held.pop(path))

    def is_held(self, scope: Scope, run: Run) -> bool:
        """Whether a live process holds the lock of a run's source."""
        path = self._run_file(scope, run.source)
        with mapped(path):
            return held(path)

    def _run_file(self, scope: Scope, source: str) -> Path:
        return self._named([scope.tenant, scope.collection, source], "run")

    def _named(self, about: Sequence[str], ending: str) -> Path:
        digest = sha256(json.dumps(about).encode()).hexdigest()[:16]
        return self._path.with_name(f"{self._path.name}.{digest}.{ending}")

    def _rewritten(self, work: Callable[[Everything], T]) -> T:
        with self._lock, mapped(self._path):
            make_directory(self._path.parent)
            with gate(self._path.with_name(f"{self._path.name}.lock")):
                everything = self._read()
                result = work(everything)
                self._write(everything)
                return result

    def _read(self) -> Everything:
        if self._closed:
            raise StoreError("the store is closed; open it anew")
        with mapped(self._path):
            try:
                data = self._path.read_bytes()
            except FileNotFoundError:
                return {}
            except IsADirectoryError as error:
                raise UsageError(f"{self._path} is a directory; json: needs a file") from error
        try:
            return loaded(data)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            if MAGIC.encode() not in data[:HEAD]:
                raise UsageError(f"{self._path} is not a json: store; name another file") from error
            raise Corrupt(
                f"{self._path} is damaged ({type(error).__name__}: {error}); ingest anew into another file"
            ) from error

    def _write(self, everything: Mapping[tuple[str, str], Content]) -> None:
        data = dumped(everything)
        for path in remains(self._path.parent, self._path.name):
            path.unlink(missing_ok=True)
        write_aside(self._path, data)
