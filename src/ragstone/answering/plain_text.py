"""Hits and answers as people read them: where, how well it fits, and the lines that fit best.

Every text passes the `mask` that is given. Words of the question stand between the marks of `excerpts`.
"""

import re
from collections.abc import Sequence

from ragstone.answering.excerpts import QuestionTerms, choose_lines, mark_words, weigh_terms
from ragstone.answering.verification.citations import Mask, chunk_marker, number_marker
from ragstone.core.answers import Answer, Found
from ragstone.core.chunk_enrichment import join_names
from ragstone.core.escaping import escape_line_ends, remove_controls
from ragstone.core.line_runs import format_runs, group_spans
from ragstone.core.types import Chunk, Document, Hit, Span

LONGEST_HEADING = 60  # characters
ARGUMENTS = re.compile(r"(?<=\w)\((?!\w{1,3}\)).*", re.DOTALL)  # "setting(s)" is a word
NO_TERMS = QuestionTerms({})


def format_place(document: Document, spans: Sequence[Span], *, source: bool = False) -> str:
    """`path:line`, `path:first-last`, with the page where there is one: what editors open. The header that a row stands
    far below comes first: `path:1,4011`. `source` names the document's source too."""
    if source:
        return f"{format_place(document, spans)} of {escape_line_ends(document.source)}"
    path = escape_line_ends(document.path)
    if not spans:
        return path
    runs = group_spans(spans)
    page = f" (page {runs[-1][0].page})" if runs[-1][0].page is not None else ""
    return f"{path}:{format_runs(runs)}{page}"


def found_text(found: Found, *, mask: Mask, question: str = "", full: bool = False) -> str:
    """Hits for people: a line with rank, place, heading and how well it fits, then the three lines that fit the
    question best, or the whole text (`full`)."""
    blocks = _hit_blocks(found.hits, mask=mask, question=question, full=full) or ["Nothing found."]
    notes = [mask(f"note: {note.message}") for note in found.notes]
    if question and found.hits and not _mentions_a_word(question, [hit.chunk for hit in found.hits]):
        notes.append("note: no passage has a word of the question; these are the closest in meaning, however far")
    return remove_controls("\n\n".join((*blocks, *notes)))


def _mentions_a_word(question: str, chunks: Sequence[Chunk]) -> bool:
    terms = weigh_terms(question, [chunk.text for chunk in chunks])
    return not terms.weights or any(terms.count_words(chunk.text, join_names(chunk)) for chunk in chunks)


def _hit_blocks(hits: Sequence[Hit], *, mask: Mask, question: str, full: bool) -> list[str]:
    texts = [mask(hit.chunk.text, hit.chunk.spans, hit.chunk.secrets) for hit in hits]
    terms = weigh_terms(question, texts) if question else NO_TERMS
    several = _has_several_sources([hit.chunk.document for hit in hits])
    blocks = []
    for n, (hit, text) in enumerate(zip(hits, texts, strict=True), 1):
        chunk, here = hit.chunk, terms.for_passage(text)
        head = [
            f"{n}. {format_place(chunk.document, chunk.spans, source=several)}",
            *([escape_line_ends(" > ".join(map(_shorten_heading, chunk.heading_path)))] if chunk.heading_path else []),
            *_describe_match(hit, text, terms),
            *([f"flags {', '.join(chunk.flags)}"] if chunk.flags else []),
            *([f"also in {len(hit.duplicates)} more places"] if hit.duplicates else []),
        ]
        lines = text.splitlines() if full else choose_lines(text, terms)
        blocks.append("\n".join([mask(" · ".join(head)), *(mark_words(line, here) for line in lines)]))
    return blocks


def _shorten_heading(heading: str) -> str:
    """A heading in at most 60 characters: the arguments of a declaration go first, then words at the end, then
    characters of a word that is as long."""
    if len(heading) <= LONGEST_HEADING:
        return heading
    named = ARGUMENTS.sub("(…)", heading)
    if len(named) <= LONGEST_HEADING:
        return named
    kept, blank, _ = named[: LONGEST_HEADING - 1].rpartition(" ")
    return f"{kept.rstrip()} …" if blank and kept.strip() else f"{named[: LONGEST_HEADING - 1]}…"


def _has_several_sources(documents: Sequence[Document]) -> bool:
    return len({document.source for document in documents}) > 1


def _describe_match(hit: Hit, text: str, terms: QuestionTerms) -> list[str]:
    """Figures that mean the same for every question: a fused score is 1 for whatever comes first."""
    scores = [f"{name} {hit.signals[name]:.2f}" for name in ("rerank", "cosine") if name in hit.signals]
    words = f"{terms.count_words(text, join_names(hit.chunk))} of {len(terms.weights)} words"
    return [*scores, *([words] if terms.weights else [])] or [f"score {hit.score:.3f}"]


def answer_text(answer: Answer, *, mask: Mask, question: str = "") -> str:
    """An answer for people: the text, a line for each sentence that nothing supports, one for each citation; for an
    abstention the closest passages."""
    marks = [mark if (mark := chunk_marker(c)) in answer.text else number_marker(c) for c in answer.citations]
    pairs = zip(marks, answer.citations, strict=True)
    quoted = answer.mode == "quoted"
    several = _has_several_sources([citation.document for citation in answer.citations])
    lines = [
        f"{mark} {format_place(c.document, c.spans, source=several)} · {_describe_status(c.status, quoted)}"
        for mark, c in pairs
    ]
    notes = [f"note: {note.message}" for note in answer.notes]
    doubted = [] if answer.abstained else [one.text for one in answer.sentences if one.status == "unverified"]
    unsupported = "\n".join(f"unsupported: {' '.join(text.split())}" for text in doubted)
    closest = _hit_blocks(answer.closest, mask=mask, question=question, full=False)
    if closest:
        closest[0] = f"The closest passages:\n\n{closest[0]}"
    blocks = [answer.text, unsupported, "\n".join(lines if not answer.abstained else ()), "\n".join(notes)]
    said = [mask(block) for block in blocks if block]
    return remove_controls("\n\n".join([*said[: bool(answer.text)], *closest, *said[bool(answer.text) :]]))


def _describe_status(status: str, quoted: bool) -> str:
    """The status of a citation as people read it: a quoted one says where the words are, not that they answer."""
    return "quoted" if quoted and status == "verified" else status
