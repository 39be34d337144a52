"""The nouns: frozen values that every stage takes and gives."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ragstone.core.errors import UsageError
from ragstone.core.page_layout import Layout

Json = dict[str, Any]
Role = Literal["body", "header", "footer", "toc", "nav"]
BlockType = Literal["heading", "paragraph", "table", "list", "code"]
CaptionTarget = Literal["table", "figure"]
Mode = Literal["hybrid", "semantic", "keyword"]
Hyde = Literal["off", "standard", "adaptive", "multi"]
Verdict = Literal["verified", "repaired", "unverified"]
Secret = tuple[int, int, str]
WORD_SIGNALS = ("bm25", "count")  # what stores score words by; `count` is a plain count of them
SPARSE_SIGNAL = "sparse"  # the dot product with a stored sparse vector
WRITTEN_SIGNAL = "written"  # the best cosine of a chunk's summary and questions

NAME_LENGTH = 120
LONGEST_QUESTION = 10_000  # characters; a longer one is a document


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose collection: the first argument of every store verb, so that it cannot be forgotten."""

    tenant: str
    collection: str

    def __post_init__(self) -> None:
        for what in ("tenant", "collection"):
            name = getattr(self, what)
            if not name or len(name) > NAME_LENGTH or any(unicodedata.category(c)[0] == "C" for c in name):
                raise UsageError(f"{what} name {name!r} is not usable: 1 to {NAME_LENGTH} printable characters")


@dataclass(frozen=True, slots=True)
class Enclosing:
    """The facts that a file has from the mail or PDF that it lies in, "" where there is none: why not everyone may see
    it, and the mail's subject, sender and date in ISO form."""

    closed: str = ""
    subject: str = ""
    author: str = ""
    date: str = ""

    def within(self, outer: "Enclosing") -> "Enclosing":
        """These facts and those of the mail that this one lies in: the nearest mail tells what it is about."""
        closed = self.closed or outer.closed
        nearest = self if self.subject or self.author or self.date else outer
        return Enclosing(closed, nearest.subject, nearest.author, nearest.date)


NO_FACTS = Enclosing()  # of a file of its own


@dataclass(frozen=True, slots=True)
class Span:
    """A place in the text of record, and on the page or sheet where there is one.

    Characters count from 0 with an exclusive end, lines from 1 with an inclusive end; `bbox` is
    (x0, y0, x1, y1) in PDF points with the origin top left; `rows` and `cols` are inclusive
    ranges counted from 1.
    """

    char_start: int
    char_end: int
    line_start: int
    line_end: int
    page: int | None = None
    bbox: tuple[float, float, float, float] | None = None
    sheet: str | None = None
    rows: tuple[int, int] | None = None
    cols: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table: its place in the grid (from 0), what it covers, its text."""

    row: int
    col: int
    text: str
    rowspan: int = 1
    colspan: int = 1
    header: bool = False
    char_start: int | None = None
    char_end: int | None = None
    page: int | None = None
    bbox: tuple[float, float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a document's structure. `spans` lead to the text of record; `text` is for readers.

    `level` is the heading's level (1 to 6) or the list's depth; `role` tells body text from page
    furniture, which never becomes a chunk. `caption` is what the caption of a table says; the caption is a
    paragraph of its own too, `caption_of` says of what, and `figure` where that stands on the page of its span. The
    spans of a `whole` block are parts of one thing, as a message and its author: no chunk has some of them alone if all
    fit.
    """

    type: BlockType
    text: str
    spans: tuple[Span, ...]
    role: Role = "body"
    level: int = 0
    cells: tuple[Cell, ...] = ()
    language: str | None = None
    caption: str = ""
    caption_of: CaptionTarget | None = None
    figure: tuple[float, float, float, float] | None = None
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Extraction:
    """The result of an extractor: the text of record and its structure.

    `layout` leads from the record's characters to the page, where the format has pages.
    """

    record: str
    blocks: tuple[Block, ...]
    media_type: str
    title: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    layout: Layout | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk without its document: `text` is the slices of the record at `spans`, joined by newlines.

    `overlap` counts the leading characters of `text` that the piece before holds too; `header` is
    the table header that readers and embedders should see above `text`; `tokens` counts `text`
    with the embedder's tokenizer; `secrets` are as in `Chunk`; `window` are the ordinals of the first and the last
    piece that are shown with this one, where it is too small to be read alone. `table` has the cells of a piece of
    tables row by row, header rows first, what a merged cell says in each row that it covers. `byte_range` is where it
    begins and ends in the UTF-8 bytes of the record, for chunkers that count these.
    """

    ordinal: int
    text: str
    spans: tuple[Span, ...]
    heading_path: tuple[str, ...] = ()
    kind: str = "text"
    tokens: int = 0
    overlap: int = 0
    header: str = ""
    note: str = ""
    table: tuple[tuple[str, ...], ...] = ()
    secrets: tuple[Secret, ...] = ()
    window: tuple[int, int] | None = None
    byte_range: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """One state of a document. `id` comes from tenant, collection, source and path; `version` is the sha256 of the
    bytes; `revision` grows with each change; `recipe` names its chunking; `addressed` names the model and variant
    that its chunks want vectors of, None where they want none; `edition` names the analyser and guard that its terms
    and flags are from, "" where that is not known."""

    id: str
    source: str
    path: str
    revision: int
    version: str
    recipe: str
    title: str | None = None
    media_type: str = "text/plain"
    bytes: int = 0
    meta: Mapping[str, Any] = field(default_factory=dict)
    version_label: str | None = None
    effective_at: str | None = None
    trimmed: bool = False
    notes: tuple[str, ...] = ()
    addressed: str | None = None
    edition: str = ""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage that can be found and cited; `vector_key` addresses its vector by the embedded text.

    `secrets` are start, end and kind of those that touch the chunk's spans, in characters of the text of
    record, in order, never overlapping; one may begin before the chunk and end behind it.
    """

    id: str
    document: Document
    ordinal: int
    text: str
    spans: tuple[Span, ...]
    heading_path: tuple[str, ...] = ()
    kind: str = "text"
    tokens: int = 0
    embedded_tokens: int = 0
    overlap: int = 0
    header: str = ""
    vector_key: str = ""
    flags: tuple[str, ...] = ()
    risk_score: float = 0.0
    metadata: Mapping[str, Any] = field(default_factory=dict)
    secrets: tuple[Secret, ...] = ()


@dataclass(frozen=True, slots=True)
class Revision:
    """A document's whole new state: what a writer puts in place of the old one, or not at all.

    `artifact` is the extraction as JSON, where it is kept beside the store, `left_out` how many blocks of each role
    became no chunk; no store looks at these.
    """

    document: Document
    chunks: tuple[Chunk, ...]
    record: str
    layout: Layout | None = None
    artifact: bytes | None = None
    left_out: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate chunk of one retriever. `place` (path, source, ordinal) breaks ties the same everywhere."""

    id: str
    score: float
    place: tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Hit:
    """A found chunk. `score` only orders; `signals` (cosine, bm25, …) are what thresholds work on.

    `duplicates` are places (source, path, ordinal) that hold nearly the same text and were folded in.
    """

    chunk: Chunk
    score: float
    signals: Mapping[str, float] = field(default_factory=dict)
    duplicates: tuple[tuple[str, str, int], ...] = ()


def total_order(score: float, place: tuple[str, str, int]) -> tuple[float, str, str, int]:
    """The sort key of every ranking: score down, then path, source and ordinal up."""
    return (-score, *place)


def join_slices(record: str, spans: Sequence[Span]) -> str:
    """The text at `spans` of a text of record: what a chunk or a quote must equal."""
    return "\n".join(record[span.char_start : span.char_end] for span in spans)
