"""The file of a json: store: read whole, rewritten whole under a lock, and the locks of ingestions beside it."""

import asyncio
import errno
import fcntl
import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from ragstone.errors import Busy, Corrupt, DiskFull, NotBuilt, StoreError, UsageError
from ragstone.stores.jsonfile.content import Content, Everything, dumped, loaded
from ragstone.types import Run, Scope

T = TypeVar("T")


class JsonFile:
    """Beside PATH stand PATH.lock and, for each source that was ingested, PATH.<digest>.run."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._held: dict[Path, int] = {}

    def size(self) -> int:
        """Bytes on disk."""
        with _mapped(self._path):
            return self._path.stat().st_size

    def close(self) -> None:
        """Let the locks of unfinished runs go."""
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
            raise _not_built(scope)
        return found

    async def change(self, scope: Scope, how: Callable[[Content], Content], *, make: bool = False) -> None:
        """Read, change, write the whole file under its lock."""

        def work(everything: Everything) -> None:
            key = (scope.tenant, scope.collection)
            if key not in everything and not make:
                raise _not_built(scope)
            new = how(everything.get(key, Content({})))
            moment = datetime.now(UTC).isoformat(timespec="seconds")
            everything[key] = replace(new, generation=new.generation + 1, built_at=moment)

        await asyncio.to_thread(lambda: self._rewritten(work))

    async def erase(self, scope: Scope) -> bool:
        """Take a scope out of the file; False when it was not there."""
        return await asyncio.to_thread(
            lambda: self._rewritten(lambda all_: all_.pop((scope.tenant, scope.collection), None) is not None)
        )

    def hold(self, scope: Scope, run: Run) -> None:
        """Take the lock of a source until `let_go`, or until this process ends; raises `Busy`."""
        path = self._run_file(scope, run.source)
        with _mapped(path):
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(descriptor)
                raise Busy(f"another ingestion of source {run.source!r} is running; wait for it or stop it") from None
        self._held[path] = descriptor

    def let_go(self, scope: Scope, run: Run) -> None:
        """Release the lock of a source."""
        path = self._run_file(scope, run.source)
        if path in self._held:
            os.close(self._held.pop(path))

    def is_held(self, scope: Scope, run: Run) -> bool:
        """Whether a live process holds the lock of a run's source."""
        try:
            descriptor = os.open(self._run_file(scope, run.source), os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        return False

    def _run_file(self, scope: Scope, source: str) -> Path:
        name = json.dumps([scope.tenant, scope.collection, source]).encode()
        return self._path.with_name(f"{self._path.name}.{sha256(name).hexdigest()[:16]}.run")

    def _rewritten(self, work: Callable[[Everything], T]) -> T:
        with self._lock, _mapped(self._path):
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = os.open(f"{self._path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX)
                everything = self._read()
                result = work(everything)
                self._write(everything)
                return result
            finally:
                os.close(lock)

    def _read(self) -> Everything:
        with _mapped(self._path):
            try:
                data = self._path.read_bytes()
            except FileNotFoundError:
                return {}
        try:
            return loaded(data)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise Corrupt(f"{self._path} is not a json: store, or damaged ({error}); name another file") from error

    def _write(self, everything: Mapping[tuple[str, str], Content]) -> None:
        data = dumped(everything)
        aside = self._path.with_name(self._path.name + ".aside")
        with open(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(self._path)
        directory = os.open(self._path.parent, os.O_RDONLY)
        os.fsync(directory)
        os.close(directory)


def _not_built(scope: Scope) -> NotBuilt:
    return NotBuilt(f"nothing was ingested into collection {scope.collection!r} yet; run: ragstone ingest FOLDER")


@contextmanager
def _mapped(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, UnicodeError) as error:
        code = getattr(error, "errno", None)
        if code in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise DiskFull(f"no room left on the disk of {path}; free some space and run again") from error
        if code == errno.EISDIR:
            raise UsageError(f"{path} is a directory; json: needs a file") from error
        raise StoreError(f"{path} cannot be read or written: {error}") from error
