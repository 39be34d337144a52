"""Each optional stage of a search with and without: what it brings, what it costs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median

from ragstone.config.search_stages import SearchStage
from ragstone.core.types import Json
from ragstone.evaluation.case import Case
from ragstone.evaluation.granularity import Granularity, Ranking
from ragstone.evaluation.interval import compare_pairs
from ragstone.evaluation.run import Report, SearchFunction, evaluate
from ragstone.evaluation.stage_effects import StageEffect, StageGain

SearchMaker = Callable[[Json], SearchFunction]  # a search with these options over the usual ones


@dataclass(slots=True)
class _Searches:
    """The search with every stage, and one without each. All of them search a question before the next one comes, in
    turns, so that each meets the same machine and the same warm caches."""

    searches: Sequence[SearchFunction]
    rankings: list[list[Ranking]] = field(default_factory=list)

    async def search_all(self, case: Case) -> None:
        """Search one question in every way; each search goes first equally often."""
        count, first = len(self.searches), len(self.rankings) % len(self.searches)
        found = {}
        for place in range(count):
            which = (first + place) % count
            found[which] = await self.searches[which](case)
        self.rankings.append([found[which] for which in range(count)])


async def measure_stages(
    make: SearchMaker,
    stages: Sequence[SearchStage],
    cases: Sequence[Case],
    *,
    metrics: Sequence[str],
    granularity: Granularity,
    depth: int | None,
) -> tuple[StageEffect, ...]:
    """The effect of each stage, largest gain in the first measure first. Errors are those of `evaluate`."""
    if not stages:
        return ()
    searches = _Searches([make({}), *(make(dict(stage.without)) for stage in stages)])
    await searches.searches[0](cases[0])  # what is loaded at the first search is no stage's
    for case in cases:
        await searches.search_all(case)

    async def report(which: int) -> Report:
        place = iter(searches.rankings)

        async def recall(_: Case) -> Ranking:
            return next(place)[which]

        return await evaluate(recall, cases, metrics=metrics, granularity=granularity, depth=depth, passages=False)

    whole = await report(0)
    effects = [
        _compare_stage(stage, whole, await report(which), [(one[0], one[which]) for one in searches.rankings])
        for which, stage in enumerate(stages, 1)
    ]
    return tuple(sorted(effects, key=lambda effect: -effect.gains[0].gain.mean if effect.gains else 0.0))


def _compare_stage(
    stage: SearchStage, whole: Report, without: Report, rankings: Sequence[tuple[Ranking, Ranking]]
) -> StageEffect:
    gains = tuple(gain for name in whole.metrics if (gain := _measure_gain(name, whole, without)) is not None)
    told = [one for one in without.warnings if one not in whole.warnings]
    with_, off = ([one[which].timings.get("total", 0.0) for one in rankings] for which in (0, 1))
    return StageEffect(stage.name, stage.without, gains, 1000 * median(with_), 1000 * median(off), tuple(told))


def _measure_gain(name: str, whole: Report, without: Report) -> StageGain | None:
    """The gain over the questions that count for the measure both times; None where none does."""
    pairs = [
        (before.scores[name], after.scores[name])
        for before, after in zip(without.rows, whole.rows, strict=True)
        if name in after.scores and name in before.scores
    ]
    if not pairs:
        return None
    off, on = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    return StageGain(name, sum(on) / len(on), sum(off) / len(off), len(pairs), compare_pairs(off, on))
