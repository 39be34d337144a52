"""Boosts and penalties that move a hit up or down."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from ragstone.core.analyzer import extract_terms
from ragstone.core.types import Document, Hit, total_order

KEYWORD_LETTERS = 3
KEYWORD_BOOST = 0.1
NOTES = frozenset(("note", "notes", "policy", "policies"))
WORD = re.compile(r"[^\W_]+")


def place_of(hit: Hit) -> tuple[str, str, int]:
    """Path, source, ordinal: what breaks ties."""
    return (hit.chunk.document.path, hit.chunk.document.source, hit.chunk.ordinal)


def order_hits(hits: Sequence[Hit]) -> list[Hit]:
    """Hits in total order: score down, then path, source and ordinal up."""
    return sorted(hits, key=lambda hit: (*total_order(hit.score, place_of(hit)), hit.chunk.id))


def boost_keywords(hits: Sequence[Hit], query: str) -> list[Hit]:
    """Scores × (1 + 0.1 n) for n words of the query that stand in the chunk, then in order again.

    Words are what whitespace separates, of three letters or more, case-blind, found anywhere in the
    text (inside longer words too), each counted once.
    """
    words = dict.fromkeys(word for word in query.casefold().split() if len(word) >= KEYWORD_LETTERS)
    return order_hits([_scale_score(hit, 1 + KEYWORD_BOOST * _count_words(words, hit.chunk.text)) for hit in hits])


def _count_words(words: dict[str, None], text: str) -> int:
    text = text.casefold()
    return sum(word in text for word in words)


def _scale_score(hit: Hit, factor: float) -> Hit:
    return replace(hit, score=round(hit.score * factor, 6))


def penalise_risk(hits: Sequence[Hit], *, share: float) -> list[Hit]:
    """Scores × (1 − share × risk), then in order again; `share` 1 sends a certain attack to the end."""
    return order_hits([_scale_score(hit, 1 - share * min(1.0, max(0.0, hit.chunk.risk_score))) for hit in hits])


def boost_notes(hits: Sequence[Hit], *, share: float) -> list[Hit]:
    """Scores × (1 + share) for notes and policies, then in order again: documents that have such a word as `doc_type`,
    as a tag, or as the name of a folder."""
    return order_hits([_scale_score(hit, 1 + share) if _is_note(hit.chunk.document) else hit for hit in hits])


def _is_note(document: Document) -> bool:
    folders = document.path.casefold().split("/")[:-1]
    labels = [str(one).casefold() for key in ("doc_type", "tags") for one in _list_values(document.meta.get(key))]
    return not NOTES.isdisjoint((*folders, *labels))


def _list_values(value: object) -> Sequence[object]:
    return value if isinstance(value, list | tuple) else () if value is None else (value,)


def add_signal(hits: Sequence[Hit], name: str, rate: Callable[[Hit], float], *, weight: float) -> list[Hit]:
    """Scores + weight × what `rate` gives, kept as the signal `name`, then in order again."""
    rated = [(hit, round(rate(hit), 6)) for hit in hits]
    return order_hits(
        [
            replace(hit, score=round(hit.score + weight * rate, 6), signals={**hit.signals, name: rate})
            for hit, rate in rated
        ]
    )


def rate_freshness(document: Document, *, now: datetime, half_life: timedelta) -> float:
    """½^(age / half-life).

    The age counts from `effective_at`, or from the `date` of the document's metadata; a document without either, or
    with a date that cannot be read, is not fresh at all, one from the future wholly.
    """
    since = parse_moment(document.effective_at or document.meta.get("date"))
    return 0.0 if since is None else float(0.5 ** max(0.0, (now - since) / half_life))


def rate_metadata(document: Document, terms: frozenset[str]) -> float:
    """The share of these terms in the document's title, path and labels."""
    labels = [one for key in ("tags", "project", "doc_type") for one in _list_values(document.meta.get(key))]
    text = " ".join(map(str, (document.title or "", *WORD.findall(document.path), *labels)))
    return len(terms.intersection(extract_terms(text))) / len(terms) if terms else 0.0


def parse_moment(value: object) -> datetime | None:
    """A date in ISO 8601 as a moment, in UTC where it names no zone; None for other values.

    >>> parse_moment("2024-03-04"), parse_moment("March 4, 2024")
    (datetime.datetime(2024, 3, 4, 0, 0, tzinfo=datetime.timezone.utc), None)
    """
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
