"""Quotes checked against the text of record, then numbered, then masked."""

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Protocol

from ragstone.answering.shown_markdown import MEDIA_TYPES, strip_markup
from ragstone.answering.verification.spans import span_in
from ragstone.core.answers import Citation, Note, Sentence
from ragstone.core.types import Chunk, Document, Secret, Span, Verdict, join_slices

WORDS = re.compile(r"\S+")
QUOTED_LINE = re.compile(r"(?:\A|\n)[ \t]*(?:>[ \t]?)+")  # of a block quote in Markdown
COMMENTED_LINE = re.compile(r"\n[ \t]*(?:#{1,6}|//[/!]?|--|;{1,4}|%{1,4}|\*)(?=[ \t])")  # of a comment in code
STANDS_ALONE = re.compile(r"[ \t]*(?:[-*+•|]|\d{1,3}[.)])[ \t]|[^\n]*\n")


class Mask(Protocol):
    """Takes the secrets out of a text. Where the text is slices of a record, `spans` say which, and `secrets` lists
    the record's secrets: start, end and kind."""

    def __call__(self, text: str, spans: Sequence[Span] = (), secrets: Sequence[Secret] = (), /) -> str: ...


def no_secrets(_record: str) -> Sequence[Secret]:
    """No secrets."""
    return ()


@dataclass(frozen=True, slots=True)
class Quote:
    """The text that an answer takes from a chunk, and its claimed place. Line breaks in prose mean nothing, but for
    those below each of the parts above it: `lines_above` are their numbers of lines. `header` is the header of a table
    whose row it is, or the declaration of a comment in code (`is_comment`), where that stands above the chunk."""

    chunk: Chunk
    text: str
    spans: tuple[Span, ...]
    prose: bool = False
    header: str = ""
    lines_above: tuple[int, ...] = ()
    is_comment: bool = False


def verify_quote(quote: str, spans: Sequence[Span], record: str) -> tuple[Verdict, tuple[Span, ...]]:
    """Whether a quote stands in the text of record, and where.

    `verified`: the record's text at `spans`, joined by newlines, is the quote. `repaired`: it stands
    elsewhere, exactly or but for white space; the spans given back are right, and the quote should
    become the record's own text there. Of several places the one nearest to the first span is taken.
    `unverified`: it stands nowhere, and the spans come back as they were. Linear in the record.
    """
    if quote.strip() and _is_inside(spans, record) and join_slices(record, spans) == quote:
        return "verified", tuple(spans)
    near = spans[0].char_start if spans else 0
    place = _find_exact(quote, record, near) or _find_loose(quote, record, near)
    return ("repaired", (span_in(record, *place),)) if place else ("unverified", tuple(spans))


def _is_inside(spans: Sequence[Span], record: str) -> bool:
    return bool(spans) and all(0 <= span.char_start <= span.char_end <= len(record) for span in spans)


def _find_exact(quote: str, record: str, near: int) -> tuple[int, int] | None:
    start = _find_nearest(quote, record, near) if quote.strip() else -1
    return (start, start + len(quote)) if start >= 0 else None


def _find_nearest(quote: str, record: str, near: int) -> int:
    """Where the quote begins, closest to `near`; -1 when it is nowhere."""
    after = record.find(quote, near)
    # Searched backwards as a reversed text: `rfind` has no linear worst case, `find` has.
    turned = record[: max(0, near + len(quote) - 1)][::-1] if near > 0 else ""
    behind = turned.find(quote[::-1])
    before = len(turned) - behind - len(quote) if behind >= 0 else -1
    if min(after, before) < 0:
        return max(after, before)
    return after if after - near <= near - before else before


def _find_loose(quote: str, record: str, near: int) -> tuple[int, int] | None:
    """Find a quote if each run of white space counts as one space: words are searched in a copy, then mapped back."""
    wanted = " ".join(quote.split())
    if not wanted:
        return None
    words = list(WORDS.finditer(record))
    copy = " ".join(word[0] for word in words)
    starts: list[int] = []
    at = 0
    for word in words:
        starts.append(at)
        at += len(word[0]) + 1
    index = bisect_right([word.start() for word in words], near) - 1
    found = _find_nearest(wanted, copy, starts[max(0, index)] if starts else 0)
    if found < 0:
        return None
    return _map_back(found, words, starts), _map_back(found + len(wanted) - 1, words, starts) + 1


def _map_back(at: int, words: Sequence[re.Match[str]], starts: Sequence[int]) -> int:
    word = bisect_right(starts, at) - 1
    return words[word].start() + at - starts[word]


def cite_quotes(
    quotes: Sequence[Quote],
    records: Mapping[str, str],
    *,
    mask: Mask,
    secrets: Callable[[str], Sequence[Secret]] = no_secrets,
) -> tuple[tuple[Sentence, ...], tuple[Citation, ...]]:
    """One sentence for each quote, one citation for each distinct place, numbered from 1 by first use.

    A citation quotes the record as it is; its sentence comes without the marks of Markdown, and without the source's
    line breaks when it is prose. `records` gives the text of record by the document's id; without it a quote stays
    unverified. Text is masked last, so that the check saw what the document really says. `secrets` finds those of a
    whole record; it is asked only where a quote was found again elsewhere, for a chunk knows its own.
    """
    numbers: dict[tuple[str, str, tuple[Span, ...]], Citation] = {}
    sentences: list[Sentence] = []
    for quote in quotes:
        record = records.get(quote.chunk.document.id)
        status, spans = (
            verify_quote(quote.text, quote.spans, record) if record is not None else ("unverified", quote.spans)
        )
        text, known = quote.text, quote.chunk.secrets
        if record is not None and status == "repaired":
            text, known = join_slices(record, spans), tuple(secrets(record))
        key = (quote.chunk.document.id, text, spans)
        if key not in numbers:
            shown = mask(text, spans, known)
            numbers[key] = Citation(
                len(numbers) + 1, quote.chunk.id, quote.chunk.document, shown, spans, status, masked=shown != text
            )
        citation = numbers[key]
        said = _join_lines(citation.quote, quote) if quote.prose else citation.quote
        said = strip_markup(said) if quote.chunk.document.media_type in MEDIA_TYPES else said
        sentences.append(Sentence(said, (citation.n,), status))
    return tuple(sentences), tuple(numbers.values())


def _join_lines(shown: str, quote: Quote) -> str:
    """Prose in one line, without the marks at the beginnings of its lines, below a line for each part above it."""
    lines = shown.split("\n")
    ends = list(accumulate(quote.lines_above))
    above = [" ".join("\n".join(lines[start:end]).split()) for start, end in pairwise([0, *ends])]
    marks = COMMENTED_LINE if quote.is_comment else QUOTED_LINE
    return "\n".join([*above, " ".join(marks.sub("\n", "\n".join(lines[sum(quote.lines_above) :])).split())])


def number_marker(citation: Citation) -> str:
    """The usual marker: `[1]`."""
    return f"[{citation.n}]"


def chunk_marker(citation: Citation) -> str:
    """The marker that names the chunk: `[chunk:ID]`."""
    return f"[chunk:{citation.chunk}]"


def render_answer(
    sentences: Sequence[Sentence], citations: Sequence[Citation], *, marker: Callable[[Citation], str] = number_marker
) -> str:
    """The answer as text: each sentence with its markers; list items, rows and what has several lines stand alone."""
    known = {citation.n: marker(citation) for citation in citations}
    out = ""
    alone = False
    for sentence in sentences:
        before, alone = alone, stands_alone(sentence.text)
        marks = "".join(known[n] for n in sentence.citations if n in known)
        piece = sentence.text + ("\n" if "\n" in sentence.text else " ") * bool(marks) + marks
        gap = "" if not out else "\n\n" if alone or before else " "
        out += gap + piece
    return out


def stands_alone(text: str) -> bool:
    """Whether a sentence is an item of a list, or has several lines: it gets lines of its own."""
    return STANDS_ALONE.match(text) is not None


def groundedness(statuses: Collection[Verdict]) -> float:
    """The share of the claims that are verified or repaired, 0 to 1 in thousandths; 0 without any claim."""
    return round(sum(status != "unverified" for status in statuses) / len(statuses), 3) if statuses else 0.0


def list_documents(quotes: Sequence[Quote]) -> list[Document]:
    """The documents whose records `cite_quotes` needs, each once, in order of first use."""
    return list({quote.chunk.document.id: quote.chunk.document for quote in quotes}.values())


def note_flagged_sentences(
    sentences: Sequence[Sentence], citations: Sequence[Citation], chunks: Sequence[Chunk]
) -> tuple[Note, ...]:
    """A note `flagged` that names the citations of such sentences, where there are any; `chunks` are what the answer
    was made of. That the words stand there is true all the same, so that no verdict changes."""
    found = {one.n: flags for one in citations if (flags := _citation_flags(one, chunks))}
    alone = [one.citations for one in sentences if one.citations and found.keys() >= set(one.citations)]
    numbers = sorted({n for cited in alone for n in cited})
    if not numbers:
        return ()
    named = ", ".join(f"[{n}]" for n in numbers)
    stands = "stands in a passage that carries" if len(numbers) == 1 else "stand in passages that carry"
    what = ", ".join(sorted({flag for n in numbers for flag in found[n]}))
    return (Note("flagged", f"{named} {stands} instructions to a model ({what}): look there before you rely on it"),)


def _citation_flags(citation: Citation, chunks: Sequence[Chunk]) -> set[str]:
    """The flags of the chunks that a citation quotes from."""
    return {flag for chunk in chunks if _is_quoted_from(citation, chunk) for flag in chunk.flags}


def _is_quoted_from(citation: Citation, chunk: Chunk) -> bool:
    return chunk.document.id == citation.document.id and any(
        one.char_start < other.char_end and other.char_start < one.char_end
        for one in citation.spans
        for other in chunk.spans
    )
