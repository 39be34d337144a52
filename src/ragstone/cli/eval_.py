"""`ragstone eval`: how good the search and the abstentions are on questions with known answers."""

import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from ragstone.cli.shared import Shared, emit, say, shared
from ragstone.config import Settings
from ragstone.errors import Degraded, UsageError
from ragstone.types import Run

MOST = 1000  # what a question may fetch
Calibrate = Annotated[
    bool, typer.Option("--calibrate", help="Fit when to answer on these questions, for `ragstone ask` to use.")
]
FalseAnswers = Annotated[
    float | None,
    typer.Option(
        "--false-answers", min=0.001, max=0.999, help="Share of the answers that may be unsupported [default: 0.1]."
    ),
]
Plot = Annotated[str | None, typer.Option("--plot", help="Draw the risk-coverage curve into this SVG file.")]
Earlier = Annotated[str | None, typer.Option("--baseline", help="An earlier --json report to compare with.")]


@shared
def evaluate(
    options: Shared,
    golden: Annotated[str | None, typer.Option("--golden", help="Questions: .jsonl, .json or .yaml.")] = None,
    beir: Annotated[
        str | None, typer.Option("--beir", help="A BEIR folder; ingested into a scratch store, or --store.")
    ] = None,
    split: Annotated[
        str | None, typer.Option(help="Which judgements of a BEIR folder, qrels/SPLIT.tsv [default: test].")
    ] = None,
    granularity: Annotated[
        str | None, typer.Option(help="What is scored: file, chunk or span; of BEIR always file [default: file].")
    ] = None,
    fetch_k: Annotated[
        int,
        typer.Option(
            "--fetch-k", min=1, max=MOST, help="Results that a question fetches; MRR and MAP are over all of them."
        ),
    ] = 10,
    answers: Annotated[bool, typer.Option("--answers", help="Ask for answers too and score them.")] = False,
    calibrate: Calibrate = False,
    false_answers: FalseAnswers = None,
    plot: Plot = None,
    mode: Annotated[str | None, typer.Option(help="hybrid, semantic or keyword.")] = None,
    fusion: Annotated[str | None, typer.Option(help="minmax or rrf.")] = None,
    baseline: Earlier = None,
    gate: Annotated[bool, typer.Option("--gate", help="Exit 3 when worse than the baseline.")] = False,
    csv: Annotated[str | None, typer.Option("--csv", help="Write a row a question to this file.")] = None,
) -> int:
    """Measure recall, nDCG, MRR and MAP with 95 % intervals on a golden set or a BEIR folder."""
    import asyncio

    from ragstone import evals
    from ragstone.cli import calibrated

    _named(golden=golden, beir=beir, split=split, baseline=baseline, csv=csv, plot=plot)
    _agree(golden, beir, split, granularity)
    if gate and baseline is None:
        raise UsageError("--gate compares with a report: name it with --baseline")
    earlier = evals.read_baseline(baseline) if baseline else None
    if earlier:
        evals.comparable(earlier, "id" if beir else granularity or "file")
    for option, written in (("--csv", csv), ("--plot", plot)):
        if written:
            _writable(option, written, inputs=[golden, baseline])
    wanted = calibrated.agreed(calibrate, false_answers, plot, gate)
    fitting = Fitting() if wanted else None
    asked = {"top_k": fetch_k, "mode": mode, "fusion": fusion, "answers": answers or calibrate}
    if beir or granularity in (None, "file"):
        asked["per_document"] = 1  # documents are ranked by their best chunk: ten results are ten documents
    if beir:
        report = asyncio.run(_beir(options, beir, split or "test", {**asked, "fold": False}, fitting))
    else:
        report = asyncio.run(_golden(options, str(golden), granularity or "file", asked, fitting))
    if csv:
        _write(csv, evals.as_csv(report))
    comparison = evals.compare(earlier, report) if earlier else None
    own = _calibrated(options, report, wanted, fitting)
    _tell(report, comparison, own, as_json=options.json)
    _gate(gate, comparison)
    return 0


def _gate(gate: bool, comparison: Any) -> None:
    """Raises `Degraded` behind a closed gate."""
    if gate and comparison and comparison.degraded:
        worse = ", ".join(change.metric for change in comparison.degraded)
        raise Degraded(f"worse than the baseline: {worse}")


def _calibrated(options: Shared, report: Any, wanted: Any, fitting: Any) -> Any:
    """What was fitted, its curve and its file; None where nothing was to fit."""
    from ragstone.cli import calibrated

    if wanted is None:
        return None
    place = calibrated.place(options)
    return (*calibrated.fitted(report, wanted, fitting.like, place), place)


@dataclass
class Fitting:
    """Set while an engine is open: what a calibration would be of."""

    like: Any = None


def _tell(report: Any, comparison: Any, own: Any, *, as_json: bool) -> None:
    """The report on stdout, for programs or for people; the warnings on stderr."""
    from ragstone import evals
    from ragstone.cli import calibrated

    if as_json:
        compared = {"comparison": evals.comparison_json(comparison)} if comparison else {}
        emit({**evals.as_json(report), **compared, **(calibrated.calibration_json(*own) if own else {})})
    else:
        evals.show(report, sys.stdout)
        if comparison:
            evals.show_comparison(comparison, sys.stdout)
        if own:
            calibrated.show_calibration(*own)
    sys.stdout.flush()  # where both go to one place, warnings stand below what they are about
    for warning in (*report.warnings, *(comparison.warnings if comparison else ())):
        say(f"warning: {warning}")


def _named(**given: str | None) -> None:
    """Raises `UsageError` for an option that names nothing, such as a variable of the shell that is not set."""
    if empty := next((name for name, value in given.items() if value == ""), None):
        raise UsageError(f"--{empty} is empty: say what it names, or leave it out")


def _agree(golden: str | None, beir: str | None, split: str | None, granularity: str | None) -> None:
    """Raises `UsageError` for options that do not go together."""
    if (golden is None) == (beir is None):
        raise UsageError("name one set of questions: --golden FILE or --beir FOLDER")
    if granularity not in (None, "file", "chunk", "span"):
        raise UsageError(f"granularity {granularity!r} is unknown; use file, chunk or span")
    if beir and granularity in ("chunk", "span"):
        raise UsageError(f"a BEIR folder judges whole documents: --granularity {granularity} needs --golden")
    if golden and split:
        raise UsageError("--split chooses among the judgements of a BEIR folder: leave it out with --golden")
    if golden and Path(golden).is_dir():
        raise UsageError(f"{golden} is a folder: name a file of questions, or read a BEIR folder with --beir")


def _writable(option: str, path: str, *, inputs: Sequence[str | None]) -> None:
    """Raises `UsageError` when the file cannot be written, or is one that is read; leaves no trace."""
    file = Path(path)
    with suppress(OSError):
        if any(given and file.samefile(given) for given in inputs):
            raise UsageError(f"{option} {path} would overwrite what is read: name another file")
    try:
        new = not file.exists()
        file.open("a", encoding="utf-8").close()
        if new:
            file.unlink()
    except (OSError, ValueError) as error:
        raise _unwritten(option, path, error) from error


def _write(path: str, text: str) -> None:
    try:
        Path(path).write_text(text, encoding="utf-8", newline="")
    except (OSError, ValueError) as error:
        raise _unwritten("--csv", path, error) from error


def _unwritten(option: str, path: str, error: Exception) -> UsageError:
    why = getattr(error, "strerror", None) or error
    return UsageError(f"{option} {path} cannot be written: {why}; name a file in a folder that exists and is yours")


def _settings(options: Shared, fitting: Fitting | None) -> Settings:
    """The settings; where a calibration is fitted, without the one that was fitted before."""
    settings = options.settings()
    return replace(settings, answer=replace(settings.answer, calibration="none")) if fitting else settings


async def _golden(
    options: Shared, golden: str, granularity: str, asked: dict[str, Any], fitting: Fitting | None
) -> Any:
    from ragstone import evals
    from ragstone.cli.calibrated import like
    from ragstone.engine import Engine
    from ragstone.evals.asking import over_golden

    cases = evals.load(golden)
    async with Engine(_settings(options, fitting)) as engine:
        if fitting:
            fitting.like = like(engine, asked["mode"])
        return await over_golden(engine, cases, granularity=granularity, name=golden, **asked)  # type: ignore[arg-type]  # checked in _agree


async def _beir(options: Shared, folder: str, split: str, asked: dict[str, Any], fitting: Fitting | None) -> Any:
    """Ingest the corpus into a store of its own, or bring the named store's collection up to date."""
    import tempfile

    from ragstone import evals
    from ragstone.cli.calibrated import like
    from ragstone.cli.progress import Progress
    from ragstone.engine import Engine
    from ragstone.evals.asking import in_effect, only_beir, over_beir

    cases = evals.beir_cases(folder, split=split)
    source = evals.BeirSource(folder)
    with tempfile.TemporaryDirectory(prefix="ragstone-beir-") as place:
        settings = _settings(options, fitting)
        if options.store is None:
            settings = replace(settings, store=f"embedded:{place}")
        async with Engine(settings) as engine:
            # What is wrong is said before the long part.
            in_effect(engine, **{name: value for name, value in asked.items() if name != "answers"})
            await only_beir(engine, source)
            if fitting:
                fitting.like = like(engine, asked["mode"])
            say(f"ingesting {folder}")
            with Progress(ndjson=False) as progress:
                run = await engine.ingest_source(source, tell=progress.hear)
            report = await over_beir(engine, source, cases, name=folder, split=split, **asked)
    return replace(report, warnings=(*_left_out(run), *report.warnings))


def _left_out(run: Run) -> list[str]:
    """A warning for documents that were skipped: a question that wants one loses by it."""
    skipped = run.stats["skipped"]
    names = ", ".join(f"{one['path']} ({one['reason']})" for one in skipped[:3])
    lost = f"{len(skipped)} documents of the corpus were skipped and can never be found: {names}"
    return [lost + ", …" * (len(skipped) > 3)] if skipped else []
