"""Rows that are read off tables: that which a question names, the first or all of a kind, the one of a range."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ragstone.answering.extractive.compared_rows import asks_for_comparison, choose_compared_rows
from ragstone.answering.extractive.extreme_rows import asks_for_extreme, choose_extreme_rows
from ragstone.answering.extractive.listed_rows import ListedRows, asks_for_rows, choose_listed_rows
from ragstone.answering.extractive.looked_up_rows import look_up_row
from ragstone.answering.extractive.passages import Passage
from ragstone.answering.extractive.question_analysis import QuestionAnalysis
from ragstone.answering.extractive.ranged_rows import choose_ranged_rows
from ragstone.answering.extractive.scored_passages import ScoredPassage
from ragstone.answering.extractive.selection import read_row
from ragstone.answering.extractive.whole_tables import gather_tables, holds_rows
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
    """The rows that answer, none where tables do not, and a sentence on their number or sum, where that is asked for;
    the places of rows that answer nothing, as those of another range than is asked for: the rank of the hit and the
    number of the passage."""

    rows: list[ScoredPassage]
    said: str = ""
    barred: frozenset[tuple[int, int]] = frozenset()


async def read_off_rows(
    reader: ChunkReader, where: Where, question: QuestionAnalysis, hits: Sequence[Hit], first: int
) -> ReadOff:
    """The rows of tables that a question asks for. `first` is the rank of a hit that rows of other chunks count as."""
    extreme, comparing = asks_for_extreme(question), asks_for_comparison(question)
    listing = asks_for_rows(question)
    listed = ListedRows([])
    rows: list[Passage] = []
    if extreme or comparing or listing:
        chunks, is_whole = await _read_tables(reader, where, hits)
        tables = gather_tables(chunks, first)
        rows = choose_extreme_rows(question, tables) if extreme else choose_compared_rows(question, tables)
        listed = choose_listed_rows(question, tables) if listing and not rows else listed
        listed = listed if is_whole else ListedRows(listed.rows)
    if extreme or rows or listed.rows:
        return ReadOff([read_row(question, row) for row in rows or listed.rows], listed.said)
    ranged = choose_ranged_rows(question, hits)
    rows = ranged.rows or look_up_row(question, hits)
    return ReadOff([read_row(question, row) for row in rows], barred=ranged.others)


async def _read_tables(reader: ChunkReader, where: Where, hits: Sequence[Hit]) -> tuple[list[Chunk], bool]:
    """The chunks with rows of the documents of the best hits with rows, each read to its end, but for chunks that the
    filter leaves out; of a longer document none. False where it left some out."""
    with_rows = (hit.chunk for hit in hits if holds_rows(hit.chunk))
    documents = list({chunk.document.id: chunk.document for chunk in with_rows}.values())[:WITH_TABLES]
    behind = await reader.chunks([chunk_id(document, LONGEST_TABLE) for document in documents]) if documents else []
    longer = {chunk.document.id for chunk in behind}
    whole = [document for document in documents if document.id not in longer]
    ids = [chunk_id(document, ordinal) for document in whole for ordinal in range(LONGEST_TABLE)]
    read = await reader.chunks(ids) if ids else []
    passed = [one for one in read if filter_matching.matches(where, filter_matching.collect_facts(one))]
    return [chunk for chunk in passed if holds_rows(chunk)], len(passed) == len(read)
