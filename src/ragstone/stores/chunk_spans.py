"""Whether chunks say what their text of record says: the same on every store."""

from collections.abc import Iterable

from ragstone.core.types import Chunk, join_slices


def find_misplaced_chunks(chunks: Iterable[Chunk], record: str) -> list[int]:
    """The ordinals of the chunks whose text is not what stands at their spans."""
    return [chunk.ordinal for chunk in chunks if chunk.text != join_slices(record, chunk.spans)]
