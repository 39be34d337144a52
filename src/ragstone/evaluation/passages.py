"""The first passages of a ranking as a reader compares them: place, best lines with secrets masked, grade."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from ragstone import guard
from ragstone.answering.excerpts import choose_lines, weigh_terms
from ragstone.core.types import Chunk, Json
from ragstone.evaluation.case import Case
from ragstone.evaluation.granularity import Entry, Granularity, find_grade

SHOWN = 5  # passages of a question


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of a ranking; `grade` is what the golden set gives it, 0 where it names others."""

    path: str
    ordinal: int
    heading: str
    text: str
    grade: int


def make_passages(entries: Sequence[Entry], case: Case, granularity: Granularity) -> tuple[Passage, ...]:
    """The first passages of a ranking; those without a chunk have no text."""
    first = entries[:SHOWN]
    texts = [_mask_text(entry.chunk) for entry in first]
    terms = weigh_terms(case.question, texts)
    return tuple(
        Passage(
            entry.path,
            entry.ordinal,
            guard.mask_secrets(" > ".join(entry.chunk.heading_path)) if entry.chunk else "",
            " ".join(choose_lines(text, terms)) if text else "",
            find_grade(entry, case, granularity),
        )
        for entry, text in zip(first, texts, strict=True)
    )


def _mask_text(chunk: Chunk | None) -> str:
    return guard.mask_secrets(chunk.text, chunk.spans, chunk.secrets) if chunk else ""


def passage_json(passage: Passage) -> Json:
    """A passage as plain data."""
    return asdict(passage)


def parse_passage(data: Any) -> Passage:
    """A passage from plain data; raises `ValueError` for anything else."""
    kinds = {field.name: int if field.name in ("ordinal", "grade") else str for field in fields(Passage)}
    if not isinstance(data, dict) or any(not isinstance(data.get(name), kind) for name, kind in kinds.items()):
        raise ValueError(f"expected a passage with {', '.join(kinds)}, not {data!r:.60}")
    return Passage(**{name: data[name] for name in kinds})
