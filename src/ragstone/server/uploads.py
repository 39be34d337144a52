"""Documents that clients hand over: files in a folder for each collection, ingested from there."""

import asyncio
import logging
import os
import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence, Set
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote
from weakref import WeakValueDictionary

from ragstone import stores
from ragstone.config.settings import Settings
from ragstone.core.errors import Busy, NotBuilt, RagstoneError, Refused, UsageError
from ragstone.core.records import Run
from ragstone.core.types import Document, Json, Scope
from ragstone.engine import Engine
from ragstone.engine.engine_pool import EnginePool
from ragstone.engine.source_roots import may_hold_members
from ragstone.engine.verbs.ingestion import UPLOADS
from ragstone.server.full_disk import find_full_disk
from ragstone.server.upload_steps import (
    STALE_SECONDS,
    find_file,
    hold_folder,
    is_within,
    list_left,
    place_file,
    read_record,
    settle_left,
    take_over,
    undo_placing,
)

log = logging.getLogger("ragstone")

INCOMING = "incoming"  # files that are still on their way
WAITING = "waiting"  # files of jobs
BUSY_SECONDS, BUSY_PAUSE = 30.0, 0.2  # how long an upload waits for a run of another process


@dataclass(frozen=True, slots=True)
class Added:
    """The document that an upload became. Of an archive, a mail or a PDF `members` are all documents, of which it
    is the first, and `skipped` names the files in it that were not read."""

    document: Document
    members: list[Document] = field(default_factory=list)
    skipped: list[Json] = field(default_factory=list)


class Uploads:
    """The folder of uploaded documents; None where no place is configured and the store has none. `count` gets the run
    of each upload."""

    def __init__(self, settings: Settings, count: Callable[[Run], None] = lambda _run: None) -> None:
        self.count = count
        place = stores.local_place(settings.store)
        beside = None if place is None else place.with_name(f"{place.name}.uploads")
        self._root = Path(settings.serve.uploads).expanduser().absolute() if settings.serve.uploads else beside
        self._locks: WeakValueDictionary[Scope, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def receive(self) -> AsyncIterator[Path]:
        """A new file to write an upload to; it is gone afterwards unless `add` took it."""
        if self._root is None:
            raise UsageError("this server keeps no uploads: set serve.uploads to a folder")
        try:
            async with hold_folder(self._root / INCOMING) as held:
                yield held / "file"
        except OSError as error:
            if (full := find_full_disk(error, str(self._root))) is not None:
                raise full from error
            raise

    async def sweep(self, pool: EnginePool) -> None:
        """Remove what a killed process left of uploads on their way: a file that had taken its place stays if its
        document is in the collection, else its former edition comes back. An upload whose collection cannot be read
        now stays for the next time."""
        if self._root is None:
            return
        for folder in await asyncio.to_thread(list_left, self._root / INCOMING):
            try:
                await self._settle(folder, pool)
            except Exception as error:  # the others do not depend on it
                log.warning("what is left of uploads cannot be removed now (%s): %s", folder, error)

    async def _settle(self, folder: Path, pool: EnginePool) -> None:
        with take_over(folder) as is_left:
            if is_left and (placing := read_record(folder)) is not None:
                engine = await pool.open(tenant=placing.tenant, collection=placing.collection, trusted=True)
                async with self._locks.setdefault(engine.scope, asyncio.Lock()):
                    version = await _find_version(engine, placing.path)
                    await asyncio.to_thread(settle_left, folder, placing, version)
                    if may_hold_members(placing.path):
                        await self._settle_members(engine, placing.path)

    async def add(self, engine: Engine, file: Path, path: str) -> Added:
        """Take a received file as the document `path`; its former edition stays where the new one is refused. Of an
        archive, a mail or a PDF, the files in it are documents below `path`.

        Raises `Refused` with the reason, and `Busy` while another process ingests uploads into this collection.
        """
        assert self._root is not None  # `receive` came before
        folder = self._folder_of(engine.scope)
        async with (
            self._locks.setdefault(engine.scope, asyncio.Lock()),
            hold_folder(self._root / INCOMING) as held,
        ):
            await asyncio.to_thread(place_file, file, folder / path, held, engine.scope, path)
            taken = False
            try:
                run = await run_when_free(lambda: engine.ingest_files(folder, [path]))
                self.count(run)
                found = await _find_members(engine, path) if _has_taken(run) else []
                if not found:
                    _raise_skip(run, path)
                taken = True
            finally:
                if not taken:
                    await asyncio.shield(self._undo(engine, folder / path, held, path))
            visible = (
                {document.id for document in await engine.documents(UPLOADS, within=path)} if found else frozenset()
            )
            if members := [document for document in found if document.id in visible]:
                return Added(members[0], members, [one for one in run.stats["skipped"] if is_within(one["path"], path)])
            document, _ = await engine.record(path, source=UPLOADS)
            return Added(document)

    async def keep_waiting(self, scope: Scope, identity: str, file: Path) -> None:
        """Keep a received file for a job; durable when this returns."""
        await asyncio.to_thread(_keep_file, file, self._waiting_folder(scope) / identity)

    async def add_waiting(self, engine: Engine, identity: str, path: str) -> Added:
        """Take the file of a job as the document `path`; it stays where it waits. Raises as `add` does."""
        waiting = self._waiting_folder(engine.scope) / identity
        async with self.receive() as file:
            try:
                await asyncio.to_thread(os.link, waiting, file)
            except FileNotFoundError as error:
                raise Refused("vanished", f"the file of {path} is not in the uploads of this server") from error
            return await self.add(engine, file, path)

    async def discard_waiting(self, scope: Scope, identities: Sequence[str]) -> None:
        """Remove the files of jobs."""
        if self._root is not None:
            for identity in identities:
                await asyncio.to_thread((self._waiting_folder(scope) / identity).unlink, missing_ok=True)

    async def sweep_waiting(self, known: Set[str]) -> None:
        """Remove files that no job has: of requests that were cut off, and of erased collections."""
        if self._root is not None:
            await asyncio.to_thread(_remove_unknown, self._root / WAITING, known)

    async def remove(self, engine: Engine, document: Document) -> int:
        """Remove a document, and its file where it was uploaded; returns how many documents were removed."""
        removed = await engine.delete(document.path, source=document.source)
        if document.source != UPLOADS or self._root is None:
            return removed
        removed += await _remove_members(engine, document.path)
        folder = self._folder_of(engine.scope)
        file = await asyncio.to_thread(find_file, folder, document.path)
        if file is not None and (file == document.path or not await _find_members(engine, file)):
            await asyncio.to_thread((folder / file).unlink, missing_ok=True)
        return removed

    async def _undo(self, engine: Engine, place: Path, held: Path, path: str) -> None:
        """Put the former edition back, or leave none."""
        await asyncio.to_thread(undo_placing, place, held)
        if may_hold_members(path):
            with suppress(RagstoneError):
                await self._settle_members(engine, path)

    async def _settle_members(self, engine: Engine, path: str) -> None:
        """Bring the documents of an archive in line with the file that stands there, or is gone."""
        folder = self._folder_of(engine.scope)
        if (folder / path).is_file():
            await engine.ingest_files(folder, [path])
        else:
            await _remove_members(engine, path)

    async def erase(self, scope: Scope) -> None:
        """Remove the files of a collection that was erased."""
        if self._root is not None:
            for folder in (self._folder_of(scope), self._waiting_folder(scope)):
                await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    def _waiting_folder(self, scope: Scope) -> Path:
        return self._folder_of(scope, WAITING)

    def _folder_of(self, scope: Scope, kind: str = "") -> Path:
        assert self._root is not None  # `receive` came before
        return self._root / kind / f"t-{quote(scope.tenant, safe='')}" / f"c-{quote(scope.collection, safe='')}"


async def _find_members(engine: Engine, path: str) -> list[Document]:
    """The documents of an upload that holds files, by path, also those that the caller may not see; none for any
    other."""
    if not may_hold_members(path):
        return []
    found = await engine.store.ledger(engine.scope).documents(UPLOADS, within=path)
    return found if found and found[-1].path != path else []


async def _remove_members(engine: Engine, path: str) -> int:
    """Remove the documents in an archive, a mail or a PDF; returns how many."""
    return sum([await engine.delete(one.path, source=UPLOADS) for one in await _find_members(engine, path)])


def _keep_file(file: Path, place: Path) -> None:
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(file, "rb") as written:
        os.fsync(written.fileno())
    os.replace(file, place)
    descriptor = os.open(place.parent, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remove_unknown(folder: Path, known: Set[str]) -> None:
    oldest = time.time() - STALE_SECONDS
    for file in folder.glob("*/*/*"):
        with suppress(OSError):
            if file.name not in known and file.stat().st_mtime < oldest:
                file.unlink()


async def _find_version(engine: Engine, path: str) -> str | None:
    """The hash of an uploaded document's bytes; None where the collection has no such document."""
    try:
        document, _ = await engine.record(path, source=UPLOADS)
    except NotBuilt:
        return None
    except UsageError as error:
        if type(error) is not UsageError:
            raise
        return None
    return document.version


async def run_when_free(begin: Callable[[], Awaitable[Run]]) -> Run:
    """Run an ingestion, once no other one of its source runs; raises `Busy` where that lasts too long."""
    loop = asyncio.get_running_loop()
    end = loop.time() + BUSY_SECONDS
    while True:
        try:
            return await begin()
        except Busy:
            if loop.time() > end:
                raise
            await asyncio.sleep(BUSY_PAUSE)


def _has_taken(run: Run) -> bool:
    """Whether a document came of a run."""
    return any(run.stats["documents"][name] for name in ("added", "changed", "moved", "unchanged"))


def _raise_skip(run: Run, path: str) -> None:
    """Raise `Refused` with the reason where a run skipped its file, or all files in it: that of the file itself."""
    left_out = (*run.stats["skipped"], *run.stats["ignored"])
    for skipped in sorted(left_out, key=lambda one: one["path"] != path):
        if skipped["path"] == path or (not _has_taken(run) and is_within(skipped["path"], path)):
            named = skipped["path"]
            raise Refused(skipped["reason"], skipped.get("message") or f"{named} is of no format that Ragstone reads")
    if not _has_taken(run):
        raise Refused("empty", f"{path} holds no document")
