"""Whether chunks say what their text of record says: the same on every store."""

from collections.abc import Iterable

from ragstone.core.types import Chunk, joined


def astray(chunks: Iterable[Chunk], record: str) -> list[int]:
    """The ordinals of the chunks whose text is not what stands at their spans."""
    return [chunk.ordinal for chunk in chunks if chunk.text != joined(record, chunk.spans)]
