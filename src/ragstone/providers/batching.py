"""Many texts through an embedder: bounded batches of like lengths, every vector checked."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence

import numpy as np

from ragstone.core.errors import StoreError, UsageError
from ragstone.core.ports import Embedder, Vectors

MAX_BATCH = 256
SORTED_BATCHES = 8  # batches that are sorted by length together: padding shrinks, memory stays bounded
LENGTH_TOLERANCE = 1e-3  # how far from 1 a length may be: float16 vectors of a vendor are 5e-4 off
MODEL_FAILS = 16  # texts: where a batch of so many has no usable vector, the model fails and not the texts

Progress = Callable[[int, int], None]


async def embed_all(
    embedder: Embedder,
    texts: Sequence[str],
    *,
    references: Sequence[str] = (),
    size: int = 64,
    on_progress: Progress | None = None,
    unusable: dict[int, str] | None = None,
) -> AsyncIterator[tuple[list[int], Vectors]]:
    """Batches of (places in `texts`, their vectors), not in order of the texts; blank texts are left out.

    The next batch is under way while the caller stores one. `references` name the texts in errors;
    `on_progress` hears how many of how many are done. A text whose vector is zero, not finite or of a wrong length is
    left out, and a sentence about it stands at its place in `unusable`. Raises `StoreError` with the reference of the
    first such text if there is no `unusable`, or if no text of a large batch has a usable vector.
    """
    if not 1 <= size <= MAX_BATCH:
        raise UsageError(f"a batch holds 1 to {MAX_BATCH} texts, not {size}")
    if references and len(references) != len(texts):
        raise UsageError(f"{len(references)} references were given for {len(texts)} texts")
    done, total = 0, sum(1 for text in texts if text.strip())
    names = references or [f"text {place}" for place in range(len(texts))]
    ahead: tuple[list[int], asyncio.Task[Vectors]] | None = None
    try:
        for batch in [*plan_batches(texts, size=size), []]:
            now, ahead = ahead, None
            if batch:
                ahead = batch, asyncio.ensure_future(embedder.embed([texts[place] for place in batch]))
            if now is not None:
                usable = _keep_usable(now[0], await now[1], embedder.dimension, names, unusable)
                done += len(now[0])
                if on_progress is not None:
                    on_progress(done, total)
                yield usable
    finally:
        if ahead is not None:
            ahead[1].cancel()


def plan_batches(texts: Sequence[str], *, size: int) -> Iterator[list[int]]:
    """Places of the texts that are not blank, longest first inside a window, `size` at a time."""
    places = [place for place, text in enumerate(texts) if text.strip()]
    for start in range(0, len(places), size * SORTED_BATCHES):
        window = sorted(places[start : start + size * SORTED_BATCHES], key=lambda place: (-len(texts[place]), place))
        yield from (window[at : at + size] for at in range(0, len(window), size))


def check_vectors(vectors: Vectors, *, dimension: int, references: Sequence[str]) -> Vectors:
    """Check that there is one unit vector of `dimension` per reference, and return them; else raise `StoreError`."""
    for message in find_unusable(vectors, dimension=dimension, references=references).values():
        raise StoreError(f"{message}: nothing of it was stored")
    return vectors


def find_unusable(vectors: Vectors, *, dimension: int, references: Sequence[str]) -> dict[int, str]:
    """A sentence for each row that cannot be stored, by its place; raises `StoreError` unless there is one row per
    reference."""
    if vectors.shape != (len(references), dimension):
        raise StoreError(
            f"the model gave vectors of shape {vectors.shape} for {len(references)} texts from {references[0]} on, "
            f"not {(len(references), dimension)}"
        )
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
    bad = np.flatnonzero(~(np.abs(lengths - 1) < LENGTH_TOLERANCE)).tolist()
    return {row: f"the model gave {_describe_length(lengths[row])} for {references[row]}" for row in bad}


def _describe_length(length: float) -> str:
    return "a zero vector" if length == 0 else f"a vector of length {length:.4g}, not 1,"


def _keep_usable(
    places: list[int], vectors: Vectors, dimension: int, names: Sequence[str], unusable: dict[int, str] | None
) -> tuple[list[int], Vectors]:
    """The places of a batch with their vectors, without those that cannot be stored."""
    bad = find_unusable(vectors, dimension=dimension, references=[names[place] for place in places])
    if bad and (unusable is None or len(bad) == len(places) >= MODEL_FAILS):
        raise StoreError(f"{next(iter(bad.values()))}: nothing of it was stored")
    if unusable is not None:
        unusable |= {places[row]: message for row, message in bad.items()}
    good = [row for row in range(len(places)) if row not in bad]
    return [places[row] for row in good], vectors[good]
