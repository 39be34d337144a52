"""The passages that are looked at for how they write a word, a date or a number."""

from collections.abc import Mapping

from ragstone.core.filters import Where
from ragstone.core.types import Chunk
from ragstone.retrieval.readers import SourceView

PASSAGES = 20
Corrections = Mapping[str, str]  # by the words as they are in the question
NO_CORRECTIONS: Corrections = {}


async def read_best(view: SourceView, words: str, where: Where) -> list[Chunk]:
    """The passages that match the words best, of those that the caller may see."""
    found = await view.reader.matching(words, where=where, limit=PASSAGES)
    return await view.reader.chunks([one.id for one in found])
