"""Methods that ingest documents."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragstone.access import Permission
from ragstone.core.errors import Corrupt, NotBuilt, Unavailable, UsageError
from ragstone.core.ports import GivenDocument, ListedFile, Source
from ragstone.core.records import Run
from ragstone.engine.arguments import DOCUMENTS, PATH_KIND, SOURCE_NAME, object_with
from ragstone.engine.artifact_cleanup import drop_collection, forget_stale_searches
from ragstone.engine.permission_checks import verb
from ragstone.engine.run_setup import build_run_context, make_cluster, pin_own_model
from ragstone.engine.source_roots import closing_sources, make_container_limits, resolve_sources
from ragstone.engine.verbs.base import VerbGroup
from ragstone.engine.visible_documents import list_newest

if TYPE_CHECKING:
    from ragstone.ingestion.progress import EventCallback

log = logging.getLogger("ragstone")

UPLOADS = "uploads"  # the source of documents that were handed over one by one
TEXTS = "texts"  # the source of documents that are no files


class IngestionVerbs(VerbGroup):
    """The verbs that bring a collection in line with its sources."""

    @verb(Permission.WRITE, name=SOURCE_NAME)
    async def ingest(
        self,
        *paths: str | Path,
        name: str | None = None,
        ignore: Sequence[str] | str = (),
        refresh: bool = False,
        checksum: bool = False,
        allow_removals: bool = False,
        recreate: bool = False,
        flush: bool = True,
        ray: str | None = None,
        version_label: str | None = None,
        effective_at: str | None = None,
        tell: EventCallback = lambda _event: None,
    ) -> list[Run]:
        """Update the collection from folders or files, or from the configured sources.

        Gives one run per source. Of several, one that does not answer is a failed run, whose last warning says why, and
        stops no other; `Unavailable` is raised where none answers. A file of the same size and time as in the last run
        is not read, unless `checksum` is set. Without `flush`, what it brings up to date is left to `flush`; all is
        searchable nevertheless. Raises `UsageError` for a path that does not exist, for a removal of too much without
        `allow_removals`, for a changed model without `recreate`.
        """
        _check_date(effective_at)
        ignored = (ignore,) if isinstance(ignore, str) else ignore
        settings = self.settings
        offline, limits, store = settings.offline, settings.limits, settings.store
        roots = resolve_sources(
            paths, name, ignored, configured=settings.sources, offline=offline, limits=limits, store=store
        )
        with closing_sources(source for source, _ in roots):
            return await self._ingest_roots(
                roots,
                name=name,
                recreate=recreate,
                allow_removals=allow_removals,
                tell=tell,
                refresh=refresh,
                checksum=checksum,
                flush=flush,
                ray=ray,
                version_label=version_label,
                effective_at=effective_at,
            )

    async def _ingest_roots(
        self,
        roots: Sequence[tuple[Source, str]],
        *,
        name: str | None,
        recreate: bool,
        allow_removals: bool,
        flush: bool = True,
        ray: str | None = None,
        tell: EventCallback,
        **options: Any,
    ) -> list[Run]:
        await self._components.embedders.learn()
        await pin_own_model(self._components, recreate=recreate)
        context = build_run_context(self._components, allow_removals=allow_removals, **options)
        context = replace(context, flush=flush, cluster=make_cluster(self._components, ray))
        context = replace(context, keep_going=len(roots) > 1)
        if recreate:  # after the lines above, which refuse settings that cannot be
            await self._erase_before_ingest([source for source, _ in roots], allow_removals=allow_removals)
        runs = []
        processes = self._components.processes.make_sandbox()
        from ragstone.ingestion.outdated_editions import renew_sources
        from ragstone.ingestion.run import run_ingestion  # a question must not wait for it

        for source, root in roots:
            here = replace(context, root=None if name else root, place=root, processes=processes, named=_is_file(root))
            runs.append(await run_ingestion(here, source, tell=tell))
        if roots and all(run.status == "failed" for run in runs):
            raise Unavailable("; ".join(run.stats["warnings"][-1] for run in runs))
        if not flush:
            return runs
        done = [source.name for source, _ in roots]
        for problem in await renew_sources(self.store, self.scope, except_=done, tell=tell):
            log.warning("%s", problem)
        await forget_stale_searches(self._components)
        return runs

    @verb(Permission.WRITE, folder=PATH_KIND, name=SOURCE_NAME)
    async def ingest_files(
        self,
        folder: str | Path,
        paths: Sequence[str],
        *,
        name: str = UPLOADS,
        tell: EventCallback = lambda _event: None,
    ) -> Run:
        """Add or replace single files of a folder as documents of the source `name`; its other documents stay.

        `paths` are relative to the folder. Raises `Busy` while the source is being ingested; a file that cannot be
        ingested is listed in the run's stats.
        """
        from ragstone.ingestion.run import run_ingestion  # a question must not wait for it
        from ragstone.ingestion.sources import ChosenFiles

        chosen = (paths,) if isinstance(paths, str) else tuple(paths)
        source = ChosenFiles(name, folder, chosen, containers=make_container_limits(self.settings.limits))
        await self._components.embedders.learn()
        await pin_own_model(self._components)
        context = build_run_context(self._components)
        processes = self._components.processes.make_sandbox()
        context = replace(context, place=str(source.place), processes=processes, named=True, chosen=frozenset(chosen))
        run = await run_ingestion(context, source, tell=tell)
        await forget_stale_searches(self._components)
        return run

    async def _erase_before_ingest(self, roots: Sequence[Source], *, allow_removals: bool) -> None:
        """Erase the collection, but only when the sources have something to put in its place."""
        for source in roots:
            if not await asyncio.to_thread(_has_document, source):
                raise UsageError(f"source {source.name!r} has no document: nothing was erased")
        try:
            if not await self.store.admin.exists(self.scope):
                return
            others = {document.source for document in await list_newest(self._components)} - {
                source.name for source in roots
            }
        except Corrupt:
            others = set()  # nothing of it can be read any more
        if others and not allow_removals:
            raise UsageError(
                f"--recreate would erase what came from other sources too ({', '.join(sorted(others))}); nothing was "
                "changed. Name all sources at once, or add --allow-removals"
            )
        await drop_collection(self._components, self.scope.collection)

    @verb(Permission.WRITE, texts=DOCUMENTS, name=SOURCE_NAME)
    async def ingest_texts(
        self,
        texts: Mapping[str, GivenDocument],
        *,
        name: str = TEXTS,
        tell: EventCallback = lambda _event: None,
    ) -> Run:
        """Add or replace documents of the source `name` that are not files; its other documents stay.

        `texts` are the documents by path, such as `{"notes/monday.md": "# Monday"}`: texts, the bytes of a file, or
        for Markdown `{"text": "…", "meta": {"tags": ["garden"]}}`, whose metadata count as front matter while places
        count in the text alone. The ending of the path tells the format. Calls in one process wait in line. Raises
        `Busy` while another process ingests the source; a document that cannot be ingested is listed in the run's
        stats.
        """
        await self._check_texts_source(name)
        from ragstone.ingestion.run import run_ingestion  # a question must not wait for it
        from ragstone.ingestion.sources import GivenDocuments

        source = GivenDocuments(name, texts)
        await self._components.embedders.learn()
        await pin_own_model(self._components)
        context = build_run_context(self._components)
        processes = self._components.processes.make_sandbox()
        context = replace(context, processes=processes, named=True, chosen=frozenset(texts), members=False)
        async with self._components.get_turn(name):
            run = await run_ingestion(context, source, tell=tell)
        await forget_stale_searches(self._components)
        return run

    async def _check_texts_source(self, name: str) -> None:
        from ragstone.ingestion.safeguards import check_texts_source

        if name == UPLOADS:
            raise UsageError(f"the source {UPLOADS!r} holds the files that a server was sent: choose another name")
        configured = [one.name or Path(one.path).name for one in self.settings.sources]
        with suppress(NotBuilt):
            await check_texts_source(name, self.store.ledger(self.scope), configured=configured)

    @verb(Permission.WRITE, source=object_with("a source", "walk", "read"))
    async def ingest_source(self, source: Source, *, tell: EventCallback = lambda _event: None) -> Run:
        """Update the collection from a source object of your own. Gives the run; options and errors as for `ingest`."""
        from ragstone.ingestion.run import run_ingestion  # a question must not wait for it

        await self._components.embedders.learn()
        await pin_own_model(self._components)
        context = replace(build_run_context(self._components), processes=self._components.processes.make_sandbox())
        run = await run_ingestion(context, source, tell=tell)
        await forget_stale_searches(self._components)
        return run


def _check_date(effective_at: str | None) -> None:
    """Before anything is read or written; a document's own date is that document's matter."""
    try:
        if effective_at is not None:
            datetime.fromisoformat(effective_at)
    except (ValueError, TypeError) as error:
        raise UsageError(f"invalid effective_at {effective_at!r}: expected a date such as 2026-01-31") from error


def _has_document(source: Source) -> bool:
    return any(isinstance(entry, ListedFile) for entry in source.walk())


def _is_file(place: str) -> bool:
    return Path(place).is_file()
