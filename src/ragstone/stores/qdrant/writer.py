"""The writer of an ingestion: staged in Qdrant, switched by the ledger's transaction, then active in Qdrant.

A process that ends between two steps leaves a state that readers see through and the next writer repairs.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime

from ragstone.core.errors import Corrupt, StoreError
from ragstone.core.ports import Store, Vectors, Writer
from ragstone.core.types import Chunk, Document, Revision, Scope
from ragstone.stores.cosine import check_stored_vector
from ragstone.stores.fault_points import reach_point
from ragstone.stores.qdrant import points
from ragstone.stores.qdrant.points import RETIRED, field_equals, field_is_any, scope_filter
from ragstone.stores.qdrant.reconciliation import Reconciler
from ragstone.stores.qdrant.scope_points import ScopePoints
from ragstone.stores.qdrant.space import resolve_space
from ragstone.stores.revision_status import due_at

WIDER = 4  # times as many points where too few chunks came of them


class QdrantWriter:
    """Writes points to Qdrant and revisions to the ledger; implements `Writer`. `remote` is None while the
    collection has no embedding model; `also` are the points of a second one, from which removed documents go too.
    Not `active`, it writes those of the second."""

    def __init__(
        self,
        inner: Writer,
        ledger: Store,
        scope: Scope,
        *,
        remote: ScopePoints | None,
        reconciler: Reconciler | None,
        also: ScopePoints | None,
        now: Callable[[], datetime],
        active: bool = True,
    ) -> None:
        self._inner = inner
        self._ledger = ledger
        self._scope = scope
        self._remote = remote
        self._reconciler = reconciler
        self._also = also
        self._active = active
        self._now = now
        self._from: float | None = None
        self._one = asyncio.Lock()

    async def replace(self, revisions: Sequence[Revision]) -> None:
        async with self._one:
            if self._remote is None or not revisions:
                await self._inner.replace(revisions)
            else:
                await self._replace(self._remote, revisions, self._inner.replace)

    async def renew(self, revisions: Sequence[Revision]) -> None:
        """Points of revisions that go are seen through at once, and deleted when the run settles."""
        async with self._one:
            if self._remote is None or not revisions:
                await self._inner.renew(revisions)
            else:
                await self._replace(self._remote, revisions, self._inner.renew)

    async def _replace(
        self,
        remote: ScopePoints,
        revisions: Sequence[Revision],
        written: Callable[[Sequence[Revision]], Awaitable[None]],
    ) -> None:
        since = self._now().timestamp()
        states = _pick_newest(revisions, lambda one: _due_seconds(one.document) <= since)
        ahead = _pick_newest(revisions, lambda one: _due_seconds(one.document) > since)
        chunks = [chunk for state in states for chunk in state.chunks]
        await self._stage(remote, chunks, since=since)
        for state in ahead:
            await self._stage(remote, await self._find_inactive(state.chunks), since=_due_seconds(state.document))
        reach_point("replace.staged")
        try:
            await written(revisions)
        except Exception:
            await self._undo_staging(remote, [*chunks, *(chunk for state in ahead for chunk in state.chunks)])
            raise
        reach_point("replace.switched")
        later = remote.point_ids(chunk for state in ahead for chunk in state.chunks)
        documents = {state.document.id: state.document.path for state in states}
        await remote.switch(remote.point_ids(chunks), documents, but=later, since=since)
        reach_point("replace.activated")

    async def _stage(self, remote: ScopePoints, chunks: Sequence[Chunk], *, since: float) -> None:
        known = await remote.fetch_vectors(chunk.vector_key for chunk in chunks)
        await remote.write(remote.make_points(chunks, known, state="staged", since=since))

    async def _find_inactive(self, chunks: Sequence[Chunk]) -> list[Chunk]:
        """Those that are not active under the same id already."""
        async with self._ledger.reader(self._scope) as reader:
            standing = {chunk.id for chunk in await reader.chunks([chunk.id for chunk in chunks])}
        return [chunk for chunk in chunks if chunk.id not in standing]

    async def _undo_staging(self, remote: ScopePoints, chunks: Sequence[Chunk]) -> None:
        """What was staged for a switch that was refused goes; what it had covered comes back."""
        since = self._now().timestamp()
        async with self._ledger.reader(self._scope) as reader:
            standing = await reader.chunks([chunk.id for chunk in chunks])
        known = await remote.fetch_vectors(chunk.vector_key for chunk in standing)
        await remote.write(remote.make_points(standing, known, state="active", since=since))
        stays = set(remote.point_ids(standing))
        await remote.retire([one for one in remote.point_ids(chunks) if one not in stays], since=since)

    async def remove(self, documents: Sequence[str]) -> None:
        """Their points are deleted at once, vectors and all: who removes wants it gone."""
        async with self._one:
            await self._inner.remove(documents)
            reach_point("remove.switched")
            for remote in (self._remote, self._also):
                if remote is not None and documents:
                    await remote.erase(field_is_any("doc", documents))

    async def find_unembedded(self, limit: int) -> list[Chunk]:
        """Vectors that another collection of the tenant has are taken from there first.

        Raises `Corrupt` when one that was taken is still missing: no number of batches would end that.
        """
        taken: set[str] = set()
        async with self._one:
            if self._remote is None or limit <= 0:
                return []
            while True:
                found = await self._find_missing(self._remote, limit)
                if again := next((chunk for chunk in found if chunk.vector_key in taken), None):
                    raise Corrupt(
                        f"the vector of {again.document.path}#{again.ordinal} was written to "
                        f"{self._remote.space.name!r} of Qdrant, which does not find it; run: ragstone doctor --repair"
                    )
                lent = await self._remote.fetch_vectors(chunk.vector_key for chunk in found)
                if not lent:
                    return found
                await self._remote.put_vectors(lent)
                taken = set(lent)

    async def _find_missing(self, remote: ScopePoints, limit: int) -> list[Chunk]:
        """Up to `limit` active chunks without a vector, one a key, from where the last batch began; fewer only
        when there are no more."""
        start, found = await self._find_onward(remote, limit, self._from)
        if len(found) < limit and self._from is not None:
            start, found = await self._find_onward(remote, limit, None)
        self._from = start
        return found

    async def _find_onward(
        self, remote: ScopePoints, limit: int, start: float | None
    ) -> tuple[float | None, list[Chunk]]:
        """The moment at which they begin, and the chunks. Points of one key, or of no active chunk, make it look at
        more of them."""
        named = scope_filter(self._scope, without=[RETIRED, remote.space.has_dense, field_equals("key", "")])
        count = 2 * limit
        async with self._ledger.reader(self._scope) as reader:
            while True:
                records = await remote.fetch_earliest(named, fields=["chunk", "since"], limit=count, start=start)
                chunks = await reader.chunks([points.read_payload_text(record, "chunk") for record in records])
                found: dict[str, Chunk] = {}
                for chunk in chunks:
                    if chunk.vector_key:
                        found.setdefault(chunk.vector_key, chunk)
                if len(found) >= limit or len(records) < count:
                    first = (records[0].payload or {}).get("since") if records else None
                    return first, list(found.values())[:limit]
                count *= WIDER

    async def put(self, vectors: Mapping[str, Vectors]) -> None:
        async with self._one:
            if self._remote is None:
                raise StoreError("the collection was made without an embedding model: ingest again to name one")
            rows = {key: check_stored_vector(key, row, self._remote.space.dimension) for key, row in vectors.items()}
            await self._check_current(self._remote)
            reach_point("put.found")
            await self._remote.put_vectors(rows)

    async def _check_current(self, remote: ScopePoints) -> None:
        """Raises `StoreError` when the collection went over to another model: its chunks wait elsewhere."""
        async with self._ledger.reader(self._scope) as reader:
            space = resolve_space(remote.client.url, await reader.info())
        if self._active and (space is None or space.name != remote.space.name):
            raise StoreError("the collection was switched to another model meanwhile; run again with that model")

    async def settle(self) -> None:
        """Also repairs the leftovers of other runs, and deletes points that no view can still use."""
        async with self._one:
            await self._inner.settle()
            if self._reconciler is not None:
                await self._reconciler.catch_up()
                await self._reconciler.forget_retired()


def _pick_newest(revisions: Sequence[Revision], fits: Callable[[Revision], bool]) -> list[Revision]:
    """The last state of each document, by its number, of those that fit."""
    newest: dict[str, Revision] = {}
    for revision in sorted(filter(fits, revisions), key=lambda one: one.document.revision):
        newest[revision.document.id] = revision
    return list(newest.values())


def _due_seconds(document: Document) -> float:
    return due_at(document) or 0.0
