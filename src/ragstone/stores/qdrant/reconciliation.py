"""Qdrant against the ledger: what a process that was killed, or a date that has come, left between the two."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from qdrant_client import models

from ragstone.core.ports import Reader, Store
from ragstone.core.types import Chunk, Document, Scope
from ragstone.stores.qdrant import points
from ragstone.stores.qdrant.points import ACTIVE, RETIRED, STAGED, scope_filter
from ragstone.stores.qdrant.scope_points import ScopePoints

VIEW_LIFETIME = 60.0  # seconds that a view may last: that long retired points keep their vectors
STAGED_LIFETIME = (
    900.0  # seconds after which a staged point that the ledger does not know belongs to no writer any more
)


@dataclass(slots=True)
class Survey:
    """The points in Qdrant compared with the ledger: point ids, and chunks that lack a point."""

    right: int = 0
    late: list[str] = field(default_factory=list)  # staged, and the ledger calls them active
    stale: list[str] = field(default_factory=list)  # active or long staged, and the ledger knows nothing of them
    missing: list[Chunk] = field(default_factory=list)
    found: set[str] = field(default_factory=set)

    @property
    def is_clean(self) -> bool:
        """Whether nothing needs repair."""
        return not (self.late or self.stale or self.missing)


class Reconciler:
    """Brings the points of one collection to what its ledger says."""

    def __init__(self, remote: ScopePoints, ledger: Store, scope: Scope, *, now: Callable[[], datetime]) -> None:
        self._remote = remote
        self._ledger = ledger
        self._scope = scope
        self._now = now

    async def has_drifted(self) -> bool:
        """Whether the two differ in number, or something was left half-way: two counts, to be asked often."""
        active = await self._remote.count(ACTIVE)
        async with self._ledger.reader(self._scope) as reader:
            chunks = (await reader.info()).chunks
        ahead = points.field_after("since", self._now().timestamp())
        return active != chunks or await self._remote.count(STAGED, without=[ahead]) > 0

    async def survey(self) -> Survey:
        """Look at every point, then at what has none. The ledger is asked after Qdrant, so that what it no longer
        calls active was switched away from meanwhile."""
        seen = Survey()
        horizon = self._now().timestamp() - STAGED_LIFETIME
        every = scope_filter(self._scope, without=[RETIRED])
        pages = [page async for page in self._remote.scan_pages(every, fields=["chunk", "key", "state", "since"])]
        async with self._ledger.reader(self._scope) as reader:
            for page in pages:
                active = {
                    chunk.id: chunk
                    for chunk in await reader.chunks([points.read_payload_text(record, "chunk") for record in page])
                }
                for record in page:
                    chunk = active.get(points.read_payload_text(record, "chunk"))
                    if chunk is not None and self._remote.point_ids([chunk]) != [str(record.id)]:
                        chunk = None  # a copy of its point under another id
                    _judge_point(seen, record, chunk, horizon)
            if seen.right + len(seen.late) != (await reader.info()).chunks:
                seen.missing = await self._find_missing(reader, seen.found)
        return seen

    async def _find_missing(self, reader: Reader, found: set[str]) -> list[Chunk]:
        """The active chunks without a point: every place is looked at."""
        lacking: list[Chunk] = []
        for document in await self._ledger.ledger(self._scope).documents():
            lacking += [chunk for chunk in await read_document_chunks(reader, document) if chunk.id not in found]
        return lacking

    async def repair(self, seen: Survey) -> None:
        """Write what is missing, switch what is late, empty what is stale."""
        since = self._now().timestamp()
        if seen.missing:
            known = await self._remote.fetch_vectors(chunk.vector_key for chunk in seen.missing)
            await self._remote.write(self._remote.make_points(seen.missing, known, state="active", since=since))
        await self._remote.activate(seen.late)
        await self._remote.retire(seen.stale, since=since)

    async def catch_up(self) -> None:
        """Repair the differences, if any."""
        if await self.has_drifted():
            await self.repair(await self.survey())

    async def forget_retired(self) -> None:
        """Delete retired points that no view can still want, but those of revisions that the ledger keeps."""
        horizon = self._now().timestamp() - VIEW_LIFETIME
        old = points.field_before("since", horizon)
        if not await self._remote.count(RETIRED, old):
            return
        kept = {
            (document.id, document.revision) for document in await self._ledger.ledger(self._scope).list_all_revisions()
        }
        gone = [
            str(record.id)
            async for page in self._remote.scan_pages(
                scope_filter(self._scope, RETIRED, old), fields=["doc", "revision"]
            )
            for record in page
            if (points.read_payload_text(record, "doc"), (record.payload or {}).get("revision")) not in kept
        ]
        await self._remote.erase_ids(gone)


async def read_document_chunks(reader: Reader, document: Document) -> list[Chunk]:
    """The active chunks at a document's place, in order."""
    found: list[Chunk] = []
    while (chunk := await reader.at(document.path, len(found), source=document.source)) is not None:
        found.append(chunk)
    return found


def _judge_point(seen: Survey, record: models.Record, chunk: Chunk | None, horizon: float) -> None:
    identity, staged = str(record.id), points.read_payload_text(record, "state") == "staged"
    if chunk is not None and chunk.vector_key == points.read_payload_text(record, "key"):
        seen.found.add(chunk.id)
        if staged:
            seen.late.append(identity)
        else:
            seen.right += 1
    elif chunk is None and (not staged or (record.payload or {}).get("since", 0.0) < horizon):
        seen.stale.append(identity)
