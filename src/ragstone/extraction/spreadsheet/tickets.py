"""Lists of tickets and other records with long texts: each row is a section under its key and title."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ragstone.core.types import Block
from ragstone.extraction.record.builder import BlockDraft, write_record
from ragstone.extraction.spreadsheet.rows import Line
from ragstone.extraction.wiki.jira import JIRA, has_jira_marks
from ragstone.extraction.wiki.reader import read_wiki

LONG_CELL = 400  # characters of a text that is read by itself
LONG_ROW = 800  # of a row that is more than most models read (256 tokens)
SHARE = 0.05  # of the rows, for a list of records
LONGEST_TITLE = 200
LONGEST_LABEL, LONGEST_KEY = 80, 60
SAMPLE = 200  # rows whose cells tell which columns are keys and titles
KEYS = frozenset("issue key|key|id|ticket id|number|#|identifier|issue number|no|nr|vorgangsschlüssel|clave".split("|"))
TITLES = frozenset("summary|title|subject|name|zusammenfassung|titel|betreff|resumen|résumé|titre|asunto".split("|"))
KEY = re.compile(r"#?[A-Za-z][A-Za-z0-9_]{0,15}-\d{1,9}|#?\d{1,12}")
PARAGRAPHS = re.compile(r"\n[ \t\r]*\n\s*")


def is_list_of_records(head: int, band: Sequence[Line]) -> bool:
    """Whether a table with one row of labels has rows that are longer than models read because of long texts."""
    if head != 1 or len(band[0].cols) < 3:
        return False
    rows = band[1:]
    long = sum(sum(map(len, row.texts)) >= LONG_ROW and max(map(len, row.texts)) >= LONG_CELL for row in rows)
    return long >= max(1, SHARE * len(rows))


def write_sections(band: Sequence[Line]) -> tuple[str, tuple[Block, ...]]:
    """The text of record and its blocks: for each row a heading, its short values as lines with the labels of their
    columns, then its long texts. Spans name the row of the file."""
    labels = {
        col: " ".join(text[:LONGEST_LABEL].split()) for col, text in zip(band[0].cols, band[0].texts, strict=True)
    }
    named = _find_names(labels, band[1 : SAMPLE + 1])
    drafts: list[BlockDraft] = []
    numbers: list[int] = []
    for row in band[1:]:
        drafts += _draft_section(row, labels, named)
        numbers += [row.number] * (len(drafts) - len(numbers))
    record, blocks = write_record(drafts)
    placed = zip(blocks, numbers, strict=True)
    return record, tuple(
        replace(block, spans=tuple(replace(span, rows=(number, number)) for span in block.spans))
        for block, number in placed
    )


def _find_names(labels: dict[int, str], rows: Sequence[Line]) -> list[int]:
    """The columns that name a row: its key and its title, by their labels, else by their values."""
    values: dict[int, list[str]] = {}
    for row in rows:
        for col, text in zip(row.cols, row.texts, strict=True):
            values.setdefault(col, []).append(text)
    whole = [col for col in labels if len(values.get(col, ())) == len(rows) == len(set(values[col]))]
    keys = [col for col in whole if all(KEY.fullmatch(text) for text in values[col])]
    titles = [
        col
        for col in labels
        if col not in keys
        and (texts := values.get(col, []))
        and max(map(len, texts)) <= LONGEST_TITLE
        and sum(" " in text for text in texts) * 2 > len(texts)
        and len(set(texts)) * 2 > len(texts)
    ]
    key = sorted(keys, key=lambda col: (labels[col].casefold() not in KEYS, "-" not in values[col][0]))
    own = [col for col, label in labels.items() if label.casefold() in TITLES and col in values]
    return [*key[:1], *(own or titles)[:1]]


def _draft_section(row: Line, labels: dict[int, str], named: Sequence[int]) -> Iterator[BlockDraft]:
    values = dict(zip(row.cols, row.texts, strict=True))
    title = " ".join(" ".join(values[col] for col in named if col in values)[: 2 * LONGEST_TITLE].split())
    yield BlockDraft("heading", title[:LONGEST_TITLE] or f"{row.number}", level=2)
    key = values.get(named[0], "")[:LONGEST_KEY] if named else ""
    short = {col: text for col, text in values.items() if "\n" not in text and len(text) < LONG_CELL}
    told = {*named, *short}
    usual = {col for col in named if labels[col].casefold() in KEYS | TITLES}  # their labels say nothing
    if lines := [_label(labels.get(col, ""), " ".join(short[col].split())) for col in short if col not in usual]:
        yield BlockDraft("paragraph", "\n".join(lines))
    for col, text in values.items():
        if col not in told:
            label = labels.get(col, "")
            yield from _draft_text(f"{label} ({key})" if key else label, text)


def _draft_text(label: str, text: str) -> Iterator[BlockDraft]:
    """A long text behind its label, in the markup of Jira as its reader sees it. A piece of it may hold the end of one
    section and the beginning of the next: the key stands in the label too."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if has_jira_marks(plain):
        first, *rest = list(read_wiki(plain, JIRA, above=2)) or [BlockDraft("paragraph")]
        is_paragraph = first.type == "paragraph"
        yield BlockDraft("paragraph", _label(label, first.text) if is_paragraph else f"{label}:")
        yield from rest if is_paragraph else (first, *rest)
        return
    first_part, *more = PARAGRAPHS.split(plain)
    yield BlockDraft("paragraph", _label(label, first_part.rstrip()))
    yield from (BlockDraft("paragraph", part.rstrip()) for part in more)


def _label(label: str, text: str) -> str:
    return f"{label}:{chr(10) if chr(10) in text else ' '}{text}" if label else text
