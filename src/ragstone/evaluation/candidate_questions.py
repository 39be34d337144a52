"""Candidate questions of a passage, without a model: from headings, definitions, figures and rows of tables.

They are templates over English text, for a person to accept, reword or throw away; the place of the answer is exact.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from ragstone import guard
from ragstone.answering.shown_markdown import strip_markup
from ragstone.core.sentences import is_heading_line, split_sentences
from ragstone.core.types import Chunk, Json

KINDS = ("definition", "figure", "table row", "heading")
TERM = r"[A-Z`][\w`./:+-]*(?: (?!is\b|are\b)[\w`./:+-]+){0,4}"
DEFINITION = re.compile(rf"(?P<term>{TERM}) (?P<verb>is|are) (?:an?|the|one of) \w+", re.ASCII)
NO_TERM = re.compile(
    r"(?:It|This|That|These|Those|There|They|We|You|He|She|Here|Which|What|Below|Above|Each|Every|All|Some|Any|One|Both|If|When|While|"
    r"In|On|For|To|At|As|But|And|Or|So|Then|Note|No|Another|Other|First|Finally)\b"
)
FIGURE = re.compile(r"(?<![\w.,$€£:/-])(?P<number>\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?) (?P<unit>[a-z]{3,}s)\b(?! old)")
NO_UNIT = frozenset("was has is as this its plus minus versus always less times across does thus ones others".split())
HOW_TO = re.compile(r"How to (?P<rest>\w.+)", re.IGNORECASE)
GERUND = re.compile(r"(?P<verb>[A-Z][a-z]{2,}ing)\b(?P<rest> .+)?")
CELL_EDGE = re.compile(r"(?<!\\)\|")
BLANK_LINE = re.compile(r"\n[ \t]*\n")
RULE = re.compile(r"[\s|:=_-]*")
HEADING_MARKS = re.compile(r"\A#+ +| +#+\Z|\n[^\n]*\Z")
ITEM = re.compile(r"\A(?:[*+-]|\d+[.)]) +")
SHORTEST, LONGEST = 30, 400  # characters of a sentence that may answer
LONGEST_HEADING = 90
LONGEST_CELL = 160


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question with its answer, and where that stands in the text of record of a document."""

    kind: str
    question: str
    answer: str
    quote: str
    path: str
    start: int

    @property
    def identity(self) -> str:
        """A name that depends on the question and its place alone."""
        told = f"{self.kind}\0{self.path}\0{self.start}\0{self.question}"
        return sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def candidate_json(candidate: Candidate) -> Json:
    """A candidate in the golden form, not yet accepted."""
    end = candidate.start + len(candidate.quote)
    return {
        "id": candidate.identity,
        "question": candidate.question,
        "expected_files": [candidate.path],
        "spans": [{"path": candidate.path, "char_start": candidate.start, "char_end": end}],
        "selected_sentences": [candidate.quote],
        "expected_answer": candidate.answer,
        "kind": candidate.kind,
        "accepted": False,
    }


def find_candidates(chunk: Chunk, record: str, *, title: str) -> Iterator[Candidate]:
    """The candidates of a chunk, whose spans are those of `record`; none that holds a secret or an injection."""
    if chunk.flags or chunk.kind == "code":
        return
    heading = strip_markup(chunk.heading_path[-1]).strip() if chunk.heading_path else ""
    reading = _Reading(title, heading, _split_cells(chunk.header) if chunk.header else None)
    before = chunk.spans[0].char_start if chunk.spans else 0
    for span in chunk.spans:
        text = record[span.char_start : span.char_end]
        for left, right in split_sentences(text):
            start, end = span.char_start + left, span.char_start + right
            if not chunk.header and BLANK_LINE.search(record, before, start):
                reading.columns = None  # a table that comes right after another has its own
            before = end
            for kind, question, answer in reading.read(text[left:right], is_row=span.rows is not None):
                said = f"{question} {answer}"
                if "](" not in question and not _has_secret(chunk, start, end) and guard.mask_secrets(said) == said:
                    yield Candidate(kind, question, answer, record[start:end], chunk.document.path, start)


@dataclass(slots=True)
class _Reading:
    """The place in a chunk: the heading over it, the columns of the table around it, None outside of one."""

    title: str
    heading: str
    columns: Sequence[str] | None
    is_first: bool = False

    def read(self, raw: str, *, is_row: bool) -> Iterator[tuple[str, str, str]]:
        """Kind, question and answer of each candidate of the next sentence."""
        if is_heading_line(raw):
            self.heading, self.columns, self.is_first = HEADING_MARKS.sub("", strip_markup(raw)).strip(), None, True
        elif "|" in raw and (is_row or raw.startswith("|")):
            yield from self._read_row(_split_cells(raw))
        elif not RULE.fullmatch(raw):
            self.columns = None
            if SHORTEST <= len(raw) <= LONGEST and raw[-1] in ".!":
                yield from self._read_sentence(" ".join(ITEM.sub("", strip_markup(raw)).split()))
                self.is_first = False

    def _read_sentence(self, said: str) -> Iterator[tuple[str, str, str]]:
        if (found := DEFINITION.match(said)) and not NO_TERM.match(found["term"]):
            yield "definition", f"What {found['verb']} {lower_article(found['term'])}?", said
        if (found := FIGURE.search(said)) and found["unit"] not in NO_UNIT:
            where = f' under "{self.heading}"' if self.heading not in ("", self.title) else ""
            yield (
                "figure",
                f'How many {found["unit"]} does "{self.title}" name{where}?',
                f"{found['number']} {found['unit']}",
            )
        if self.is_first and (about := ask_heading(self.heading, self.title)):
            yield "heading", about, said

    def _read_row(self, cells: Sequence[str]) -> Iterator[tuple[str, str, str]]:
        """The first cell that is not empty, asked for by its column and the first cell of its row."""
        if self.columns is None:
            self.columns = cells
        elif len(cells) == len(self.columns) and cells != self.columns and not all(map(RULE.fullmatch, cells)):
            for column, cell in list(zip(self.columns, cells, strict=True))[1:]:
                if all((cells[0], column, cell)) and len(cell) <= LONGEST_CELL and names_something(column):
                    yield "table row", f'What is the {column} of {cells[0]} in "{self.title}"?', cell
                    break


def names_something(heading: str) -> bool:
    """Whether a column can be asked for by its heading: letters, and more than a word that points elsewhere.

    >>> names_something("Price"), names_something("Here"), names_something("#")
    (True, False, False)
    """
    return any(map(str.isalpha, heading)) and not NO_TERM.fullmatch(heading)


def lower_article(term: str) -> str:
    """A term as it stands inside a question.

    >>> lower_article("The node exporter"), lower_article("Grafana")
    ('the node exporter', 'Grafana')
    """
    article, blank, rest = term.partition(" ")
    return f"{article.lower()}{blank}{rest}" if article in ("A", "An", "The") else term


def ask_heading(heading: str, title: str) -> str | None:
    """A question that a heading stands for; None where it stands for none.

    >>> ask_heading("How to install it", "Guide"), ask_heading("Configuring alerts", "Guide")
    ('How do I install it?', 'What does "Guide" say about configuring alerts?')
    """
    if not heading or heading == title or len(heading) > LONGEST_HEADING:
        return None
    if heading.endswith("?"):
        return heading
    if found := HOW_TO.fullmatch(heading):
        return f"How do I {found['rest']}?"
    if found := GERUND.fullmatch(heading):
        return f'What does "{title}" say about {found["verb"].lower()}{found["rest"] or ""}?'
    return f'What does "{title}" say about "{heading}"?'


def _split_cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [" ".join(strip_markup(cell).split()) for cell in CELL_EDGE.split(inner)]


def _has_secret(chunk: Chunk, start: int, end: int) -> bool:
    return any(secret[0] < end and start < secret[1] for secret in chunk.secrets)


def choose_spread(found: Sequence[Sequence[Candidate]], wanted: int) -> list[Candidate]:
    """At most `wanted` candidates, spread over documents first and kinds second: a round takes one of each document,
    of the kind that was taken least; no question and no place comes twice."""
    left, taken = [list(one) for one in found], list[Candidate]()
    counts: Counter[str] = Counter()
    asked: set[str] = set()
    while any(left):
        for number, one in enumerate(left):
            fresh = [each for each in one if each.question not in asked]
            if fresh and len(taken) < wanted:
                best = min(fresh, key=lambda each: counts[each.kind])
                counts[best.kind] += 1
                asked.add(best.question)
                taken.append(best)
                fresh = [each for each in fresh if each.start != best.start]
            left[number] = fresh if len(taken) < wanted else []
    return taken
