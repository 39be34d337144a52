"""Changing a json: store: each call rewrites the file."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from ragstone.core.errors import StoreError
from ragstone.core.ports import Vectors
from ragstone.core.types import Chunk, Revision, Scope
from ragstone.stores.jsonfile.content import ScopeContent
from ragstone.stores.jsonfile.file import JsonFile
from ragstone.stores.revision_status import due_at


class JsonWriter:
    """Writes revisions to the file; implements `Writer`."""

    def __init__(self, file: JsonFile, scope: Scope, *, now: Callable[[], datetime], keep: int) -> None:
        self._file = file
        self._scope = scope
        self._now = now
        self._keep = keep

    async def replace(self, revisions: Sequence[Revision]) -> None:
        await self._put_revisions(revisions, anew=frozenset())

    async def renew(self, revisions: Sequence[Revision]) -> None:
        await self._put_revisions(revisions, anew=frozenset(one.document.id for one in revisions))

    async def _put_revisions(self, revisions: Sequence[Revision], *, anew: frozenset[str]) -> None:
        for new in revisions:
            due_at(new.document)  # raises `UsageError` for what is no date

        def put_content(content: ScopeContent) -> ScopeContent:
            held = {id_: states for id_, states in content.revisions.items() if id_ not in anew}
            for new in revisions:
                old = held.get(new.document.id, ())
                if old and old[0].document.revision >= new.document.revision:
                    raise StoreError(
                        f"{new.document.path}: revision {new.document.revision} is not newer than revision "
                        f"{old[0].document.revision}, which is stored"
                    )
                held[new.document.id] = (new, *old)
            return self._prune_content(replace(content, revisions=held))

        await self._file.change_scope(self._scope, put_content)

    async def remove(self, documents: Sequence[str]) -> None:
        gone = set(documents)
        await self._file.change_scope(
            self._scope,
            lambda content: replace(content, revisions={k: v for k, v in content.revisions.items() if k not in gone}),
        )

    async def find_unembedded(self, limit: int) -> list[Chunk]:  # noqa: ARG002
        """Nothing: this store keeps no vectors."""
        return []

    async def put(self, vectors: Mapping[str, Vectors]) -> None:
        if vectors:
            raise StoreError("a json: store keeps no vectors; use embedded:PATH")

    async def settle(self) -> None:
        """Forget the revisions that a later one has overtaken since they were written."""
        content = await self._file.read_scope(self._scope)
        if self._prune_content(content).revisions != content.revisions:
            await self._file.change_scope(self._scope, self._prune_content)

    def _prune_content(self, content: ScopeContent) -> ScopeContent:
        return content.prune_revisions(self._now(), keep=self._keep)
