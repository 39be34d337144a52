"""`ragstone eval`: how good the search and the abstentions are on questions with known answers."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from ragstone.cli import eval_options
from ragstone.cli.search_options import add_search_options_except
from ragstone.cli.shared_options import SharedOptions, add_shared_options, print_message
from ragstone.core.errors import Degraded, UsageError
from ragstone.core.records import Run


@add_shared_options
@add_search_options_except("top_k", "mode", "cache", "cache_cosine", "cache_hours", "cache_entries")
def eval_(
    options: SharedOptions,
    asked: dict[str, Any],
    golden: eval_options.Golden = None,
    beir: eval_options.Beir = None,
    split: eval_options.Split = None,
    granularity: eval_options.Granularity = None,
    fetch_k: eval_options.FetchK = 10,
    answers: eval_options.Answers = False,
    calibrate: eval_options.Calibrate = False,
    false_answers: eval_options.FalseAnswers = None,
    plot: eval_options.Plot = None,
    mode: eval_options.Modes = None,
    judge_model: eval_options.JudgeModel = None,
    baseline: eval_options.Baseline = None,
    gate: eval_options.Gate = False,
    ablate: eval_options.Ablate = False,
    csv: eval_options.Csv = None,
    page: eval_options.Page = None,
    generate: eval_options.Generate = None,
    out: eval_options.Out = None,
    seed: eval_options.Seed = None,
    model: eval_options.Model = None,
) -> int:
    """Measure search and answers on a golden set or a BEIR folder.

    Recall, nDCG, MRR and MAP with 95 % intervals.
    With --generate and no --out: a line of JSON for each question.
    """
    from ragstone import evaluation
    from ragstone.cli import eval_calibration, eval_generate, eval_outputs, eval_request

    beside: dict[str, Any] = {"golden": golden, "beir": beir, "baseline": baseline, "answers": answers}
    beside |= {"calibrate": calibrate, "ablate": ablate, "csv": csv, "report": page, "gate": gate, "mode": mode}
    if generate is not None:
        return eval_generate.generate(options, generate, out, seed or 0, model, beside=beside)
    eval_generate.check_only_generating(out=out, seed=seed, model=model)
    named = {"csv": csv, "plot": plot, "report": page}
    _check_combination(golden, beir, split, granularity, baseline=baseline, judge_model=judge_model, **named)
    earlier = _read_earlier(baseline, "id" if beir else granularity or "file", gate=gate)
    eval_outputs.check_writable(named, inputs=[golden, baseline])
    curve = eval_calibration.parse_calibration_options(calibrate, false_answers, plot, gate)
    wanted = eval_request.parse_eval_options(mode or (), judge_model, answers=answers, curve=curve, ablate=ablate)
    asked |= {"top_k": fetch_k, "mode": wanted.search}
    report = wanted.warn_unjudged(_measure(options, golden, beir, split, granularity, asked, wanted))
    comparison = evaluation.compare(earlier, report) if earlier else None
    own, failed = wanted.try_calibration(report, options)
    eval_outputs.write_files(csv, page, report, earlier, comparison)
    eval_outputs.print_outcome(report, comparison, own, as_json=options.json)
    return _check_outcome(report, comparison if gate else None, failed)


def _measure(
    options: SharedOptions,
    golden: str | None,
    beir: str | None,
    split: str | None,
    granularity: str | None,
    asked: dict[str, Any],
    wanted: Any,
) -> Any:
    """The report of the golden set or the BEIR folder."""
    import asyncio

    if (beir or granularity in (None, "file")) and asked["per_document"] is None:
        asked["per_document"] = 1  # documents are ranked by their best chunk: ten results are ten documents
    if beir:
        if asked["fold"] is None:
            asked["fold"] = False  # a near-duplicate of a relevant document is judged by itself
        return asyncio.run(_run_beir(options, beir, split or "test", asked, wanted))
    return asyncio.run(_run_golden(options, str(golden), granularity or "file", asked, wanted))


def _read_earlier(baseline: str | None, granularity: str, *, gate: bool) -> Any:
    """The report to compare with, None where none is named."""
    from ragstone import evaluation

    if baseline is None:
        if gate:
            raise UsageError("--gate compares with a report: name it with --baseline")
        return None
    earlier = evaluation.read_baseline(baseline)
    evaluation.check_comparable(earlier, granularity)
    return earlier


def _check_outcome(report: Any, gated: Any, failed: Exception | None) -> int:
    """0; raises what ended the judge's work or the calibration, or `Degraded` if `--gate` fails."""
    if report.judge and report.judge.failed:
        raise report.judge.failed
    if failed:
        raise failed
    if gated and gated.regressions:
        worse = ", ".join(change.metric for change in gated.regressions)
        why = f"; other settings than the baseline's: {', '.join(gated.otherwise)}" if gated.otherwise else ""
        raise Degraded(f"worse than the baseline: {worse}{why}")
    return 0


def _check_named(**given: str | None) -> None:
    """Raises `UsageError` for an option that names nothing, such as a variable of the shell that is not set."""
    if empty := next((name for name, value in given.items() if value == ""), None):
        raise UsageError(f"--{empty.replace('_', '-')} is empty: give it a value, or leave it out")


def _check_combination(
    golden: str | None, beir: str | None, split: str | None, granularity: str | None, **others: str | None
) -> None:
    """Raises `UsageError` for options that name nothing or do not go together."""
    _check_named(golden=golden, beir=beir, split=split, **others)
    if (golden is None) == (beir is None):
        raise UsageError("name one set of questions: --golden FILE or --beir FOLDER")
    if granularity not in (None, "file", "chunk", "span"):
        raise UsageError(f"unknown granularity {granularity!r}: expected file, chunk or span")
    if beir and granularity in ("chunk", "span"):
        raise UsageError(f"a BEIR folder judges whole documents: --granularity {granularity} needs --golden")
    if golden and split:
        raise UsageError("--split chooses among the judgements of a BEIR folder: leave it out with --golden")
    if golden and Path(golden).is_dir():
        raise UsageError(f"{golden} is a folder: name a file of questions, or read a BEIR folder with --beir")


async def _run_golden(options: SharedOptions, golden: str, granularity: str, asked: dict[str, Any], wanted: Any) -> Any:
    from ragstone import evaluation
    from ragstone.engine import Engine
    from ragstone.evaluation.engine_evaluation import evaluate_golden

    left: list[str] = []
    cases = evaluation.load_cases(golden, tell=left.append)
    wanted.check(cases)
    async with Engine(wanted.settings(options)) as engine:
        told = await wanted.as_arguments(engine, options)
        report = await evaluate_golden(engine, cases, granularity=granularity, name=golden, **told, **asked)  # type: ignore[arg-type]  # checked in _check_combination
    return replace(report, warnings=(*left, *report.warnings))


async def _run_beir(options: SharedOptions, folder: str, split: str, asked: dict[str, Any], wanted: Any) -> Any:
    """Ingest the corpus into a store of its own, or bring the named store's collection up to date."""
    import tempfile

    from ragstone import evaluation
    from ragstone.engine import Engine
    from ragstone.evaluation.engine_evaluation import check_only_beir, evaluate_beir
    from ragstone.evaluation.run_description import effective_search

    left: list[str] = []
    cases = evaluation.load_beir_cases(folder, split=split, answers=wanted.answers, tell=left.append)
    wanted.check(cases)
    source = evaluation.BeirSource(folder)
    with tempfile.TemporaryDirectory(prefix="ragstone-beir-") as place:
        settings = wanted.settings(options)
        if options.store is None:
            wanted.check_lasting_store()
            settings = replace(settings, store=f"embedded:{place}")
        async with Engine(settings) as engine:
            # What is wrong is said before the long part.
            effective_search(engine, **asked)
            told = await wanted.as_arguments(engine, options)
            await check_only_beir(engine, source)
            run = await _ingest_corpus(engine, source, folder)
            report = await evaluate_beir(engine, source, cases, name=folder, split=split, **told, **asked)
    return replace(report, warnings=(*left, *_warn_skipped(run), *report.warnings))


async def _ingest_corpus(engine: Any, source: Any, folder: str) -> Run:
    from ragstone.cli.progress import ProgressDisplay

    print_message(f"ingesting {folder}")
    with ProgressDisplay(ndjson=False) as progress:
        run: Run = await engine.ingest_source(source, tell=progress.show_event)
    return run


def _warn_skipped(run: Run) -> list[str]:
    """A warning for documents that were skipped: a question that wants one loses by it."""
    skipped = run.stats["skipped"]
    names = ", ".join(f"{one['path']} ({one['reason']})" for one in skipped[:3])
    lost = f"{len(skipped)} documents of the corpus were skipped and can never be found: {names}"
    return [lost + ", …" * (len(skipped) > 3)] if skipped else []
