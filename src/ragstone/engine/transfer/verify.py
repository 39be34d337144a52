"""Both sides read again, held against each other, summed up."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from ragstone.core.errors import StoreError
from ragstone.core.ports import Kept, Vectors
from ragstone.core.types import Document, Revision
from ragstone.engine.transfer.pages import MOST, MOST_BYTES, View, key_of, paired
from ragstone.engine.transfer.sums import Pieces, Summing, Sums, differences, pieces_of

NAMED = 5  # documents that differ, named in a report
KEYS = 1_024  # vectors asked for at once

Pair = tuple[Kept | None, Kept | None]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What both sides hold, in how many revisions they differ, and the first of them in a sentence each."""

    source: Sums
    target: Sums
    differing: int
    first: tuple[str, ...]


async def verified(source: View, target: View, *, dense: bool, told: Callable[[int], Awaitable[None]]) -> Verdict:
    """Compare all that is kept; `dense` says whether the target keeps vectors, `told` hears how many are done."""
    sums = Summing(), Summing()
    wrong: list[str] = []
    differing = done = 0
    batch: list[Pair] = []
    size = 0
    async for pair in paired(source, target):
        batch.append(pair)
        size += max(one.document.bytes for one in pair if one is not None)
        if len(batch) >= MOST or size > MOST_BYTES:
            found = await _compared(batch, (source, target), sums, dense=dense)
            differing, done = differing + len(found), done + len(batch)
            wrong += found[: NAMED - len(wrong)]
            await told(done)
            batch, size = [], 0
    found = await _compared(batch, (source, target), sums, dense=dense)
    wrong += found[: NAMED - len(wrong)]
    await told(done + len(batch))
    return Verdict(sums[0].done(), sums[1].done(), differing + len(found), tuple(wrong))


async def _compared(
    batch: Sequence[Pair], views: tuple[View, View], sums: tuple[Summing, Summing], *, dense: bool
) -> list[str]:
    """A sentence for each revision that differs."""
    ours, theirs = [await _pieces(view, [pair[side] for pair in batch]) for side, view in enumerate(views)]
    found = []
    now = datetime.now(UTC)
    for (one, other), first, second in zip(batch, ours, theirs, strict=True):
        if one is not None and first is not None:
            sums[0].add(one, first)
        if other is not None and second is not None:
            sums[1].add(other, second)
        if one is None or first is None:
            found += [_sentence(other.document, "the source does not have it")] if other is not None else []
        elif other is None or second is None:
            found.append(_sentence(one.document, "the target does not have it"))
        elif kinds := differences((one, first), (other, second), now=now, dense=dense):
            found.append(_sentence(one.document, f"other {', '.join(kinds)}"))
    return found


def _sentence(document: Document, what: str) -> str:
    return f"{document.source}: {document.path}, revision {document.revision}: {what}"


async def _pieces(view: View, batch: Sequence[Kept | None]) -> list[Pieces | None]:
    """The revisions of one side as they are compared; None where there is none."""
    found = await view.exporter.revisions([one.document for one in batch if one is not None])
    by_key = {key_of(revision.document): revision for revision in found}
    read = [by_key.get(key_of(one.document)) for one in batch if one is not None and one.status != "kept"]
    vectors = await vectors_of(view, [revision for revision in read if revision is not None])
    made: list[Pieces | None] = []
    for one in batch:
        revision = by_key.get(key_of(one.document)) if one is not None else None
        if one is None or revision is None:
            made.append(None)
            continue
        made.append(pieces_of(one, revision, {} if one.status == "kept" else vectors))
    return made


async def vectors_of(
    view: View, revisions: Sequence[Revision], *, without: Mapping[str, Vectors] | None = None
) -> dict[str, Vectors]:
    """The vectors of all chunks of revisions."""
    keys = list(dict.fromkeys(chunk.vector_key for revision in revisions for chunk in revision.chunks))
    wanted = [key for key in keys if key and key not in (without or {})]
    found: dict[str, Vectors] = {}
    for start in range(0, len(wanted), KEYS):
        found |= await view.exporter.vectors(wanted[start : start + KEYS])
    return found


def whole(found: Sequence[Revision], batch: Sequence[Kept]) -> Sequence[Revision]:
    """The same; raises `StoreError` when a view did not give all that it told of."""
    if len(found) != len(batch):
        raise StoreError("the source gave fewer revisions than it has; run: ragstone doctor --store SOURCE")
    return found
