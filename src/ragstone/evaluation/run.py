"""Ask every question of a golden set and measure what came back."""

import math
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ragstone.core.errors import UsageError
from ragstone.core.plural import format_count
from ragstone.evaluation.case import Case
from ragstone.evaluation.granularity import Granularity, Ranking, has_judgements, score_ranking
from ragstone.evaluation.interval import LEVEL, RESAMPLES, SEED, bootstrap_interval
from ragstone.evaluation.judge import JudgeSummary
from ragstone.evaluation.metrics import DEFAULT_METRICS, Metric, parse_metric
from ragstone.evaluation.passages import Passage, make_passages
from ragstone.evaluation.refusal import ANSWER_MEASURES, AUROC, auroc, auroc_interval, score_case
from ragstone.evaluation.stage_effects import StageEffect

SearchFunction = Callable[[Case], Awaitable[Ranking]]
FEW_QUESTIONS = 50  # below this an interval is too wide to decide by
TOP_PLACES = 10  # how many places a row keeps for readers


@dataclass(frozen=True, slots=True)
class Row:
    """One question: its scores by metric (none when nothing says what is relevant), what came first, what should."""

    id: str
    question: str
    answerable: bool
    kind: str = ""
    scores: Mapping[str, float] = field(default_factory=dict)
    abstained: bool | None = None
    answerability: float | None = None
    top: tuple[str, ...] = ()
    passages: tuple[Passage, ...] = ()
    expected: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Abstention:
    """How well answers were withheld: precision and recall of abstaining, 0 where nothing was to count; `rate` is the
    share of all questions, which is neither good nor bad by itself.
    """

    abstained: int
    rightly: int
    unanswerable: int
    precision: float
    recall: float
    rate: float


@dataclass(frozen=True, slots=True)
class Report:
    """The results of an evaluation. Intervals are 95 %; timings are seconds, p50 and p95 a stage.

    `counts`: questions, judged (scored for ranking), answerable, unanswerable. `kinds` has the same means for each kind
    of question, with `questions` and, where answers could be withheld, `abstained`. `settings` say what the figures
    depend on; measures without a rank (MRR, MAP) look at `depth` places. `usage` are the tokens that the answers took,
    `judge` who judged them, `ablation` what each stage of the search brings to the ranking,
    `answer_ablation` what each stage brings to the answers.
    """

    metrics: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    rows: tuple[Row, ...]
    counts: Mapping[str, int]
    abstention: Abstention | None = None
    kinds: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    timings: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    usage: Mapping[str, int] = field(default_factory=dict)
    judge: JudgeSummary | None = None
    ablation: tuple[StageEffect, ...] = ()
    answer_ablation: tuple[StageEffect, ...] = ()
    warnings: tuple[str, ...] = ()


async def evaluate(
    search: SearchFunction,
    cases: Sequence[Case],
    *,
    metrics: Iterable[str] = DEFAULT_METRICS,
    granularity: Granularity = "file",
    depth: int | None = None,
    settings: Mapping[str, Any] | None = None,
    warnings: Sequence[str] = (),
    passages: bool = True,
) -> Report:
    """Search once for each case, one after the other, and report.

    Ranking metrics are means over the answerable cases that say what is relevant; unanswerable ones count for
    abstention alone. `depth` is how many places a ranking has at most: a measure without a rank is taken over those,
    one that looks further is left out with a warning. `warnings` come first in the report. Without `passages` the rows
    keep paths alone. Raises `UsageError` without
    cases, for an unknown metric, and, with the id of the case, for a question that cannot be asked; what else `search`
    raises passes through.
    """
    if not cases:
        raise UsageError("there is no question to evaluate")
    asked = [parse_metric(name) for name in metrics]
    wanted = [one for one in asked if depth is None or (one.k or 0) <= depth]
    heard = _Results()
    for case in cases:
        ranking = await _search_case(search, case)
        scored = case.answerable and has_judgements(case, granularity)
        row = _make_row(case, ranking, score_ranking(ranking, case, wanted, granularity) if scored else {})
        shown = make_passages(ranking.entries, case, granularity) if passages else ()
        heard.take(replace(row, passages=shown), ranking)
    told = [*warnings, *heard.summarize_notes()]
    if left := [one.name for one in asked if one not in wanted]:
        told.append(f"{', '.join(left)} left out: only {depth} results a question were fetched")
    return _make_report(heard, {**_measure_settings(granularity, wanted, depth), **(settings or {})}, told)


@dataclass(slots=True)
class _Results:
    """What came of the questions that were asked."""

    rows: list[Row] = field(default_factory=list)
    timings: dict[str, list[float]] = field(default_factory=dict)
    notes: Counter[str] = field(default_factory=Counter)
    usage: Counter[str] = field(default_factory=Counter)

    def take(self, row: Row, ranking: Ranking) -> None:
        """One more question."""
        self.rows.append(row)
        self.notes.update(dict.fromkeys(ranking.notes, 1))
        self.usage.update(ranking.answer.usage if ranking.answer else {})
        for stage, seconds in ranking.timings.items():
            self.timings.setdefault(stage, []).append(seconds)

    def summarize_notes(self) -> list[str]:
        """The notes of the searches, with their counts."""
        asked = format_count(len(self.rows), "question")
        return [f"{note} ({count} of {asked})" for note, count in self.notes.items()]


async def _search_case(search: SearchFunction, case: Case) -> Ranking:
    try:
        return await search(case)
    except UsageError as error:
        raise UsageError(f"question {case.id!r}: {error}") from error


def _measure_settings(granularity: Granularity, metrics: Sequence[Metric], depth: int | None) -> dict[str, Any]:
    names = [one.name for one in metrics]
    about = {"resamples": RESAMPLES, "seed": SEED, "level": LEVEL}
    return {"granularity": granularity, "metrics": names, "depth": depth, **about}


def _make_row(case: Case, ranking: Ranking, ranked: dict[str, float]) -> Row:
    top = tuple(dict.fromkeys(entry.path for entry in ranking.entries))[:TOP_PLACES]
    wanted = {path: grade for path, grade in case.relevance.items() if grade > 0}
    row = Row(case.id, case.question, case.answerable, case.kind, ranked, top=top, expected=wanted)
    made = ranking.answer
    if made is None:
        return row
    both = {**ranked, **score_case(case, made)}
    return replace(row, scores=both, abstained=made.abstained, answerability=made.answerability)


def _make_report(heard: _Results, settings: Mapping[str, Any], warnings: Sequence[str]) -> Report:
    rows, values, counts = heard.rows, _group_scores(heard.rows), _count_rows(heard.rows)
    metrics, intervals = _mean_scores(values), {name: bootstrap_interval(column) for name, column in values.items()}
    good, bad = _select_answerabilities(rows, answerable=True), _select_answerabilities(rows, answerable=False)
    if good and bad:
        metrics[AUROC], intervals[AUROC] = auroc(good, bad), auroc_interval(good, bad)
    return Report(
        metrics=metrics,
        intervals=intervals,
        rows=tuple(rows),
        counts=counts,
        abstention=_measure_abstention(rows),
        kinds={
            kind: _summarize_kind([row for row in rows if row.kind == kind]) for kind in sorted({r.kind for r in rows})
        },
        timings={stage: {"p50": _quantile(s, 0.5), "p95": _quantile(s, 0.95)} for stage, s in heard.timings.items()},
        settings=settings,
        usage=dict(heard.usage),
        warnings=(*warnings, *_collect_warnings(counts, ranked=bool(settings["metrics"]))),
    )


def _count_rows(rows: Sequence[Row]) -> dict[str, int]:
    return {
        "questions": len(rows),
        "judged": sum(bool(row.scores.keys() - ANSWER_MEASURES) for row in rows),
        "answerable": sum(row.answerable for row in rows),
        "unanswerable": sum(not row.answerable for row in rows),
    }


def _select_answerabilities(rows: Iterable[Row], *, answerable: bool) -> list[float]:
    return [row.answerability for row in rows if row.answerable is answerable and row.answerability is not None]


def _group_scores(rows: Iterable[Row]) -> dict[str, list[float]]:
    columns: dict[str, list[float]] = {}
    for row in rows:
        for name, value in row.scores.items():
            columns.setdefault(name, []).append(value)
    # The metrics that were asked for stand first, whichever question came first.
    return dict(
        sorted(columns.items(), key=lambda item: ANSWER_MEASURES.index(item[0]) if item[0] in ANSWER_MEASURES else -1)
    )


def _mean_scores(columns: Mapping[str, Sequence[float]]) -> dict[str, float]:
    return {name: sum(column) / len(column) for name, column in columns.items()}


def _summarize_kind(rows: Sequence[Row]) -> dict[str, float]:
    asked = [row for row in rows if row.abstained is not None]
    withheld = {"abstained": float(sum(row.abstained is True for row in asked))} if asked else {}
    return {"questions": float(len(rows)), **withheld, **_mean_scores(_group_scores(rows))}


def _measure_abstention(rows: Sequence[Row]) -> Abstention | None:
    asked = [row for row in rows if row.abstained is not None]
    if not asked:
        return None
    abstained = sum(row.abstained is True for row in asked)
    rightly = sum(row.abstained is True and not row.answerable for row in asked)
    unanswerable = sum(not row.answerable for row in asked)
    return Abstention(
        abstained,
        rightly,
        unanswerable,
        _divide(rightly, abstained),
        _divide(rightly, unanswerable),
        abstained / len(asked),
    )


def _divide(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _quantile(values: Sequence[float], q: float) -> float:
    """The smallest value that at least a share `q` of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(q * len(ordered)) - 1)]


def _collect_warnings(counts: Mapping[str, int], *, ranked: bool) -> list[str]:
    out = []
    if counts["questions"] < FEW_QUESTIONS:
        asked = format_count(counts["questions"], "question is", "questions are")
        out.append(f"{asked} few: below {FEW_QUESTIONS} the figures only point a direction")
    if not ranked:
        return out
    if not counts["judged"]:
        out.append("no answerable question says what is relevant at this granularity: nothing was scored for ranking")
    elif counts["judged"] < counts["answerable"]:
        left = counts["answerable"] - counts["judged"]
        out.append(f"{left} answerable questions do not say what is relevant at this granularity and were not scored")
    return out
