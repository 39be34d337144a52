"""`ragstone eval --calibrate`: fit the abstention rule, save it, print and draw the curve."""

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ragstone.answering.abstention.calibration import Calibration, render_calibration
from ragstone.cli.shared_options import SharedOptions, print_message
from ragstone.config.load import default_calibration_path
from ragstone.core.errors import UsageError
from ragstone.core.types import Json
from ragstone.evaluation import Case, Report, calibrate
from ragstone.evaluation.calibrate import Point, compute_curve, fit_calibration, select_judged
from ragstone.evaluation.plot import as_svg

MAX_CURVE_LINES = 10  # lines of the printed curve


@dataclass(frozen=True, slots=True)
class CalibrationRequest:
    """The options: the wanted rate, and the file of the picture."""

    rate: float
    plot: str | None


def find_calibration_path(options: SharedOptions) -> Path:
    """Where the calibration is kept: where the settings say, else beside the configuration."""
    named = options.settings().answer.calibration
    return Path(named).expanduser() if named not in (None, "none") else default_calibration_path(options.config)


def check_case_counts(cases: Sequence[Case]) -> None:
    """Raises `UsageError` for too few questions, before any of them is asked."""
    answerable = sum(case.answerable for case in cases)
    calibrate.check_counts(answerable, len(cases) - answerable)


def fit_and_save(
    report: Report, wanted: CalibrationRequest, like: Calibration, file: Path
) -> tuple[Calibration, list[Point]]:
    """Fit, keep and draw; raises `UsageError` where the questions do not allow it or a file cannot be written."""
    judged = select_judged(report.rows)
    points = compute_curve(judged)
    own = fit_calibration(judged, wanted.rate, like)
    _write_atomically(file, render_calibration(own))
    if wanted.plot:
        title = f"{len(judged)} questions, false answers at most {wanted.rate:g}"
        _write_atomically(Path(wanted.plot), as_svg(points, chosen=own.answer_from, wanted=wanted.rate, title=title))
    return own, points


def calibration_json(own: Calibration, points: list[Point], file: Path) -> Json:
    """The calibration and the whole curve for programs."""
    return {"calibration": {**asdict(own), "file": str(file)}, "curve": [asdict(point) for point in points]}


def print_calibration(own: Calibration, points: list[Point], file: Path) -> None:
    """The curve as a table, and what the calibration promises."""
    from ragstone.evaluation.report import print_table

    step = max(1, len(points) // MAX_CURVE_LINES)
    picked = [*points[step - 1 :: step], *([] if len(points) % step == 0 else points[-1:])]
    rows: list[list[str]] = [
        [f"{p.coverage:.2f}", f"{p.risk:.3f}", f"{p.answerable:.3f}", f"{p.answer_from:.2f}"] for p in picked
    ]
    print_table(sys.stdout, ["answered", "false answers", "answerable answered", "from log-odds"], rows)
    sys.stdout.write(
        f"calibrated for {own.wanted:g} false answers: {own.answered:.2f} of the questions answered, "
        f"{own.promised:.3f} of the answers false in cross-validation (95 % interval {own.low:.3f} – {own.high:.3f})\n"
    )
    print_message(f"kept in {file}; `ragstone ask` uses it from now on")


def _write_atomically(file: Path, text: str) -> None:
    """Written whole or not at all."""
    from ragstone.stores.durable_files import replace_file

    try:
        replace_file(file, text.encode(), mode=0o666)
    except OSError as error:
        why = error.strerror or error
        raise UsageError(f"{file} cannot be written: {why}; name a file in a folder that you can write to") from error


def parse_calibration_options(
    wanted: bool, rate: float | None, plot: str | None, gate: bool
) -> CalibrationRequest | None:
    """The options of a calibration, None without one; raises `UsageError` for options that do not go together."""
    if not wanted:
        if rate is not None or plot is not None:
            raise UsageError(f"{'--false-answers' if rate is not None else '--plot'} goes with --calibrate")
        return None
    if gate:
        raise UsageError("--calibrate changes how questions are decided, --gate compares: run one after the other")
    return CalibrationRequest(0.1 if rate is None else rate, plot)


async def make_blank_calibration(engine: Any, mode: str | None, file: Path) -> Calibration:
    """The conditions of a calibration: the signs that decide there, the embedding model, the edition of the numbers,
    store and collection as the file names them."""
    from ragstone.answering.abstention.calibration import model_edition
    from ragstone.retrieval.kept_variants import match_models

    place = engine.calibration_place(file)
    embedder = (await match_models(engine.search_context)).sources[0].embedder
    if embedder is None or engine.question("any", mode=mode).mode == "keyword":
        return Calibration("words", 0.0, edition=model_edition(), place=place)
    model = f"{embedder.model}/{embedder.variant}"
    return Calibration("vectors", 0.0, model=model, edition=model_edition(), place=place)
