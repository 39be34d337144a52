"""What an ingestion changes: staged in Qdrant, switched by the ledger's transaction, then active in Qdrant.

A process that ends between two steps leaves a state that readers see through and the next writer mends.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime

from ragstone.core.errors import StoreError
from ragstone.core.ports import Store, Vectors, Writer
from ragstone.core.types import Chunk, Document, Revision, Scope
from ragstone.stores.cosine import checked
from ragstone.stores.effective import due_at
from ragstone.stores.qdrant import points
from ragstone.stores.qdrant.faults import reach
from ragstone.stores.qdrant.points import RETIRED, any_of, is_, ours
from ragstone.stores.qdrant.reconcile import Reconciler
from ragstone.stores.qdrant.remote import Remote
from ragstone.stores.qdrant.space import space_of

WIDER = 4  # times as many points where too few chunks came of them


class QdrantWriter:
    """See `ragstone.core.ports.Writer`. `remote` is None while the collection has no embedding model; `also` are the
    points of a second one, from which removed documents go too. Not `active`, it writes those of the second."""

    def __init__(
        self,
        inner: Writer,
        ledger: Store,
        scope: Scope,
        *,
        remote: Remote | None,
        reconciler: Reconciler | None,
        also: Remote | None,
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
        self, remote: Remote, revisions: Sequence[Revision], written: Callable[[Sequence[Revision]], Awaitable[None]]
    ) -> None:
        since = self._now().timestamp()
        states = _newest(revisions, lambda one: _due(one.document) <= since)
        ahead = _newest(revisions, lambda one: _due(one.document) > since)
        chunks = [chunk for state in states for chunk in state.chunks]
        await self._stage(remote, chunks, since=since)
        for state in ahead:
            await self._stage(remote, await self._new(state.chunks), since=_due(state.document))
        reach("replace.staged")
        try:
            await written(revisions)
        except Exception:
            await self._undo(remote, [*chunks, *(chunk for state in ahead for chunk in state.chunks)])
            raise
        reach("replace.switched")
        later = remote.ids(chunk for state in ahead for chunk in state.chunks)
        documents = [state.document.id for state in states]
        await remote.switch(remote.ids(chunks), documents, but=later, since=since)
        reach("replace.activated")

    async def _stage(self, remote: Remote, chunks: Sequence[Chunk], *, since: float) -> None:
        known = await remote.known(chunk.vector_key for chunk in chunks)
        await remote.write(remote.made(chunks, known, state="staged", since=since))

    async def _new(self, chunks: Sequence[Chunk]) -> list[Chunk]:
        """Those that are not active under the same id already."""
        async with self._ledger.reader(self._scope) as reader:
            standing = {chunk.id for chunk in await reader.chunks([chunk.id for chunk in chunks])}
        return [chunk for chunk in chunks if chunk.id not in standing]

    async def _undo(self, remote: Remote, chunks: Sequence[Chunk]) -> None:
        """What was staged for a switch that was refused goes; what it had covered comes back."""
        since = self._now().timestamp()
        async with self._ledger.reader(self._scope) as reader:
            standing = await reader.chunks([chunk.id for chunk in chunks])
        known = await remote.known(chunk.vector_key for chunk in standing)
        await remote.write(remote.made(standing, known, state="active", since=since))
        stays = set(remote.ids(standing))
        await remote.retire([one for one in remote.ids(chunks) if one not in stays], since=since)

    async def remove(self, documents: Sequence[str]) -> None:
        """Their points are deleted at once, vectors and all: who removes wants it gone."""
        async with self._one:
            await self._inner.remove(documents)
            reach("remove.switched")
            for remote in (self._remote, self._also):
                if remote is not None and documents:
                    await remote.erase(any_of("doc", documents))

    async def wanted(self, limit: int) -> list[Chunk]:
        """Vectors that another collection of the tenant has are taken from there first."""
        async with self._one:
            if self._remote is None or limit <= 0:
                return []
            while True:
                found = await self._lacking(self._remote, limit)
                lent = await self._remote.known(chunk.vector_key for chunk in found)
                if not lent:
                    return found
                await self._remote.give(lent)

    async def _lacking(self, remote: Remote, limit: int) -> list[Chunk]:
        """Up to `limit` active chunks without a vector, one a key, from where the last batch began; fewer only
        when there are no more."""
        start, found = await self._onward(remote, limit, self._from)
        if len(found) < limit and self._from is not None:
            start, found = await self._onward(remote, limit, None)
        self._from = start
        return found

    async def _onward(self, remote: Remote, limit: int, start: float | None) -> tuple[float | None, list[Chunk]]:
        """The moment at which they begin, and the chunks. Points of one key, or of no active chunk, make it look at
        more of them."""
        named = ours(self._scope, without=[RETIRED, remote.space.has_dense, is_("key", "")])
        count = 2 * limit
        async with self._ledger.reader(self._scope) as reader:
            while True:
                records = await remote.earliest(named, fields=["chunk", "since"], limit=count, start=start)
                chunks = await reader.chunks([points.said(record, "chunk") for record in records])
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
            rows = {key: checked(key, row, self._remote.space.dimension) for key, row in vectors.items()}
            await self._check_current(self._remote)
            reach("put.found")
            await self._remote.give(rows)

    async def _check_current(self, remote: Remote) -> None:
        """Raises `StoreError` when the collection went over to another model: its chunks wait elsewhere."""
        async with self._ledger.reader(self._scope) as reader:
            space = space_of(remote.client.url, await reader.info())
        if self._active and (space is None or space.name != remote.space.name):
            raise StoreError("the collection was switched to another model meanwhile; run again with that model")

    async def settle(self) -> None:
        """Also mends what others left, and deletes what no view can still want."""
        async with self._one:
            await self._inner.settle()
            if self._reconciler is not None:
                await self._reconciler.catch_up()
                await self._reconciler.forget()


def _newest(revisions: Sequence[Revision], fits: Callable[[Revision], bool]) -> list[Revision]:
    """The last state of each document, by its number, of those that fit."""
    newest: dict[str, Revision] = {}
    for revision in sorted(filter(fits, revisions), key=lambda one: one.document.revision):
        newest[revision.document.id] = revision
    return list(newest.values())


def _due(document: Document) -> float:
    return due_at(document) or 0.0
