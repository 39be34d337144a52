"""The units that a ranking is scored on: files, chunks, gold spans, or bare ids."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ragstone.core.types import Chunk
from ragstone.evaluation.case import Case, GoldSpan
from ragstone.evaluation.metrics import Metric
from ragstone.evaluation.scored_answer import ScoredAnswer

Granularity = Literal["file", "chunk", "span", "id"]
CharRange = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Entry:
    """One place in a ranking: a chunk's path and ordinal, its (start, end) characters, its score, itself if known."""

    path: str
    ordinal: int = 0
    spans: tuple[CharRange, ...] = ()
    score: float = 0.0
    chunk: Chunk | None = None


@dataclass(frozen=True, slots=True)
class Ranking:
    """The result of a search for one question: entries best first, seconds a stage, the answer.

    `answer` is None where the search gives none that could be withheld; `notes` say what the search had to leave out.
    """

    entries: tuple[Entry, ...]
    timings: Mapping[str, float] = field(default_factory=dict)
    answer: ScoredAnswer | None = None
    notes: tuple[str, ...] = ()


def same_file(path: str, gold: str) -> bool:
    """Whether a golden path names this file: the same, or its end from a folder on.

    >>> same_file("book/math/x.md", "math/x.md"), same_file("aftermath/x.md", "math/x.md")
    (True, False)
    """
    return path == gold or path.endswith(f"/{gold}")


def has_judgements(case: Case, granularity: Granularity) -> bool:
    """Whether the case says what a good ranking of this granularity is."""
    if granularity == "span":
        return bool(case.spans)
    return any(grade > 0 for grade in _select_grades(case, granularity).values())


def find_grade(entry: Entry, case: Case, granularity: Granularity) -> int:
    """The grade that the case gives a place; 0 where it names others."""
    if granularity == "span":
        return int(any(_count_overlap(entry, gold) for gold in case.spans))
    grades = _select_grades(case, granularity)
    if granularity == "chunk":
        return grades.get(_match_chunk(entry, case), 0)
    return grades.get(entry.path if granularity == "id" else match_file(entry.path, case.relevance), 0)


def score_ranking(
    ranking: Ranking, case: Case, metrics: Iterable[Metric], granularity: Granularity
) -> dict[str, float]:
    """Each metric's value for one question, by name.

    With spans, an entry stands for the gold span that it covers best among those that no entry
    before it stood for, and recall is the share of gold characters that the first k entries cover.
    """
    grades = _select_grades(case, granularity)
    ranked = _rank_golds(ranking.entries, case, granularity)
    values = {one.name: one(ranked, grades) for one in metrics}
    if granularity == "span":
        for one in metrics:
            if one.measure == "Recall":
                values[one.name] = measure_coverage(ranking.entries[: one.k], case.spans)
    return values


def _select_grades(case: Case, granularity: Granularity) -> Mapping[Any, int]:
    if granularity == "chunk":
        return case.chunks
    return dict.fromkeys(case.spans, 1) if granularity == "span" else case.relevance


def _rank_golds(entries: Sequence[Entry], case: Case, granularity: Granularity) -> list[Hashable]:
    if granularity == "id":
        return [entry.path for entry in entries]
    if granularity == "span":
        return _match_spans(entries, case.spans)
    if granularity == "chunk":
        return [_match_chunk(entry, case) for entry in entries]
    neutral = [entry for entry in entries if any(same_file(entry.path, gold) for gold in case.acceptable)]
    return [match_file(entry.path, case.relevance) for entry in entries if entry not in neutral]


def match_file(path: str, golds: Iterable[str]) -> str:
    """The golden path that names this file, the longest where several do, else the path itself."""
    return max((gold for gold in golds if same_file(path, gold)), key=len, default=path)


def _match_chunk(entry: Entry, case: Case) -> tuple[str, int]:
    golds = (path for path, ordinal in case.chunks if ordinal == entry.ordinal)
    return (match_file(entry.path, golds), entry.ordinal)


def _match_spans(entries: Sequence[Entry], golds: Sequence[GoldSpan]) -> list[Hashable]:
    """For each entry the gold span that it stands for, or itself; what repeats a span met before is left out."""
    met: list[Hashable] = []
    for place, entry in enumerate(entries):
        touched = [gold for gold in golds if _count_overlap(entry, gold)]
        fresh = [gold for gold in touched if gold not in met]
        if fresh:
            met.append(max(fresh, key=lambda gold: (_count_overlap(entry, gold), -gold.char_start)))
        elif not touched:
            met.append((place, entry.path))
    return met


def _intersect_spans(entry: Entry, gold: GoldSpan) -> list[CharRange]:
    if not same_file(entry.path, gold.path):
        return []
    cut = ((max(start, gold.char_start), min(end, gold.char_end)) for start, end in entry.spans)
    return [(start, end) for start, end in cut if start < end]


def _count_overlap(entry: Entry, gold: GoldSpan) -> int:
    return _count_covered(_intersect_spans(entry, gold))


def measure_coverage(entries: Sequence[Entry], golds: Sequence[GoldSpan]) -> float:
    """The share of gold characters that the entries cover, each character once."""
    total = sum(gold.char_end - gold.char_start for gold in golds)
    found = sum(_count_covered([part for entry in entries for part in _intersect_spans(entry, gold)]) for gold in golds)
    return found / total if total else 0.0


def _count_covered(stretches: Iterable[CharRange]) -> int:
    """How many characters some stretches cover together."""
    total, reached = 0, 0
    for start, end in sorted(stretches):
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total
