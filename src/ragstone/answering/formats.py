"""Hits and answers for programs and models: JSON, XML, compact packs. For people: `plain_text`.

Every text passes the `mask` that is given; nothing here looks at what it removes.
"""

import re
from collections.abc import Mapping, Sequence
from html import escape  # xml.sax.saxutils has the same for XML, and takes 30 ms to import
from typing import Any

from ragstone.answering.shapes import (
    AnswerJson,
    CitationJson,
    ClosestJson,
    DocumentJson,
    FoundJson,
    HitJson,
    LocationJson,
    NoteJson,
    SentenceJson,
    StepJson,
    StepsJson,
)
from ragstone.answering.verification.citations import Mask
from ragstone.core.answers import Answer, Citation, Event, Found, Note, Sentence, Step
from ragstone.core.json_shapes import span_json
from ragstone.core.late_pattern import compile_late
from ragstone.core.line_runs import group_spans
from ragstone.core.types import Chunk, Document, Hit, Json

SCHEMA = 1
# What XML 1.0 cannot hold, not even as a reference.
NO_XML = compile_late("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
SNIPPET = 400
DOCUMENT_FACTS = ("date", "project", "tags", "confidentiality", "doc_type")  # of front matter, in the full pack


def document_json(document: Document) -> DocumentJson:
    """A document as it is named in hits and citations."""
    return {
        "id": document.id,
        "version": document.version,
        "version_label": document.version_label,
        "source": document.source,
        "path": document.path,
        "title": document.title,
    }


def citation_json(citation: Citation, *, mask: Mask) -> CitationJson:
    """A citation; masking twice changes nothing."""
    quote = mask(citation.quote)
    return {
        "n": citation.n,
        "chunk": citation.chunk,
        "document": document_json(citation.document),
        "quote": quote,
        "masked": citation.masked or quote != citation.quote,
        "status": citation.status,
        "spans": [span_json(span) for span in citation.spans],
    }


def sentence_json(sentence: Sentence, *, mask: Mask) -> SentenceJson:
    """A sentence of an answer."""
    return {"text": mask(sentence.text), "citations": list(sentence.citations), "status": sentence.status}


def note_json(note: Note) -> NoteJson:
    """A note."""
    return {"code": note.code, "message": note.message}


def answer_json(answer: Answer, *, mask: Mask) -> AnswerJson:
    """An answer or an abstention."""
    return {
        "schema": SCHEMA,
        "answer": mask(answer.text),
        "abstained": answer.abstained,
        "reason": answer.reason,
        "answerability": answer.answerability,
        "sentences": [sentence_json(sentence, mask=mask) for sentence in answer.sentences],
        "citations": [citation_json(citation, mask=mask) for citation in answer.citations],
        "groundedness": answer.groundedness,
        "notes": [note_json(note) for note in answer.notes],
        "usage": dict(answer.usage),
        "timings": dict(answer.timings),
        "mode": answer.mode,
        "closest": [closest_json(hit, mask=mask) for hit in answer.closest],
        **steps_json(answer.steps, mask=mask),
    }


def closest_json(hit: Hit, *, mask: Mask) -> ClosestJson:
    """A passage that is shown beside a refusal."""
    return {
        "document": document_json(hit.chunk.document),
        "text": _text(hit.chunk, mask),
        "spans": [span_json(span) for span in hit.chunk.spans],
        "signals": dict(hit.signals),
    }


def hit_json(hit: Hit, *, mask: Mask) -> HitJson:
    """A found chunk."""
    chunk = hit.chunk
    return {
        "id": chunk.id,
        "document": document_json(chunk.document),
        "ordinal": chunk.ordinal,
        "heading_path": [mask(heading) for heading in chunk.heading_path],
        "text": _text(chunk, mask),
        "score": hit.score,
        "signals": dict(hit.signals),
        "spans": [span_json(span) for span in chunk.spans],
        "flags": list(chunk.flags),
        "risk_score": chunk.risk_score,
        "duplicates": [{"source": source, "path": path, "ordinal": n} for source, path, n in hit.duplicates],
        **_location_json(chunk, mask),
    }


def _location_json(chunk: Chunk, mask: Mask) -> LocationJson:
    """Where a chunk with known bytes stands, and its text with white space collapsed, which is nowhere stored."""
    if "start_byte" not in chunk.metadata:
        return {}
    path = [mask(heading) for heading in chunk.heading_path]
    place = {"heading_path": path, **{name: chunk.metadata[name] for name in ("start_byte", "end_byte")}}
    return {"chunk_loc": place, "normalized_text": " ".join(_text(chunk, mask).split())}


def _text(chunk: Chunk, mask: Mask) -> str:
    return mask(chunk.text, chunk.spans, chunk.secrets)


def found_json(found: Found, *, mask: Mask) -> FoundJson:
    """The results of a search as plain data."""
    return {
        "schema": SCHEMA,
        "hits": [hit_json(hit, mask=mask) for hit in found.hits],
        "notes": [note_json(note) for note in found.notes],
        "timings": dict(found.timings),
        **steps_json(found.steps, mask=mask),
    }


def steps_json(steps: Sequence[Step], *, mask: Mask) -> StepsJson:
    """The calls of a language model during a search, under `steps`; nothing where none was asked."""
    told: list[StepJson] = [
        {
            "name": step.name,
            "calls": step.calls,
            "texts": [mask(text) for text in step.texts],
            "scores": list(step.scores),
            "usage": dict(step.usage),
        }
        for step in steps
    ]
    return {"steps": told} if told else {}


def event_json(event: Event, *, mask: Mask) -> Json:
    """An event of an answer, ready to be framed: its name under `event`, then what it tells.

    `search_results` has `hits`; `message` its `text`, the numbers of its `citations`, and whether it is a piece of the
    text (`delta`) or a sentence; `citation` its number `n`, the id of the `chunk` and its `document`; `final_answer`
    is all of `answer_json`.
    """
    data = event.data
    if event.name == "final_answer":
        return {"event": event.name, **answer_json(data["answer"], mask=mask)}
    if event.name == "search_results":
        return {"event": event.name, "hits": [hit_json(hit, mask=mask) for hit in data["hits"]]}
    if event.name == "citation":
        chunk = data["chunk"]
        return {"event": event.name, "n": data["n"], "chunk": chunk.id, "document": document_json(chunk.document)}
    return {"event": event.name, **data, "citations": list(data["citations"])}


def pack_full(found: Found, *, query: str, index: Mapping[str, Any], mask: Mask) -> Json:
    """EvidencePackFull: every hit with its metadata and score taken apart, and the state of the index, for audits."""
    items = []
    for rank, hit in enumerate(found.hits, 1):
        breakdown = {**hit.signals, "risk": hit.chunk.risk_score, "final": hit.score}
        told = {**hit_json(hit, mask=mask), "metadata": _metadata_json(hit.chunk, mask)}
        items.append({"rank": rank, **told, "score_breakdown": breakdown})
    return {
        "schema": SCHEMA,
        "query": mask(query),
        "index": dict(index),
        "items": items,
        "notes": [note_json(note) for note in found.notes],
        "timings": dict(found.timings),
    }


def _metadata_json(chunk: Chunk, mask: Mask) -> Json:
    """What the document says of itself, and the diagnostics of the chunk; None for what is not known."""
    document, own = chunk.document, chunk.metadata
    named = {name: document.meta.get(name) for name in DOCUMENT_FACTS}
    found = {
        "title": document.title,
        **named,
        "category": document.meta.get("category"),
        "media_type": document.media_type,
        "chunk_type": chunk.kind,
        "token_count": chunk.tokens,
        "snippet": own.get("snippet"),
        "paragraph_id": own.get("paragraph_id"),
        "document_version": document.version,
    }
    return {name: _mask_value(value, mask) for name, value in found.items()}


def _mask_value(value: object, mask: Mask) -> object:
    """The value with the texts in it masked; what is no plain value, such as a date, as text."""
    if isinstance(value, list | tuple):
        return [_mask_value(each, mask) for each in value]
    return value if value is None or isinstance(value, bool | int | float) else mask(str(value))


def pack_llm(found: Found, *, mask: Mask, characters: int = SNIPPET) -> Json:
    """EvidencePackLLM: `{"sources": {"S1": path}, "items": [{"ref": "S1#3", "snippet", "score", "notes"}]}`.

    Few tokens: each path once, snippets of a fixed number of characters, white space collapsed after masking.
    """
    aliases: dict[tuple[str, str], str] = {}
    items: list[Json] = []
    for hit in found.hits:
        document = hit.chunk.document
        alias = aliases.setdefault((document.source, document.path), f"S{len(aliases) + 1}")
        notes = [*hit.chunk.flags, *([f"{len(hit.duplicates)} near-duplicates"] if hit.duplicates else [])]
        snippet = _shorten(_text(hit.chunk, mask), characters)
        items.append({"ref": f"{alias}#{hit.chunk.ordinal}", "snippet": snippet, "score": hit.score, "notes": notes})
    return {"schema": SCHEMA, "sources": {alias: path for (_, path), alias in aliases.items()}, "items": items}


def _shorten(text: str, characters: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= characters else text[:characters].rsplit(" ", 1)[0] + " …"


def context_xml(hits: Sequence[Hit], *, mask: Mask) -> str:
    """`<retrieved_context>` with one `<document>` a hit; it parses for any document."""
    body = "".join(_document_xml(n, hit, mask) for n, hit in enumerate(hits, 1))
    return f"<retrieved_context>\n{body}</retrieved_context>"


def _document_xml(n: int, hit: Hit, mask: Mask) -> str:
    chunk = hit.chunk
    attributes = {
        "index": str(n),
        "source": chunk.document.source,
        "path": chunk.document.path,
        "title": chunk.document.title or "",
        "section": " > ".join(chunk.heading_path),
        "lines": _lines(chunk),
        "score": f"{hit.score:.6f}",
    }
    named = "".join(f" {name}={_quote_attribute(mask(value))}" for name, value in attributes.items() if value)
    return f"<document{named}>\n{escape(_xml(_text(chunk, mask)), quote=False)}\n</document>\n"


def _quote_attribute(value: str) -> str:
    """An attribute's value: a reader of XML would turn bare line ends into blanks."""
    return '"' + re.sub(r"[\t\n\r]", lambda end: f"&#{ord(end[0])};", escape(_xml(value))) + '"'


def _xml(text: str) -> str:
    return NO_XML.sub("", text)


def _lines(chunk: Chunk) -> str:
    return ",".join(f"{run[0].line_start}-{run[-1].line_end}" for run in group_spans(chunk.spans))
