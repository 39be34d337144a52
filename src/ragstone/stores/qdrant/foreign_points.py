"""Points of another program as documents and chunks: what their payload says, and nothing that it does not say.

Their texts of record are not kept there. The passages of a document, joined in their order, stand in for one; where the
payload says on which line a passage begins, empty lines before it keep that number right.
"""

import hashlib
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from qdrant_client import models

from ragstone.core.chunk_enrichment import searchable_text
from ragstone.core.newlines import unify_newlines
from ragstone.core.types import Chunk, Document, Span
from ragstone.stores.qdrant.points import FILTER_FIELDS, read_payload_text
from ragstone.stores.qdrant.scheme import Scheme
from ragstone.stores.word_counts import WordCounter, WordCounts

RECIPE = "foreign-points"
NAMESPACE = uuid.UUID("c1b8d6a2-41d0-5a7e-8d5e-7b7f1d2f9c33")
MAX_GAP = 100_000  # empty lines before one passage
PAYLOAD_FIELDS = (
    "text",
    "title",
    "source",
    "section",
    "chunk_index",
    "header",
    "file_path",
    "line_start",
    "source_sha",
    *FILTER_FIELDS,
)


@dataclass(frozen=True, slots=True)
class ForeignContent:
    """All that another program wrote: its documents by path, their passages by id, the passages' words.

    `records` has the joined passages by the document's id; `fingerprint` changes with any text or place.
    """

    documents: Sequence[Document] = ()
    chunks: Mapping[str, Chunk] = field(default_factory=dict)
    records: Mapping[str, str] = field(default_factory=dict)
    words: WordCounts = field(default_factory=lambda: WordCounter().finish_counts())
    fingerprint: int = 0
    unusable: int = 0
    places: Mapping[tuple[str, int], Chunk] = field(init=False)

    def __post_init__(self) -> None:
        places = {(one.document.path, one.ordinal): one for one in self.chunks.values()}
        object.__setattr__(self, "places", places)

    def chunk_at(self, path: str, ordinal: int) -> Chunk | None:
        """The passage at a place."""
        return self.places.get((path, ordinal))


def read_content(name: str, scheme: Scheme, records: Iterable[models.Record]) -> ForeignContent:
    """The points of a collection in Qdrant; those without a path or a text are only counted."""
    grouped: dict[str, list[models.Record]] = {}
    unusable = 0
    for record in records:
        path = read_payload_text(record, scheme.path_field)
        if path and read_payload_text(record, "text").strip():
            grouped.setdefault(path, []).append(record)
        else:
            unusable += 1
    documents, chunks, texts = [], dict[str, Chunk](), dict[str, str]()
    counter, digest = WordCounter(most=2**62), hashlib.sha256()
    for path in sorted(grouped):
        document, record_text, made = _read_document(name, scheme, path, grouped[path])
        documents.append(document)
        texts[document.id] = record_text
        chunks |= {chunk.id: chunk for chunk in made}
        counter.add_rows((chunk.id, searchable_text(chunk)) for chunk in made)
        digest.update(repr([(chunk.id, chunk.heading_path, chunk.text) for chunk in made]).encode())
    fingerprint = int.from_bytes(digest.digest()[:6], "big")
    return ForeignContent(documents, chunks, texts, counter.finish_counts(), fingerprint, unusable)


def _read_document(
    name: str, scheme: Scheme, path: str, points: Sequence[models.Record]
) -> tuple[Document, str, list[Chunk]]:
    ordered = _order_points(points)
    record, spans = _join_passages([(read_payload_text(point, "text"), _line(point)) for _, point in ordered])
    data, first = record.encode("utf-8", "replace"), ordered[0][1]
    version = read_payload_text(first, "source_sha") or hashlib.sha256(data).hexdigest()
    payload: Mapping[str, Any] = first.payload or {}
    document = Document(
        str(uuid.uuid5(NAMESPACE, f"{name}\n{path}")),
        name,
        path,
        1,
        version,
        RECIPE,
        title=read_payload_text(first, "title") or None,
        bytes=len(data),
        meta={key: payload[key] for key in FILTER_FIELDS if payload.get(key)},
    )
    heading = "section" if scheme.ids == "md5" else "header"
    chunks = [
        Chunk(
            str(point.id),
            document,
            ordinal,
            read_payload_text(point, "text"),
            (span,),
            heading_path=(title,) if (title := read_payload_text(point, heading)) else (),
        )
        for (ordinal, point), span in zip(ordered, spans, strict=True)
    ]
    return document, record, chunks


def _order_points(points: Sequence[models.Record]) -> list[tuple[int, models.Record]]:
    """The points of a document in their order, each with its number; one that repeats another's place and text is left
    out, and where two have one number all are counted anew."""
    named = sorted((_index(point), _line(point) or 0, str(point.id), point) for point in points)  # ids differ
    distinct = {(index, line, read_payload_text(point, "text")): point for index, line, _, point in reversed(named)}
    kept = sorted((index, line, str(point.id), point) for (index, line, _), point in distinct.items())
    counts = Counter(index for index, *_ in kept)
    plain = max(counts.values()) == 1 and min(counts) >= 0
    return [(index if plain else number, point) for number, (index, _, _, point) in enumerate(kept)]


def _index(point: models.Record) -> int:
    value = (point.payload or {}).get("chunk_index")
    return int(value) if isinstance(value, int | float) and abs(value) < 2**31 else -1


def _line(point: models.Record) -> int | None:
    value = (point.payload or {}).get("line_start")
    return int(value) if isinstance(value, int | float) and 0 < value < 2**31 else None


def _join_passages(passages: Sequence[tuple[str, int | None]]) -> tuple[str, list[Span]]:
    """The passages as one text, and the place of each in it."""
    parts: list[str] = []
    spans: list[Span] = []
    at, line = 0, 1
    for text, wanted in passages:
        gap = "\n" if parts else ""
        gap += "\n" * min(max(0, (wanted or 0) - line - len(gap)), MAX_GAP)
        at, line = at + len(gap), line + len(gap)
        last = line + unify_newlines(text).count("\n")
        first = wanted or line  # passages that overlap: the line is the payload's all the same
        spans.append(Span(at, at + len(text), first, first + last - line))
        parts += [gap, text]
        at, line = at + len(text), last
    return "".join(parts), spans
