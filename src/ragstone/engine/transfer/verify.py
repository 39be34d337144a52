"""Verification of a copy: both sides are read again, compared and summed up."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from ragstone.core.errors import StoreError
from ragstone.core.ports import StoredRevision, Vectors
from ragstone.core.types import Document, Revision
from ragstone.engine.transfer.checksums import Pieces, SumBuilder, Sums, find_differences, make_pieces
from ragstone.engine.transfer.pages import MAX_BATCH_BYTES, MAX_REVISIONS, View, pair_revisions, revision_key

MAX_NAMED = 5  # documents that differ, named in a report
KEYS_AT_ONCE = 1_024  # vectors asked for at once

RevisionPair = tuple[StoredRevision | None, StoredRevision | None]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The counts of both sides, the number of differing revisions, and a sentence for the first of them."""

    source: Sums
    target: Sums
    differing: int
    first: tuple[str, ...]


async def verify_copy(source: View, target: View, *, dense: bool, told: Callable[[int], Awaitable[None]]) -> Verdict:
    """Compare all that is kept; `dense` says whether the target keeps vectors, `told` gets the number of finished
    revisions."""
    sums = SumBuilder(), SumBuilder()
    wrong: list[str] = []
    differing = done = 0
    batch: list[RevisionPair] = []
    size = 0
    async for pair in pair_revisions(source, target):
        batch.append(pair)
        size += max(one.document.bytes for one in pair if one is not None)
        if len(batch) >= MAX_REVISIONS or size > MAX_BATCH_BYTES:
            found = await _compare_batch(batch, (source, target), sums, dense=dense)
            differing, done = differing + len(found), done + len(batch)
            wrong += found[: MAX_NAMED - len(wrong)]
            await told(done)
            batch, size = [], 0
    found = await _compare_batch(batch, (source, target), sums, dense=dense)
    wrong += found[: MAX_NAMED - len(wrong)]
    await told(done + len(batch))
    return Verdict(sums[0].finish_sums(), sums[1].finish_sums(), differing + len(found), tuple(wrong))


async def _compare_batch(
    batch: Sequence[RevisionPair], views: tuple[View, View], sums: tuple[SumBuilder, SumBuilder], *, dense: bool
) -> list[str]:
    """A sentence for each revision that differs."""
    ours, theirs = [await _read_pieces(view, [pair[side] for pair in batch]) for side, view in enumerate(views)]
    found = []
    now = datetime.now(UTC)
    for (one, other), first, second in zip(batch, ours, theirs, strict=True):
        if one is not None and first is not None:
            sums[0].add(one, first)
        if other is not None and second is not None:
            sums[1].add(other, second)
        if one is None or first is None:
            found += [_describe_difference(other.document, "the source does not have it")] if other is not None else []
        elif other is None or second is None:
            found.append(_describe_difference(one.document, "the target does not have it"))
        elif kinds := find_differences((one, first), (other, second), now=now, dense=dense):
            found.append(_describe_difference(one.document, f"other {', '.join(kinds)}"))
    return found


def _describe_difference(document: Document, what: str) -> str:
    return f"{document.source}: {document.path}, revision {document.revision}: {what}"


async def _read_pieces(view: View, batch: Sequence[StoredRevision | None]) -> list[Pieces | None]:
    """The revisions of one side as they are compared; None where there is none."""
    found = await view.exporter.revisions([one.document for one in batch if one is not None])
    by_key = {revision_key(revision.document): revision for revision in found}
    read = [by_key.get(revision_key(one.document)) for one in batch if one is not None and one.status != "kept"]
    vectors = await read_vectors(view, [revision for revision in read if revision is not None])
    made: list[Pieces | None] = []
    for one in batch:
        revision = by_key.get(revision_key(one.document)) if one is not None else None
        if one is None or revision is None:
            made.append(None)
            continue
        made.append(make_pieces(one, revision, {} if one.status == "kept" else vectors))
    return made


async def read_vectors(
    view: View, revisions: Sequence[Revision], *, without: Mapping[str, Vectors] | None = None
) -> dict[str, Vectors]:
    """The vectors of all chunks of revisions."""
    keys = list(dict.fromkeys(chunk.vector_key for revision in revisions for chunk in revision.chunks))
    wanted = [key for key in keys if key and key not in (without or {})]
    found: dict[str, Vectors] = {}
    for start in range(0, len(wanted), KEYS_AT_ONCE):
        found |= await view.exporter.vectors(wanted[start : start + KEYS_AT_ONCE])
    return found


def require_complete(found: Sequence[Revision], batch: Sequence[StoredRevision]) -> Sequence[Revision]:
    """The items, checked; raises `StoreError` if a view gave fewer than it announced."""
    if len(found) != len(batch):
        raise StoreError("the source gave fewer revisions than it has; run: ragstone doctor --store SOURCE")
    return found
