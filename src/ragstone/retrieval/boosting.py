"""Boosts and penalties that move a hit up or down."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from ragstone.core.types import Hit, total_order

KEYWORD_LETTERS = 3
KEYWORD_BOOST = 0.1


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


def add_freshness(hits: Sequence[Hit], *, weight: float, now: datetime, half_life: timedelta) -> list[Hit]:
    """Scores + weight × ½^(age / half-life), then in order again.

    The age counts from `effective_at`, or from the `date` of the document's metadata; a document
    without either, or with a date that cannot be read, gains nothing, one from the future all.
    """
    return order_hits([_add_freshness(hit, weight, now, half_life) for hit in hits])


def _add_freshness(hit: Hit, weight: float, now: datetime, half_life: timedelta) -> Hit:
    document = hit.chunk.document
    since = _parse_moment(document.effective_at or document.meta.get("date"))
    if since is None:
        return hit
    age = max(0.0, (now - since) / half_life)
    return replace(hit, score=round(hit.score + weight * 0.5**age, 6))


def _parse_moment(value: object) -> datetime | None:
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
