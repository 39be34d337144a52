"""What brings documents in."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from ragstone.core.errors import Corrupt, UsageError
from ragstone.core.ports import Listed, Source
from ragstone.core.types import Run
from ragstone.engine.arguments import checked, part
from ragstone.engine.artifact_cleanup import dropped, forgotten
from ragstone.engine.run_setup import intake_of, pin
from ragstone.engine.source_roots import roots_of
from ragstone.engine.verbs.base import Group
from ragstone.engine.visible_documents import newest
from ragstone.ingestion import run as ingest
from ragstone.ingestion.progress import Tell


class Taking(Group):
    """The verbs that bring a collection in line with its sources."""

    @checked()
    async def ingest(
        self,
        *paths: str | Path,
        name: str | None = None,
        ignore: Sequence[str] | str = (),
        refresh: bool = False,
        allow_removals: bool = False,
        recreate: bool = False,
        version_label: str | None = None,
        effective_at: str | None = None,
        tell: Tell = lambda _event: None,
    ) -> list[Run]:
        """Bring the collection in line with folders or files, or with the configured sources.

        One run a source. Raises `UsageError` for a path that does not exist, for a removal of too much
        without `allow_removals`, for a changed model without `recreate`.
        """
        _check_date(effective_at)
        ignored = (ignore,) if isinstance(ignore, str) else ignore
        roots = roots_of(paths, name, ignored, configured=self.settings.sources)
        await self._parts.embedders.learn()
        await pin(self._parts, recreate=recreate)
        if recreate:
            await self._erase_for([source for source, _ in roots], allow_removals=allow_removals)
        intake = intake_of(
            self._parts,
            refresh=refresh,
            allow_removals=allow_removals,
            version_label=version_label,
            effective_at=effective_at,
        )
        runs = []
        apart = self._parts.processes.fresh()
        for source, root in roots:
            here = replace(intake, root=None if name else root, place=root, apart=apart, named=_is_file(root))
            runs.append(await ingest.ingest(here, source, tell=tell))
        await forgotten(self._parts)
        return runs

    async def _erase_for(self, roots: Sequence[Source], *, allow_removals: bool) -> None:
        """Erase the collection, but only when the sources have something to put in its place."""
        for source in roots:
            if not any(isinstance(entry, Listed) for entry in source.walk()):
                raise UsageError(f"source {source.name!r} has no document: nothing was erased")
        try:
            if not await self.store.admin.exists(self.scope):
                return
            others = {document.source for document in await newest(self._parts)} - {source.name for source in roots}
        except Corrupt:
            others = set()  # nothing of it can be read any more
        if others and not allow_removals:
            raise UsageError(
                f"--recreate would erase what came from other sources too ({', '.join(sorted(others))}); nothing was "
                "changed. Name all sources at once, or add --allow-removals"
            )
        await dropped(self._parts, self.scope.collection)

    @checked(source=part("a source", "walk", "read"))
    async def ingest_source(self, source: Source, *, tell: Tell = lambda _event: None) -> Run:
        """The same for a source object of your own."""
        await self._parts.embedders.learn()
        await pin(self._parts)
        intake = replace(intake_of(self._parts), apart=self._parts.processes.fresh())
        run = await ingest.ingest(intake, source, tell=tell)
        await forgotten(self._parts)
        return run


def _check_date(effective_at: str | None) -> None:
    """Before anything is read or written; a document's own date is that document's matter."""
    try:
        if effective_at is not None:
            datetime.fromisoformat(effective_at)
    except (ValueError, TypeError) as error:
        raise UsageError(f"effective_at {effective_at!r} is not a date; write it as 2026-01-31") from error


def _is_file(place: str) -> bool:
    return Path(place).is_file()
