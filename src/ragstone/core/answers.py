"""Results of searches and answers: hits with notes, sentences with citations, events."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, overload

from ragstone.core.line_runs import format_runs, group_spans
from ragstone.core.notebook import render_paragraph, render_table
from ragstone.core.plural import format_count
from ragstone.core.types import Document, Hit, Span, Verdict

CLOSEST = 3  # passages that are shown beside a refusal
SHOWN = 400  # characters of a passage or a quote in a notebook
SHORT = 80  # characters of an answer on a line


@dataclass(frozen=True, slots=True)
class Note:
    """Something that the caller should know: a stable code and one sentence."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Citation:
    """Where a statement stands. For a verified one, record[char_start:char_end] of each span joined
    by newlines is the quote (before masking)."""

    n: int
    chunk: str
    document: Document
    quote: str
    spans: tuple[Span, ...]
    status: Verdict = "unverified"
    masked: bool = False


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an answer with the numbers of the citations that stand behind it."""

    text: str
    citations: tuple[int, ...] = ()
    status: Verdict = "unverified"


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a search by a language model: its calls, the tokens that it read and wrote if the vendor reports
    them, and its texts (a question, documents, paraphrases) or the references that it scored, from 0 to 1, in order."""

    name: Literal["standalone", "hyde", "multi_query", "filter"]
    calls: int
    texts: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()
    usage: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a search: hits in order, notes about skipped or degraded steps, seconds per stage, steps of a
    model.

    It has the length of its hits, iterates over them and gives one by its number, it prints on a line, and a notebook
    shows it as a table."""

    hits: tuple[Hit, ...]
    notes: tuple[Note, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    """Candidates of each retriever, and what was merged of them; for logs and metrics."""

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    @overload
    def __getitem__(self, number: int) -> Hit: ...

    @overload
    def __getitem__(self, number: slice) -> tuple[Hit, ...]: ...

    def __getitem__(self, number: int | slice) -> Hit | tuple[Hit, ...]:
        return self.hits[number]

    def __bool__(self) -> bool:
        """True: it is a result, also without hits."""
        return True

    def __repr__(self) -> str:
        places = [_format_place(hit.chunk.document, hit.chunk.spans) for hit in self.hits[:CLOSEST]]
        more = ["…"] if len(self.hits) > CLOSEST else []
        return f"<Found {format_count(len(self.hits), 'hit')}: {', '.join([*places, *more]) or 'none'}>"

    def _repr_html_(self) -> str:
        rows = [
            (
                str(rank),
                _format_place(hit.chunk.document, hit.chunk.spans),
                " > ".join(hit.chunk.heading_path),
                f"{hit.signals['cosine']:.2f}" if "cosine" in hit.signals else "",
                "(holds secrets)" if hit.chunk.secrets else hit.chunk.text[:SHOWN],
            )
            for rank, hit in enumerate(self.hits, 1)
        ]
        return render_table(("", "place", "heading", "cosine", "text"), rows)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer whose every sentence can be checked, or an abstention with its reason.

    `answerability` is the probability, 0 to 1, that the passages answer the question; the abstention rule uses it.
    `mode` says whose words the text has: those of the documents (`quoted`) or a language model's (`written`).
    """

    text: str
    abstained: bool = False
    reason: str | None = None
    answerability: float | None = None
    sentences: tuple[Sentence, ...] = ()
    citations: tuple[Citation, ...] = ()
    groundedness: float = 0.0
    hits: tuple[Hit, ...] = ()
    notes: tuple[Note, ...] = ()
    usage: Mapping[str, int] = field(default_factory=dict)
    timings: Mapping[str, float] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    mode: Literal["quoted", "written"] = "quoted"
    counts: Mapping[str, int] = field(default_factory=dict)
    """As in `Found`, and the passages that the answer was made from."""

    @property
    def closest(self) -> tuple[Hit, ...]:
        """The best passages, which are shown beside a refusal; none beside an answer."""
        return self.hits[:CLOSEST] if self.abstained else ()

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        about = self.reason if self.abstained else format_count(len(self.citations), "citation")
        return f"<Answer {'abstained' if self.abstained else self.mode}, {about}: {self.text[:SHORT]!r}>"

    def _repr_html_(self) -> str:
        rows = [(f"[{c.n}]", _format_place(c.document, c.spans), c.quote[:SHOWN], c.status) for c in self.citations]
        table = render_table(("", "place", "quote", "status"), rows) if rows else ""
        return render_paragraph(self.text) + table


@dataclass(frozen=True, slots=True)
class Event:
    """A step of an answer or a run as it happens: its name and its data."""

    name: str
    data: Mapping[str, Any] = field(default_factory=dict)


def _format_place(document: Document, spans: Sequence[Span]) -> str:
    """`path:first-last`."""
    return f"{document.path}:{format_runs(group_spans(spans))}" if spans else document.path
