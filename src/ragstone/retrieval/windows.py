"""Chunks that are read with those around them: a sentence is found by itself, and read in its paragraph."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from ragstone.core.ids import chunk_id
from ragstone.core.types import Chunk, Document, Hit, Span, join_slices

GAP = re.compile(r"\s*")
Place = tuple[str, int]
"""A document's id and an ordinal."""


WANTED, SHOWN = "window", "shown"


class Chunks(Protocol):
    """The part of `ragstone.core.ports.Reader` that windows need."""

    async def chunks(self, ids: Sequence[str]) -> list[Chunk]: ...

    async def records(self, documents: Sequence[Document]) -> dict[str, str]: ...


async def read_windows(view: Chunks, hits: Sequence[Hit]) -> list[Hit]:
    """The hits, those of a `sentence-window` as their windows; all others as they are, at no cost."""
    wanted = list_neighbours(hits)
    if not wanted:
        return list(hits)
    beside = await view.chunks(list_ids(wanted))
    documents = {document.id: document for document, _ in wanted}
    records = await view.records(list(documents.values()))
    return widen(hits, beside, records)


def list_owners(hits: Iterable[Hit]) -> list[Document]:
    """The documents of hits that are shown with others, each once."""
    wide = [hit.chunk for hit in hits if _range_to_show(hit.chunk) != (hit.chunk.ordinal, hit.chunk.ordinal)]
    return list({chunk.document.id: chunk.document for chunk in wide}.values())


def list_ids(places: Iterable[tuple[Document, int]]) -> list[str]:
    """The ids of the chunks at these places."""
    return [chunk_id(document, ordinal) for document, ordinal in places]


def shown_range(chunk: Chunk) -> tuple[int, int]:
    """The ordinals of the first and the last chunk that this one holds: but for a window, its own."""
    first, last = chunk.metadata.get(SHOWN) or (chunk.ordinal, chunk.ordinal)
    return first, last


def _range_to_show(chunk: Chunk) -> tuple[int, int]:
    """The ordinals of the first and the last chunk to show for this one."""
    first, last = chunk.metadata.get(WANTED) or (chunk.ordinal, chunk.ordinal)
    return first, last


def list_neighbours(hits: Iterable[Hit]) -> list[tuple[Document, int]]:
    """The places beside the hits that their windows hold, each once."""
    chunks = [hit.chunk for hit in hits]
    here = {(chunk.document.id, chunk.ordinal) for chunk in chunks}
    wanted = {
        (chunk.document.id, ordinal): (chunk.document, ordinal)
        for chunk in chunks
        for first, last in [_range_to_show(chunk)]
        for ordinal in range(first, last + 1)
    }
    return [found for place, found in wanted.items() if place not in here]


def widen(hits: Sequence[Hit], beside: Iterable[Chunk], records: Mapping[str, str]) -> list[Hit]:
    """The hits, best first, each as its window: no chunk stands in two of them, and one that a better hit shows is
    dropped. `records` has the text of record by the document's id; a document without one stays as it is.

    A window is a chunk that is called as the one that was found; its text is the record's own at its spans.
    """
    known = {(one.document.id, one.ordinal): one for one in (*beside, *(hit.chunk for hit in hits))}
    taken: set[Place] = set()
    out: list[Hit] = []
    for hit in hits:
        chunk = hit.chunk
        place = (chunk.document.id, chunk.ordinal)
        if place in taken:
            continue
        run = _choose_run(chunk, known, taken) if chunk.document.id in records else [chunk]
        taken |= {(one.document.id, one.ordinal) for one in run}
        out.append(replace(hit, chunk=_merge_chunks(chunk, run, records[chunk.document.id])) if len(run) > 1 else hit)
    return out


def _choose_run(chunk: Chunk, known: Mapping[Place, Chunk], taken: set[Place]) -> list[Chunk]:
    """The chunks of the window that follow each other around the one that was found, and are not shown yet."""
    first, last = _range_to_show(chunk)
    free = {n for n in range(first, last + 1) if (place := (chunk.document.id, n)) in known and place not in taken}
    low = high = chunk.ordinal
    while low - 1 in free:
        low -= 1
    while high + 1 in free:
        high += 1
    return [known[chunk.document.id, n] for n in range(low, high + 1)]


def _merge_chunks(found: Chunk, run: Sequence[Chunk], record: str) -> Chunk:
    spans = tuple(_join_spans((span for one in run for span in one.spans), record))
    secrets = tuple(sorted({secret for one in run for secret in one.secrets}))
    return replace(
        found,
        text=join_slices(record, spans),
        spans=spans,
        tokens=sum(one.tokens for one in run),
        overlap=0,
        header=run[0].header,
        flags=tuple(dict.fromkeys(flag for one in run for flag in one.flags)),
        risk_score=max(one.risk_score for one in run),
        metadata={**found.metadata, WANTED: None, SHOWN: [run[0].ordinal, run[-1].ordinal]},
        secrets=secrets,
    )


def _join_spans(spans: Iterable[Span], record: str) -> Iterator[Span]:
    """Spans between which nothing but white space stands, on one page, are one: what was one paragraph reads as one."""
    last: Span | None = None
    for span in spans:
        if last is not None and _is_adjacent(last, span, record):
            box = last.bbox if last.bbox == span.bbox else None
            last = replace(last, char_end=span.char_end, line_end=span.line_end, bbox=box)
            continue
        if last is not None:
            yield last
        last = span
    if last is not None:
        yield last


def _is_adjacent(one: Span, other: Span, record: str) -> bool:
    same = (one.page, one.sheet, one.rows, one.cols) == (other.page, other.sheet, other.rows, other.cols)
    return same and GAP.fullmatch(record, one.char_end, other.char_start) is not None
