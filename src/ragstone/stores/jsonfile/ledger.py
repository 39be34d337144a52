"""The ledger of a json: store: documents and runs."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace

from ragstone.core.records import KEPT_RUNS, Run
from ragstone.core.types import Document, Scope
from ragstone.stores.jsonfile.content import ScopeContent
from ragstone.stores.jsonfile.file import JsonFile
from ragstone.stores.listed_documents import is_listed


class JsonLedger:
    """Keeps runs and documents in the file, and stamps beside it; implements `Ledger` and `FileMemory`."""

    def __init__(self, file: JsonFile, scope: Scope) -> None:
        self._file = file
        self._scope = scope

    async def documents(
        self, source: str | None = None, *, within: str | None = None, identity: str | None = None
    ) -> list[Document]:
        content = await self._file.read_scope(self._scope)
        newest = (states[0].document for states in content.revisions.values())
        found = [document for document in newest if is_listed(document, source, within, identity)]
        return sorted(found, key=lambda document: (document.source, document.path))

    async def list_all_revisions(self) -> list[Document]:
        content = await self._file.read_scope(self._scope)
        found = [state.document for states in content.revisions.values() for state in states]
        return sorted(found, key=lambda document: (document.id, document.revision))

    async def find_documents(self, source: str, paths: Sequence[str]) -> list[Document]:
        wanted = frozenset(paths)
        return [document for document in await self.documents(source) if document.path in wanted]

    async def scan_documents(self) -> AsyncGenerator[list[Document]]:
        yield sorted(await self.documents(), key=lambda document: (document.path, document.source))

    async def recall_files(self, source: str) -> bytes:
        return (await asyncio.to_thread(self._file.read_stamps, self._scope)).get(source, b"")

    async def remember_files(self, source: str, notes: bytes) -> None:
        await self._file.run_beside(self._scope, lambda: self._file.write_stamps(self._scope, source, notes))

    async def start(self, run: Run) -> None:
        await self._file.read_scope(self._scope)  # raises `NotBuilt` before anything is made
        await asyncio.to_thread(self._file.hold_source, self._scope, run)
        try:
            await self._file.change_scope(
                self._scope, lambda content: _put_run(_mark_interrupted(content, run.source), run)
            )
        except BaseException:
            self._file.release_source(self._scope, run)
            raise

    async def update(self, run: Run) -> None:
        await self._file.change_scope(self._scope, lambda content: _put_run(content, run))

    async def finish(self, run: Run) -> None:
        try:
            await self.update(run)
        finally:
            self._file.release_source(self._scope, run)

    async def runs(self, limit: int = 20) -> list[Run]:
        content = await self._file.read_scope(self._scope)
        return [
            replace(run, status="interrupted")
            if run.status == "running" and not self._file.is_source_held(self._scope, run)
            else run
            for run in content.runs[::-1][: max(limit, 0)]
        ]


def _mark_interrupted(content: ScopeContent, source: str) -> ScopeContent:
    runs = (
        replace(run, status="interrupted") if (run.source, run.status) == (source, "running") else run
        for run in content.runs
    )
    return replace(content, runs=tuple(runs))


def _put_run(content: ScopeContent, run: Run) -> ScopeContent:
    if any(one.id == run.id for one in content.runs):
        return replace(content, runs=tuple(run if one.id == run.id else one for one in content.runs))
    own = [one.id for one in content.runs if one.source == run.source]
    old = {*own[: max(len(own) - KEPT_RUNS + 1, 0)]}
    return replace(content, runs=(*(one for one in content.runs if one.id not in old), run))
