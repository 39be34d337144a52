"""How results look: plain data with `--json`, else text for people; secrets masked, terminal commands gone."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ragstone import guard
from ragstone.answering.formats import (
    answer_json,
    context_xml,
    event_json,
    found_json,
    pack_full,
    pack_llm,
)
from ragstone.cli.masking import escape_line, escape_text
from ragstone.core.answers import Answer, Event, Found
from ragstone.core.errors import UsageError
from ragstone.core.json_shapes import span_json
from ragstone.core.plural import format_count
from ragstone.core.types import Chunk, Json, Piece
from ragstone.guard import mask_secrets
from ragstone.retrieval.explain import Explanation

# `explain` names this filter always: it holds for every search.
ACCESS_FILTER = {
    True: " (this search may read the document)",
    False: " (the document is restricted: add --allow-restricted)",
}
FORMATS = ("text", "json", "xml", "evidence", "evidence-llm")


def format_passages(
    found: Found, *, format_: str, question: str, index: Mapping[str, Any], full: bool = False
) -> str | Json:
    """A search's result in one of the formats: text for `text` and `xml`, plain data for the others; `index` is the
    searched collection, and `full` shows whole passages as text."""
    if format_ == "text":
        from ragstone.answering import plain_text
        from ragstone.retrieval.spelling import respell_question

        question = respell_question(question, found.notes)
        return plain_text.found_text(Found(found.hits), mask=mask_secrets, question=question, full=full)
    if format_ == "xml":
        return context_xml(found.hits, mask=mask_secrets)
    if format_ == "json":
        return {**found_json(found, mask=mask_secrets)}
    if format_ == "evidence":
        return pack_full(found, query=question, index=index, mask=mask_secrets)
    if format_ == "evidence-llm":
        return pack_llm(found, mask=mask_secrets)
    raise UsageError(f"unknown format {format_!r}: expected one of: {', '.join(FORMATS)}")


def answer_data(made: Answer) -> Json:
    """An answer as plain data."""
    return {**answer_json(made, mask=mask_secrets)}


def answer_text(made: Answer, *, question: str, after: str = "") -> str:
    """An answer for people, without its notes (they go to stderr); of one that was shown as it came, what is left."""
    from dataclasses import replace

    from ragstone.answering import plain_text
    from ragstone.retrieval.spelling import respell_question

    shown = after.strip() == made.text.strip()
    rest = replace(made, notes=(), text="" if shown else made.text)
    whole = plain_text.answer_text(rest, mask=mask_secrets, question=respell_question(question, made.notes))
    return ("\n\n" if after and whole else "") + whole.rstrip("\n") + "\n"


def event_data(event: Event) -> Json:
    """An event of an answer as plain data."""
    return {"schema": 1, **event_json(event, mask=mask_secrets)}


def chunk_text(chunk: Chunk) -> str:
    """A chunk for people: where it stands, then its text."""
    chunk = guard.mask_chunk(chunk)
    place = f"{chunk.document.path}:{chunk.spans[0].line_start}-{chunk.spans[-1].line_end}" if chunk.spans else ""
    head = " · ".join(
        part for part in (place, " > ".join(chunk.heading_path), format_count(chunk.tokens, "token")) if part
    )
    return escape_text(f"{escape_line(head)}\n{chunk.text}").rstrip("\n") + "\n"


def piece_data(piece: Piece) -> Json:
    """A piece of a preview."""
    spans = [span_json(span) for span in piece.spans]
    text = mask_secrets(piece.text, piece.spans, piece.secrets)
    data = {**asdict(piece), "text": text, "heading_path": list(piece.heading_path), "spans": spans}
    del data["secrets"], data["table"]
    return data


def pieces_text(pieces: Sequence[Piece]) -> str:
    """A preview for people."""
    out = []
    for piece in pieces:
        heading = " > ".join(piece.heading_path)
        note = f" · {piece.note}" if piece.note else ""
        lines = f"lines {piece.spans[0].line_start}-{piece.spans[-1].line_end}"
        head = f"--- {piece.ordinal} · {lines} · {format_count(piece.tokens, 'token')} · {piece.kind} · {heading}{note}"
        out.append(f"{escape_line(head)}\n{mask_secrets(piece.text, piece.spans, piece.secrets)}\n")
    return escape_text("".join(out))


def explanation_text(explanation: Explanation) -> str:
    """One screen: the stage, then ranks, signals and filters."""
    lines = [escape_line(f"{explanation.path}: {explanation.message}")]
    if explanation.ordinal is not None:
        lines.append(f"  best chunk   {explanation.ordinal}")
    for retriever, rank in explanation.ranks.items():
        lines.append(f"  rank {retriever:<8}{'none' if rank is None else rank}")
    for name, value in explanation.signals.items():
        cut = explanation.cut.get(name)
        beside = f"   (the last one shown: {cut:.4f})" if cut is not None else ""
        lines.append(f"  {name:<13}{value:.4f}{beside}")
    if explanation.score is not None:
        cut = explanation.cut.get("score")
        lines.append(f"  score        {explanation.score:.4f}" + (f"   (the last one shown: {cut:.4f})" if cut else ""))
    for name, passes in explanation.filters.items():
        meaning = ACCESS_FILTER[passes] if name == "confidentiality" else ""
        lines.append(f"  filter {name}: {'passes' if passes else 'excluded'}{meaning}")
    for step in explanation.steps:
        tokens = ", ".join(f"{name} {count}" for name, count in step.usage.items())
        lines.append(f"  model {step.name}: {step.calls} call{'s' * (step.calls != 1)}{f', {tokens}' * bool(tokens)}")
        scores = step.scores or [None] * len(step.texts)
        for text, score in zip(step.texts, scores, strict=True):
            lines.append(
                escape_line(f"    {'' if score is None else f'{score:.2f}  '}{mask_secrets(' '.join(text.split()))}")
            )
    lines += [escape_line(f"  note: {note.message}") for note in explanation.notes]
    return escape_text("\n".join(lines)) + "\n"
