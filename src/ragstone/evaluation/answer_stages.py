"""The optional stages of an answer, each with and without: those of its search, the check, the abstention, the model.

Every stage is left out of the answers alone; how passages rank is measured by `ragstone.evaluation.ablation`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import Any

from ragstone.config.search_stages import SearchStage, list_stages
from ragstone.config.settings import Settings
from ragstone.core.types import Json
from ragstone.engine import Engine
from ragstone.evaluation.ablation import measure_stages
from ragstone.evaluation.case import Case
from ragstone.evaluation.run import SearchFunction
from ragstone.evaluation.stage_effects import StageEffect

MakeAnswers = Callable[[Engine, Json], SearchFunction]  # answers of an engine with these options over the usual ones
NONE = "none"


@dataclass(frozen=True, slots=True)
class AnswerStage:
    """A stage of an answer, the settings that are shown for its absence, and the change that leaves it out."""

    name: str
    without: Mapping[str, Any]
    leave_out: Callable[[Settings], Settings] = field(repr=False)


def list_answer_stages(settings: Settings) -> Iterator[AnswerStage]:
    """The stages beside those of the search that answers with these settings have."""
    if settings.llm.model != NONE:
        yield AnswerStage("language model", {"llm.model": NONE}, Settings.without_llm)
        if settings.answer.strict:
            yield AnswerStage("strict answers", {"answer.strict": False}, lambda own: _change_answer(own, strict=False))
    if settings.answer.abstain != "never":
        never = {"answer.abstain": "never"}
        yield AnswerStage("abstention", never, lambda own: _change_answer(own, abstain="never"))


def _change_answer(settings: Settings, **changes: Any) -> Settings:
    return replace(settings, answer=replace(settings.answer, **changes))


async def measure_answer_stages(
    engine: Engine, make: MakeAnswers, cases: Sequence[Case], effective: Json
) -> tuple[StageEffect, ...]:
    """The effect of each stage on the measures of answers, largest gain in the first measure first. `effective` are the
    options of the search. Errors are those of `ragstone.evaluation.run.evaluate`."""
    settings = engine.settings
    own = {stage.name: stage for stage in list_answer_stages(settings)}
    by_options = {name: SearchStage(name, stage.without) for name, stage in own.items()}
    async with AsyncExitStack() as stack:
        others = {
            name: await stack.enter_async_context(_open_other(engine, stage.leave_out(settings)))
            for name, stage in own.items()
        }
        engines = {tuple(by_options[name].without.items()): other for name, other in others.items()}

        def make_answers(changed: Json) -> SearchFunction:
            other = engines.get(tuple(changed.items()))
            return make(engine, changed) if other is None else make(other, {})

        stages = (*by_options.values(), *list_stages(effective))
        return await measure_stages(
            make_answers, stages, cases, metrics=(), granularity=effective["granularity"], depth=None
        )


def _open_other(engine: Engine, settings: Settings) -> Engine:
    """An engine with other settings over the same store and embedder, which stay the first one's."""
    embedder = engine.search_context.sources[0].embedder
    return Engine(settings, store=engine.store, embedder=embedder)
