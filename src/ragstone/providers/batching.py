"""Many texts through an embedder: bounded batches of like lengths, every vector checked."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence

import numpy as np

from ragstone.core.errors import StoreError, UsageError
from ragstone.core.ports import Embedder, Vectors

MAX_BATCH = 256
SORTED_BATCHES = 8  # batches that are sorted by length together: padding shrinks, memory stays bounded
LENGTH_TOLERANCE = 1e-3  # how far from 1 a length may be: float16 vectors of a vendor are 5e-4 off

Progress = Callable[[int, int], None]


async def embed_all(
    embedder: Embedder,
    texts: Sequence[str],
    *,
    references: Sequence[str] = (),
    size: int = 64,
    on_progress: Progress | None = None,
) -> AsyncIterator[tuple[list[int], Vectors]]:
    """Batches of (places in `texts`, their vectors), not in order of the texts; blank texts are left out.

    The next batch is under way while the caller stores one. `references` name the texts in errors;
    `on_progress` hears how many of how many are done. Raises `StoreError` with the reference of a
    text whose vector is of a wrong length, zero or not finite.
    """
    if not 1 <= size <= MAX_BATCH:
        raise UsageError(f"a batch holds 1 to {MAX_BATCH} texts, not {size}")
    if references and len(references) != len(texts):
        raise UsageError(f"{len(references)} references were given for {len(texts)} texts")
    done, total = 0, sum(1 for text in texts if text.strip())
    ahead: tuple[list[int], asyncio.Task[Vectors]] | None = None
    try:
        for batch in [*plan_batches(texts, size=size), []]:
            now, ahead = ahead, None
            if batch:
                ahead = batch, asyncio.ensure_future(_embed_batch(embedder, texts, batch, references))
            if now is not None:
                vectors = await now[1]
                done += len(now[0])
                if on_progress is not None:
                    on_progress(done, total)
                yield now[0], vectors
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
    if vectors.shape != (len(references), dimension):
        raise StoreError(
            f"the model gave vectors of shape {vectors.shape} for {len(references)} texts from {references[0]} on, "
            f"not {(len(references), dimension)}"
        )
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
    for place in np.flatnonzero(~(np.abs(lengths - 1) < LENGTH_TOLERANCE)).tolist():
        kind = "a zero vector" if lengths[place] == 0 else f"a vector of length {lengths[place]:.4g}, not 1,"
        raise StoreError(f"the model gave {kind} for {references[place]}: nothing of it was stored")
    return vectors


async def _embed_batch(
    embedder: Embedder, texts: Sequence[str], batch: list[int], references: Sequence[str]
) -> Vectors:
    vectors = await embedder.embed([texts[place] for place in batch])
    names = [references[place] if references else f"text {place}" for place in batch]
    return check_vectors(vectors, dimension=embedder.dimension, references=names)
