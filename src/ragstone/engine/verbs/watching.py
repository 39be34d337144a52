"""Methods that keep a collection in line with folders while they change."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence, Set
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragstone import stores
from ragstone.access import Permission
from ragstone.core.answers import Event
from ragstone.core.errors import NotBuilt, UsageError
from ragstone.core.ports import CachingStore, ListedFile
from ragstone.core.records import Run
from ragstone.engine.artifact_cleanup import forget_stale_searches, places_of, sweep_artifacts
from ragstone.engine.permission_checks import verb
from ragstone.engine.source_roots import resolve_sources
from ragstone.engine.verbs.ingestion import IngestionVerbs

if TYPE_CHECKING:
    from ragstone.ingestion.progress import EventCallback
    from ragstone.ingestion.watch import TrackedFolder

NOTHING_YET = "no documents yet: the first file that is read makes the collection"


class WatchVerbs(IngestionVerbs):
    """The verbs of a watcher: ingest often, merge seldom."""

    @verb(Permission.WRITE)
    async def watch(
        self,
        *paths: str | Path,
        name: str | None = None,
        ignore: Sequence[str] | str = (),
        reindex_after: float | None = None,
        flush_after: float | None = None,
        allow_removals: bool = False,
        poll: bool = False,
        tell: EventCallback = lambda _event: None,
    ) -> None:
        """Ingest folders or files, or the configured sources, and again whenever they change, until it is cancelled.

        Changes are ingested after `reindex_after` seconds of quiet, at the latest after ten times that; `flush` follows
        after `flush_after`, and when it is cancelled. With `poll`, files are looked at every few seconds in place of
        the system's events. `tell` gets `watching`, the progress of runs, `indexed`, `flushed`, `note` and `problem`: a
        failed run is tried again. Raises `UsageError` for a path that does not exist or is a web address, and if the
        first run is refused.
        """
        from ragstone.ingestion.watch import Delays, FolderChanges, Watcher

        folders = await asyncio.to_thread(self._track_folders, paths, name, ignore, tell)
        wanted = self.settings.watch
        delays = Delays(reindex_after or wanted.reindex_after, flush_after or wanted.flush_after)
        watched = _WatchedFolders(self, folders, own_name=name, allow_removals=allow_removals, tell=tell)

        def tell_note(note: str) -> None:
            tell(Event("note", {"message": note}))

        async with FolderChanges(list(folders.values()), poll=poll, tell_note=tell_note) as changes:
            sources = [{"source": folder.name, "place": str(folder.find_root())} for folder in folders.values()]
            tell(Event("watching", {"sources": sources, **asdict(delays)}))
            await Watcher(changes, watched, delays=delays, tell=tell).run(frozenset(folders))

    @verb(Permission.WRITE)
    async def flush(self) -> None:
        """Bring derived files up to date and give back dead space: what `ingest(flush=False)` and `watch` put off."""
        async with self.store.writer(self.scope) as writer:
            await writer.settle()
        await sweep_artifacts(self._components, self.scope, await places_of(self._components, self.scope))
        await forget_stale_searches(self._components)
        ledger = self.store.ledger(self.scope)
        for run in await ledger.runs(1):
            if run.status == "succeeded" and not run.config.get("flushed", True):
                await ledger.update(replace(run, config={**run.config, "flushed": True}))

    @verb(Permission.WRITE)
    async def invalidate(self) -> None:
        """Forget the index in memory: the next question loads it from the store, with what others wrote."""
        if isinstance(self.store, CachingStore):
            await self.store.invalidate(self.scope)

    @verb(Permission.WRITE)
    async def is_dirty(self) -> bool:
        """Whether the last run was not flushed yet, or did not end; an ingest of its source heals the latter."""
        try:
            latest = await self.store.ledger(self.scope).runs(1)
        except NotBuilt:
            return False
        return any(run.status != "succeeded" or not run.config.get("flushed", True) for run in latest)

    async def _reindex_source(self, folder: TrackedFolder, **options: Any) -> list[Run]:
        source = folder.source
        return await self._ingest_roots(
            [(source, str(folder.find_root()))], recreate=False, refresh=False, checksum=False, flush=False, **options
        )

    def _track_folders(
        self, paths: Sequence[str | Path], name: str | None, ignore: Sequence[str] | str, tell: EventCallback
    ) -> dict[str, TrackedFolder]:
        from ragstone.ingestion.sources import FileSource
        from ragstone.ingestion.watch import TrackedFolder

        ignored = (ignore,) if isinstance(ignore, str) else ignore
        settings = self.settings
        offline, limits, store = settings.offline, settings.limits, settings.store
        found = resolve_sources(
            paths, name, ignored, configured=settings.sources, offline=offline, limits=limits, store=store
        )
        files = [source for source, _ in found if isinstance(source, FileSource)]
        if len(files) < len(found):
            others = next(place for source, place in found if source not in files)
            if paths or not files:
                raise UsageError(f"cannot watch {others!r:.80}: only folders and files can be watched; ingest it")
            tell(Event("note", {"message": f"web addresses such as {others!r:.80} are not watched; ingest them"}))
        place = stores.local_place(self.settings.store)
        own = None if place is None else re.compile(rf"{re.escape(str(place))}(/|$|\.(lock|uploads|[0-9a-f]{{16}}\.))")
        for source in files:
            source.find_root()
        return {source.name: TrackedFolder(source, excluded=own) for source in files}


class _WatchedFolders:
    """The work of a watcher on the folders of a collection."""

    def __init__(
        self,
        engine: WatchVerbs,
        folders: dict[str, TrackedFolder],
        *,
        own_name: str | None,
        allow_removals: bool,
        tell: EventCallback,
    ) -> None:
        self._engine = engine
        self._folders = folders
        self._own_name = own_name
        self._allow_removals = allow_removals
        self._tell = tell

    async def reindex(self, names: Set[str], *, anyway: bool) -> bool:
        """Ingest the sources whose files changed."""
        written = False
        for folder in (self._folders[name] for name in sorted(names)):
            snapshot = await asyncio.to_thread(folder.take_snapshot)
            if not anyway and not await asyncio.to_thread(folder.list_changes, snapshot):
                continue
            if not await self._engine.store.admin.exists(self._engine.scope) and not await asyncio.to_thread(
                _has_document, folder
            ):
                self._tell(Event("note", {"message": f"source {folder.name!r}: {NOTHING_YET}"}))
                continue
            for run in await self._engine._reindex_source(
                folder, name=self._own_name, allow_removals=self._allow_removals, tell=self._tell
            ):
                ignored = [(entry["path"], entry["reason"]) for entry in run.stats["ignored"]]
                folder.mark_indexed(snapshot, ignored)
                self._tell(Event("indexed", {"source": run.source, "run": run.id, **run.stats}))
            written = True
        return written

    async def flush(self) -> None:
        """Merge the index."""
        if await self._engine.store.admin.exists(self._engine.scope):
            await self._engine.flush()


def _has_document(folder: TrackedFolder) -> bool:
    return any(isinstance(entry, ListedFile) for entry in folder.source.walk())
