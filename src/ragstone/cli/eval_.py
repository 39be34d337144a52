"""`ragstone eval`: how good the search and the abstentions are on questions with known answers."""

import asyncio
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from ragstone.cli.shared import Shared, emit, say, shared
from ragstone.errors import Degraded, UsageError


@shared
def evaluate(
    options: Shared,
    golden: Annotated[str | None, typer.Option("--golden", help="Questions: .jsonl, .json or .yaml.")] = None,
    beir: Annotated[str | None, typer.Option("--beir", help="A BEIR folder; it is ingested on the fly.")] = None,
    split: Annotated[str, typer.Option(help="Which judgements of a BEIR folder.")] = "test",
    granularity: Annotated[str, typer.Option(help="What is scored: file, chunk or span.")] = "file",
    fetch_k: Annotated[int, typer.Option("--fetch-k", min=1, help="How many passages a question fetches.")] = 10,
    answers: Annotated[bool, typer.Option("--answers", help="Ask for answers too and score abstentions.")] = False,
    mode: Annotated[str | None, typer.Option(help="hybrid, semantic or keyword.")] = None,
    fusion: Annotated[str | None, typer.Option(help="minmax or rrf.")] = None,
    baseline: Annotated[
        str | None, typer.Option("--baseline", help="An earlier --json report to compare with.")
    ] = None,
    gate: Annotated[bool, typer.Option("--gate", help="Exit 3 when worse than the baseline.")] = False,
    csv: Annotated[str | None, typer.Option("--csv", help="Write a row a question to this file.")] = None,
) -> int:
    """Measure recall, nDCG, MRR and MAP with 95 % intervals on a golden set or a BEIR folder."""
    from ragstone import evals

    if (golden is None) == (beir is None):
        raise UsageError("name one set of questions: --golden FILE or --beir FOLDER")
    if gate and baseline is None:
        raise UsageError("--gate compares with a report: name it with --baseline")
    earlier = evals.read_baseline(baseline) if baseline else None
    search = {"top_k": fetch_k, "mode": mode, "fusion": fusion, "fold": False if beir else None}
    if beir or granularity == "file":
        search["per_document"] = 1  # documents are ranked by their best chunk: ten results are ten documents
    if beir:
        report = asyncio.run(_beir(options, beir, split, search))
    else:
        report = asyncio.run(_golden(options, str(golden), granularity, {**search, "answers": answers}))
    if csv:
        Path(csv).write_text(evals.as_csv(report), encoding="utf-8")
    comparison = evals.compare(earlier, report) if earlier else None
    if options.json:
        compared = {"comparison": evals.comparison_json(comparison)} if comparison else {}
        emit({**evals.as_json(report), **compared})
    else:
        evals.show(report, sys.stdout)
        if comparison:
            evals.show_comparison(comparison, sys.stdout)
    if gate and comparison and comparison.degraded:
        worse = ", ".join(change.metric for change in comparison.degraded)
        raise Degraded(f"worse than the baseline: {worse}")
    return 0


async def _golden(options: Shared, golden: str, granularity: str, search: dict[str, Any]) -> Any:
    from ragstone import evals
    from ragstone.engine import Engine
    from ragstone.evals.asking import searching

    if granularity not in ("file", "chunk", "span"):
        raise UsageError(f"granularity {granularity!r} is unknown; use file, chunk or span")
    cases = evals.load(golden)
    async with Engine(options.settings()) as engine:
        if granularity == "span":
            cases = tuple([await _located(engine, case) for case in cases])
        asked = {name: value for name, value in search.items() if value is not None}
        run = searching(engine, **search)
        return await evals.evaluate(run, cases, granularity=granularity, settings={**asked, "golden": golden})  # type: ignore[arg-type]  # checked above


async def _located(engine: Any, case: Any) -> Any:
    """The case with its quotes as spans in the stored texts."""
    from ragstone import evals

    texts: dict[str, str | None] = {}
    for quote in case.quotes:
        document = next((d for d in await engine.documents() if d.path.endswith(quote.path)), None)
        texts[quote.path] = (await engine.record(document.path))[1] if document else None
    return evals.located(case, texts.get)


async def _beir(options: Shared, folder: str, split: str, search: dict[str, Any]) -> Any:
    """Ingest the corpus into a store of its own, or bring the named store's collection up to date."""
    from ragstone import evals
    from ragstone.cli.progress import Progress
    from ragstone.engine import Engine
    from ragstone.evals.asking import searching_beir

    cases = evals.load(folder, split=split)
    with tempfile.TemporaryDirectory(prefix="ragstone-beir-") as place:
        settings = options.settings()
        if options.store is None:
            settings = replace(settings, store=f"embedded:{place}")
        async with Engine(settings) as engine:
            say(f"ingesting {folder}")
            with Progress(ndjson=False) as progress:
                await engine.ingest_source(evals.BeirSource(folder), tell=progress.hear)
            asked = {name: value for name, value in search.items() if value is not None}
            run = searching_beir(engine, folder, **search)
            return await evals.evaluate(run, cases, granularity="id", settings={**asked, "beir": Path(folder).name})
