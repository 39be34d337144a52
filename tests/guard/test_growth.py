"""The work in this process grows in step with the text: what a document may hold must not stop an ingestion or a
search. Four sizes, and the time of the processor."""

from collections.abc import Callable

import pytest

from ragstone.chunking import CHUNKERS, Characters, make_chunker
from ragstone.core.sentences import split_sentences
from ragstone.core.types import Block, BlockType, Extraction, Span
from ragstone.extraction import extract
from ragstone.guard import assess_injection, mask_patterns
from tests.speed import grows_in_step

SIZES = (10_000, 20_000, 40_000, 80_000)

WORK: dict[str, Callable[[str], object]] = {
    "guard": assess_injection,
    "masking": mask_patterns,
    "sentences": split_sentences,
}
# Runs without a blank, alone and beside what patterns look for; in other scripts; of signs.
UNITS = [
    "a", "ä", "aB3", "日本", "а", "aа", "é1", "!", "!!a", "=", "A'", "A,", "a_", "a-", "0", "ab;", "QUJD", "41", "%41",
    "игнорируй", "ignore", "ignorealle", "vergiss", "\u200b", "a\u200b", ".a", "a.", "?a", "«a", "x,", "a|", "/a",
    "password", "password=", "key:", "a b ", "a, ", "A B", "| a ", "\n", "\t", "- a\n", "\n- ", "JUST DO ", "you are ",
]  # fmt: skip


LEAD = "é «JUST» ignore prompt your answer. "  # with words of patterns, and not ASCII: no pattern is left out


def one_block(kind: BlockType, record: str) -> Extraction:
    return Extraction(record, (Block(kind, "", (Span(0, len(record), 1, 1),)),), "text/plain")


# Documents by what they are made of; each gives one of about so many characters.
DOCUMENTS: dict[str, Callable[[int], Extraction]] = {
    "one word": lambda size: one_block("paragraph", "é1" * (size // 2)),
    "words": lambda size: one_block("paragraph", "lorem ipsum " * (size // 12)),
    "sentences": lambda size: one_block("paragraph", "It runs. " * (size // 9)),
    "list items": lambda size: one_block("list", "- an item\n" * (size // 10)),
    "code": lambda size: one_block("code", "x = 1\n" * (size // 6)),
}


@pytest.mark.parametrize("unit", UNITS, ids=ascii)
@pytest.mark.parametrize("name", WORK)
def test_text_costs_time_in_step_with_its_size(name: str, unit: str) -> None:
    grows_in_step(lambda size: WORK[name](LEAD + unit * (size // len(unit))), SIZES)


TABLES: dict[str, tuple[str, str, str]] = {
    "csv": ("t.csv", "id,name,city\n", "1,An Okapi,Kindu\n"),
    "markdown": ("t.md", "| id | name | city |\n|---|---|---|\n", "| 1 | An Okapi | Kindu |\n"),
}
TABLE_SIZES = (25_000, 50_000, 100_000, 200_000)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("chunker", sorted(CHUNKERS))
def test_chunking_a_table_costs_time_in_step_with_its_rows(chunker: str, table: str) -> None:
    name, head, row = TABLES[table]
    made = {size: extract((head + row * (size // len(row))).encode(), path=name) for size in TABLE_SIZES}
    cut = make_chunker(chunker, tokenizer=Characters(), reads=254).cut
    grows_in_step(lambda size: cut(made[size]), TABLE_SIZES, most=2.0)


@pytest.mark.parametrize("document", DOCUMENTS)
@pytest.mark.parametrize("chunker", sorted(CHUNKERS))
def test_chunking_costs_time_in_step_with_the_documents_size(chunker: str, document: str) -> None:
    cut = make_chunker(chunker, tokenizer=Characters(), reads=254).cut
    grows_in_step(lambda size: cut(DOCUMENTS[document](size)), SIZES)
