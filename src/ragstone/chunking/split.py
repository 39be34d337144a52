"""From passages to parts that fit: each kind of block has a ladder of ever finer boundaries."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from ragstone.chunking.outline import INDENTED, Passage, trim_range
from ragstone.chunking.table import Grid, Row, build_grid
from ragstone.core.sentences import split_sentences
from ragstone.core.types import Span
from ragstone.core.work_limit import check_work

TokenCounter = Callable[[Sequence[str]], list[int]]
Cuts = Iterable[tuple[int, int, float]]

BLANK = re.compile(r"\n[ \t\r]*\n")
LINE = re.compile(r"\n")
ITEM = re.compile(r"\n([ \t>]*)(?=(?:[-*+•]|\d{1,9}[.)])[ \t])")
# What beginning a piece at a boundary costs, where a piece of half the wanted size costs 0.25 and an
# empty one 1. Chosen by reading the chunks of three documentations; see benchmarks/chunking.
GLUE = 3.0  # after a heading or a table's header
LEAD = 0.5  # after "as follows:"
AFTER_PARAGRAPH = 0.1  # a list, table or code block after the paragraph before it
ROW, WHOLE_TABLE_ROW = 0.05, 0.6  # between rows; of a table that fits as a whole
AFTER_OMISSION = 0.25  # a block goes on behind something that was left out
ITEM_CUT, NESTED = 0.1, 0.25
SENTENCE = 0.25
PARAGRAPH_LINE = 0.4  # a line of a paragraph
WORD, INSIDE_WORD = 0.7, 1.5
CODE_BLANK, CODE_LINE = 0.15, 0.3

# Marks that belong to the character before them: accents, vowel signs, joiners, variants.
MARKS = r"[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u093c\u094d\u200d\u20d0-\u20ff\ufe00-\ufe0f]{0,8}"
RUN = r"\S(?:.{0,%d}(?!\S)|.{0,%d}" + MARKS + ")"
RUN_LENGTH = 64
# English has 4 to 5 characters a token, indented code up to 10. What has more is no text (a word of
# more than 100 letters is one unknown token to WordPiece) and must not grow without bound.
DENSEST = 16
# A row counts at least as a fiftieth of the cap, so that no group of rows has more.
ROWS = 50


class Part(NamedTuple):
    """A stretch of one passage. `cut` is what it costs to begin a piece here; tokens are -1 while unknown."""

    start: int
    end: int
    passage: Passage
    where: Span
    cut: float = 0.0
    rung: int = 0
    tokens: int = -1
    weight: float = 0.0
    table: Grid | None = None
    row: Row | None = None


Splitter = Callable[[str, Part, int], list[Part]]


def split_runs(record: str, start: int, end: int, most: int) -> Iterator[tuple[int, int]]:
    """Whole words together, up to `most` characters (and the marks of the last); a longer word is split."""
    n = max(1, most) - 1
    for match in re.compile(RUN % (n, n), re.DOTALL).finditer(record, start, end):
        yield match.span()


def fit_parts(record: str, passages: Sequence[Passage], *, cap: int, list_cap: int, count: TokenCounter) -> list[Part]:
    """Parts in order, none over `cap` tokens but table rows; lists above `list_cap` are split by items."""
    parts = [
        part for _, group in groupby(passages, key=lambda p: id(p.block)) for part in _block_parts(record, [*group])
    ]
    while True:
        parts = _weigh_parts(record, parts, cap, count)
        finer: list[Part] = []
        for part in parts:
            check_work()
            ladder = LADDERS[part.passage.block.type]
            room = list_cap if part.rung == 0 and part.passage.block.type == "list" else cap
            fits = part.weight <= room or part.rung == len(ladder)
            finer.extend((part,) if fits else ladder[part.rung](record, part, cap))
        if len(finer) == len(parts) and all(a is b for a, b in zip(finer, parts, strict=True)):
            return [
                part
                for _, group in groupby(parts, key=lambda p: id(p.table))
                for part in _hold_rows_together([*group], cap)
            ]
        parts = finer


def _block_parts(record: str, passages: Sequence[Passage]) -> list[Part]:
    """The passages of one block as they are, those of a table as its rows."""
    if passages[0].block.type != "table":
        return [Part(p.start, p.end, p, p.where, AFTER_OMISSION if i else 0.0) for i, p in enumerate(passages)]
    table = build_grid(record, passages)
    cuts = (0.0, *(GLUE if row.header else ROW for row in table.rows))
    return [
        Part(row.start, row.end, row.passage, row.where, cut, table=table, row=row)
        for row, cut in zip(table.rows, cuts, strict=False)
    ]


def _hold_rows_together(parts: list[Part], cap: int) -> list[Part]:
    """The rows of a table that fits as a whole hold together better than those of a longer one."""
    if parts[0].table is None or sum(part.weight for part in parts) > cap:
        return parts
    return [parts[0], *(part._replace(cut=max(part.cut, WHOLE_TABLE_ROW)) for part in parts[1:])]


def _weigh_parts(record: str, parts: list[Part], cap: int, count: TokenCounter) -> list[Part]:
    """Counts what is not counted yet, all in one batch; what is too long at sight is not worth counting."""
    new = [i for i, part in enumerate(parts) if part.tokens < 0 and part.end - part.start <= DENSEST * cap]
    counts = dict(zip(new, count([record[parts[i].start : parts[i].end] for i in new]), strict=True))
    return [_weigh_part(part, counts.get(i, part.tokens), cap) for i, part in enumerate(parts)]


def _weigh_part(part: Part, tokens: int, cap: int) -> Part:
    if part.weight and tokens == part.tokens:
        return part
    least = cap / ROWS if part.table else 0.0
    return part._replace(tokens=tokens, weight=max(tokens, (part.end - part.start) / DENSEST, least))


def _cut_finer(record: str, part: Part, pieces: Cuts) -> list[Part]:
    """The part one rung further down. Its first child inherits what a cut before it costs."""
    out: list[Part] = []
    finer = part._replace(rung=part.rung + 1, tokens=-1, weight=0.0)
    for left, right, cost in pieces:
        start, end = trim_range(record, left, right, indent=part.passage.block.type in INDENTED)
        if start < end:
            out.append(finer._replace(start=start, end=end, cut=cost if out else part.cut))
    return out if len(out) > 1 else [part._replace(rung=part.rung + 1)]


def _split_at(pattern: re.Pattern[str], cost: float) -> Splitter:
    def split(record: str, part: Part, _: int) -> list[Part]:
        edges = [part.start, *(match.start() for match in pattern.finditer(record, part.start, part.end)), part.end]
        return _cut_finer(record, part, ((start, end, cost) for start, end in pairwise(edges)))

    return split


def _split_items(record: str, part: Part, _: int) -> list[Part]:
    """List items; a nested one is a worse place to begin."""
    found = list(ITEM.finditer(record, part.start, part.end))
    least = min((len(match[1]) for match in found), default=0)
    costs = [0.0, *(ITEM_CUT if len(match[1]) <= least else NESTED for match in found)]
    edges = [part.start, *(match.start() for match in found), part.end]
    return _cut_finer(record, part, ((*edge, cost) for edge, cost in zip(pairwise(edges), costs, strict=True)))


def _split_at_sentences(record: str, part: Part, _: int) -> list[Part]:
    text = record[part.start : part.end]
    return _cut_finer(record, part, ((part.start + a, part.start + b, SENTENCE) for a, b in split_sentences(text)))


def _split_words(record: str, part: Part, cap: int) -> list[Part]:
    """Words together up to 64 characters, fewer when the cap is tiny; a cut inside a word costs most."""
    found = split_runs(record, part.start, part.end, min(RUN_LENGTH, cap // 4))
    return _cut_finer(record, part, ((a, b, WORD if record[a - 1].isspace() else INSIDE_WORD) for a, b in found))


PROSE = (_split_at(BLANK, 0.05), _split_at_sentences, _split_at(LINE, PARAGRAPH_LINE), _split_words)
LADDERS: dict[str, tuple[Splitter, ...]] = {
    "paragraph": PROSE,
    "heading": PROSE,
    "list": (_split_items, *PROSE),
    "code": (_split_at(BLANK, CODE_BLANK), _split_at(LINE, CODE_LINE), _split_words),
    "table": (),
}
