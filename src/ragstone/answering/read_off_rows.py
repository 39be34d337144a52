"""Rows that are read off tables: that which a question names, the first or all of a kind, the one of a range."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ragstone.answering.extractive.extreme_rows import asks_for_extreme, choose_extreme_rows, holds_rows
from ragstone.answering.extractive.looked_up_rows import look_up_row
from ragstone.answering.extractive.question_analysis import QuestionAnalysis
from ragstone.answering.extractive.ranged_rows import choose_ranged_rows
from ragstone.answering.extractive.scored_passages import ScoredPassage
from ragstone.answering.extractive.selection import read_row
from ragstone.core import filter_matching
from ragstone.core.filters import Where
from ragstone.core.ids import chunk_id
from ragstone.core.types import Chunk, Hit

WITH_TABLES, LONGEST_TABLE = 4, 64  # documents whose tables are read whole, and chunks of one


class ChunkReader(Protocol):
    """Gives chunks by their ids."""

    async def chunks(self, ids: Sequence[str]) -> list[Chunk]: ...


@dataclass(frozen=True, slots=True)
class ReadOff:
    """The rows that answer, none where tables do not; and the places of rows that answer nothing, as those of another
    range than is asked for: the rank of the hit and the number of the passage."""

    rows: list[ScoredPassage]
    barred: frozenset[tuple[int, int]] = frozenset()


async def read_off_rows(
    reader: ChunkReader, where: Where, question: QuestionAnalysis, hits: Sequence[Hit], first: int
) -> ReadOff:
    """The rows of tables that a question asks for. `first` is the rank of a hit that rows of other chunks count as."""
    if asks_for_extreme(question):
        chunks = await _read_tables(reader, where, hits)
        return ReadOff([read_row(question, row) for row in choose_extreme_rows(question, chunks, first)])
    ranged = choose_ranged_rows(question, hits)
    rows = ranged.rows or look_up_row(question, hits)
    return ReadOff([read_row(question, row) for row in rows], ranged.others)


async def _read_tables(reader: ChunkReader, where: Where, hits: Sequence[Hit]) -> list[Chunk]:
    """The chunks with rows of the documents of the best hits with rows, each read to its end, but for chunks that the
    filter leaves out; of a longer document none."""
    with_rows = (hit.chunk for hit in hits if holds_rows(hit.chunk))
    documents = list({chunk.document.id: chunk.document for chunk in with_rows}.values())[:WITH_TABLES]
    behind = await reader.chunks([chunk_id(document, LONGEST_TABLE) for document in documents]) if documents else []
    longer = {chunk.document.id for chunk in behind}
    whole = [document for document in documents if document.id not in longer]
    ids = [chunk_id(document, ordinal) for document in whole for ordinal in range(LONGEST_TABLE)]
    read = await reader.chunks(ids) if ids else []
    passed = (one for one in read if filter_matching.matches(where, filter_matching.collect_facts(one)))
    return [chunk for chunk in passed if holds_rows(chunk)]
