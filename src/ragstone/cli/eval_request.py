"""The measures of `ragstone eval`: rankings, answers or both, who judges answers, whether a calibration is fitted."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ragstone.answering.abstention.calibration import Calibration
from ragstone.cli import eval_calibration
from ragstone.cli.shared_options import SharedOptions
from ragstone.config.settings import Settings
from ragstone.core.errors import UsageError
from ragstone.engine import Engine
from ragstone.evaluation.calibrate import Point
from ragstone.evaluation.case import Case
from ragstone.evaluation.judge import JUDGE_MEASURES, Judge
from ragstone.evaluation.run import Report

FittedCalibration = tuple[Calibration, list[Point], Path]
MEASURE_MODES, SEARCH_MODES = ("retrieval", "rag", "both"), ("hybrid", "semantic", "keyword")


@dataclass(slots=True)
class EvaluationRequest:
    """The measures: rankings, answers, and answers by a judge with the named model, if any; `search` is how is
    searched. Where a `curve` is wanted, `like` says what a calibration would be of, once an engine is open.
    """

    ranked: bool
    answers: bool
    judged: bool
    model: str | None = None
    search: str | None = None
    curve: eval_calibration.CalibrationRequest | None = None
    like: Calibration | None = None
    ablate: bool = False

    def settings(self, options: SharedOptions) -> Settings:
        """The settings; where a calibration is fitted, without the one that was fitted before."""
        settings = options.settings()
        return replace(settings, answer=replace(settings.answer, calibration="none")) if self.curve else settings

    def check(self, cases: Sequence[Case]) -> None:
        """Raises `UsageError` for questions that will not do, before anything is ingested or asked."""
        if self.curve:
            eval_calibration.check_case_counts(cases)

    def check_lasting_store(self) -> None:
        """Raises `UsageError` for a calibration of a collection that is gone afterwards."""
        if self.curve:
            raise UsageError("a calibration belongs to a collection that stays: name its store with --store")

    async def as_arguments(self, engine: Engine, options: SharedOptions) -> dict[str, Any]:
        """The options of an evaluation. Raises `ConfigError` for an unusable judge."""
        if self.curve:
            file = eval_calibration.find_calibration_path(options)
            self.like = await eval_calibration.make_blank_calibration(engine, self.search, file)
        writing = engine.select_judge(self.model) if self.judged else None
        judge = Judge(writing) if writing else None
        return {"ranked": self.ranked, "answers": self.answers, "judge": judge, "ablate": self.ablate}

    def warn_unjudged(self, report: Report) -> Report:
        """The report with a warning if no model judged."""
        if not self.judged or report.judge is not None:
            return report
        left = (
            f"no judge is configured: {', '.join(JUDGE_MEASURES)} are left out; name a model with --judge-model, or as "
            "judge.model or llm.model in the configuration"
        )
        return replace(report, warnings=(left, *report.warnings))

    def try_calibration(
        self, report: Report, options: SharedOptions
    ) -> tuple[FittedCalibration | None, UsageError | None]:
        """The calibration, its curve and where it is kept, where one is wanted; or why there is none."""
        if not (self.curve and self.like):
            return None, None
        try:
            place = eval_calibration.find_calibration_path(options)
            return (*eval_calibration.fit_and_save(report, self.curve, self.like, place), place), None
        except UsageError as error:  # what was measured is shown all the same
            return None, error


def parse_eval_options(
    modes: Sequence[str],
    judge_model: str | None,
    *,
    answers: bool,
    curve: eval_calibration.CalibrationRequest | None = None,
    ablate: bool = False,
) -> EvaluationRequest:
    """The request that the options make together; raises `UsageError` where they contradict each other."""
    if unknown := next((mode for mode in modes if mode not in (*MEASURE_MODES, *SEARCH_MODES)), None):
        raise UsageError(
            f"unknown mode {unknown!r}: expected retrieval, rag or both (measures), or hybrid, semantic or keyword "
            "(retrievers)"
        )
    measured, search = _pick_mode(modes, MEASURE_MODES), _pick_mode(modes, SEARCH_MODES)
    judged = measured in ("rag", "both")
    if judge_model is not None and not judged:
        raise UsageError("--judge-model judges answers: ask for them with --mode rag or --mode both")
    answers = answers or curve is not None  # a calibration is fitted on answers
    if answers and measured == "retrieval":
        raise UsageError("--mode retrieval asks for no answers: leave out --answers, or use --mode both")
    return EvaluationRequest(measured != "rag", answers or judged, judged, judge_model, search, curve, ablate=ablate)


def _pick_mode(modes: Sequence[str], family: Sequence[str]) -> str | None:
    given = list(dict.fromkeys(mode for mode in modes if mode in family))
    if len(given) > 1:
        raise UsageError(f"--mode {given[0]} and --mode {given[1]} exclude each other")
    return given[0] if given else None
