"""`ragstone reembed`: from one embedding model to another, with a way back."""

import sys
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragstone.cli.shared import Shared, emit, say, shared, show
from ragstone.config.settings import Settings
from ragstone.core.errors import RagstoneError, UsageError
from ragstone.core.plural import counted

if TYPE_CHECKING:  # what they stand on is not needed to say what the commands take
    from ragstone.config.settings import EmbedSettings
    from ragstone.core.ports import HeldModel
    from ragstone.engine.blocking import Knowledge

app = typer.Typer(help="Go over to another embedding model, with a way back.", no_args_is_help=True)
ModelOption = Annotated[str | None, typer.Option("--model", help="Embedding model [default: the configured one].")]
PrecisionOption = Annotated[str | None, typer.Option("--precision", help="fp32 or int8 [default: as configured].")]


@app.command()
@shared
def start(options: Shared, model: ModelOption = None, precision: PrecisionOption = None) -> int:
    """Fill in vectors of a new model beside those of the old one, which goes on answering. Run again, it goes on."""
    known = ("fp32", "int8")
    if precision is not None and precision not in known:
        raise UsageError(f"--precision {precision!r} is unknown; use {' or '.join(known)}")
    with _opened(options, embed__model=model, embed__precision=precision) as kb:
        embed = kb.engine.settings.embed
        if precision is not None and "/" in embed.model:
            raise UsageError(f"--precision is for the built-in model; {embed.model} has none to choose")
        return _filled(options, kb)


@app.command()
@shared
def fill(options: Shared) -> int:
    """Fill in what the model beside the active one lacks, such as documents that came since."""
    return _filling(options)


@app.command()
@shared
def status(options: Shared) -> int:
    """The models whose vectors the collection holds: active, and filling, ready or kept beside it."""
    with _opened(options) as kb:
        held = kb.models()
    _show(options, held)
    if not held:
        say("the collection has no vectors yet: name a model in `embed`, then run: ragstone ingest")
    return 0


@app.command()
@shared
def compare(
    options: Shared,
    golden: Annotated[str, typer.Argument(help="Questions: .jsonl, .json or .yaml.")],
    fetch_k: Annotated[int, typer.Option("--fetch-k", min=1, max=1000, help="Results that a question fetches.")] = 10,
    mode: Annotated[str | None, typer.Option(help="hybrid, semantic or keyword.")] = None,
) -> int:
    """Ask the questions of a golden set of both models: measures side by side, with 95 % intervals of the change."""
    import asyncio

    from ragstone import evaluation

    comparison = asyncio.run(_compared(options, golden, {"top_k": fetch_k, "mode": mode, "per_document": 1}))
    if options.json:
        emit({"schema": 1, **evaluation.comparison_json(comparison)})
    else:
        evaluation.show_comparison(comparison, sys.stdout)
    sys.stdout.flush()
    for warning in comparison.warnings:
        say(f"warning: {warning}")
    return 0


@app.command()
@shared
def switch(options: Shared) -> int:
    """Make the model beside the active one; the other is kept, so that there is a way back."""
    second = _second(options)
    if second.state == "kept":  # the same command twice, say because a line broke, must not go there and back
        raise UsageError(
            f"{_said(second)} was the active model before: nothing was switched; to make it active again run: "
            "ragstone reembed back"
        )
    return _switched(options, second)


@app.command()
@shared
def back(options: Shared) -> int:
    """Go back to the model that was active before: what it lacks is filled in first."""
    second = _second(options)
    if second.state != "kept":
        raise UsageError(
            f"{second.model} was never the active model: there is no way back; see ragstone reembed status"
        )
    if second.pending:
        _filling(options)
    return _switched(options, second)


@app.command()
@shared
def drop(options: Shared, yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False) -> int:
    """Give up the model beside the active one, with its vectors."""
    second = _second(options)
    if not yes and not typer.confirm(f"Give up the vectors of {_said(second)} for good?", err=True):
        return 1
    with _opened(options) as kb:
        kb.drop_model()
        left = kb.models()
    if options.json:
        _show(options, left)
    else:
        show(f"dropped {_said(second)}")
    return 0


def _signed(options: Shared) -> Settings:
    from ragstone.cli.opened import signed

    return signed(options)


def _opened(options: Shared, **arguments: Any) -> "Knowledge":
    from ragstone.cli.opened import opened

    return opened(options, **arguments)


def _second(options: Shared) -> "HeldModel":
    with _opened(options) as kb:
        second = next((held for held in kb.models() if held.state != "active"), None)
    if second is None:
        raise _no_second()
    return second


def _no_second() -> UsageError:
    return UsageError("the collection has no second model; begin with: ragstone reembed start --model NAME")


def _settings_of(options: Shared, held: "HeldModel") -> Settings:
    """The settings with the model of some vectors that the collection holds; raises `UsageError` where it cannot
    embed."""
    from ragstone.engine import model_factory

    settings = _signed(options)
    embed = model_factory.embed_of(held, settings)
    if missing := model_factory.missing_of(embed):
        raise UsageError(missing)
    return replace(options.settings(embed=asdict(embed)), tenant=settings.tenant)


def _with(options: Shared, held: "HeldModel") -> "Knowledge":
    from ragstone.engine import Engine
    from ragstone.engine.blocking import Knowledge

    return Knowledge(Engine(_settings_of(options, held)))


def _filling(options: Shared) -> int:
    with _with(options, _second(options)) as kb:
        return _filled(options, kb)


def _filled(options: Shared, kb: "Knowledge") -> int:
    from ragstone.cli.progress import Progress

    with Progress(ndjson=options.json) as progress:
        run = kb.reembed(tell=progress.hear)
    held = kb.models()
    if options.json:
        _show(options, held)
    else:
        show(f"{counted(run.stats['embedded'], 'vector')} made ({run.stats['seconds']:.1f} s)")
        _show(options, held)
        if held[-1].state == "ready":
            say("next: ragstone reembed compare GOLDEN, then ragstone reembed switch")
    return 0


def _switched(options: Shared, second: "HeldModel") -> int:
    with _opened(options) as kb:
        held = kb.switch_model(second)
    _show(options, held)
    for note in _notes(options, held[0]):
        say(f"note: {note}")
    return 0


def _notes(options: Shared, active: "HeldModel") -> list[str]:
    """What is to be done now that this model is the active one. It is made: what cannot be found out is said."""
    from ragstone.engine import model_factory

    settings = _signed(options)
    notes = []
    try:
        wanted = model_factory.embed_of(active, settings)
        if model_factory.identity(wanted) != model_factory.identity(settings.of(settings.collection).embed):
            notes.append(
                f"now set `embed: {_written(wanted)}` for this collection; until then questions are answered by words "
                "alone, and ingests are refused"
            )
        with _with(options, active) as kb:
            notes += [note for note in [kb.cutting()] if note is not None]
    except RagstoneError as error:
        notes.append(f"the model that is active now cannot be used yet: {error}")
    return notes


def _written(embed: "EmbedSettings") -> str:
    """Settings as one would write them: what says which model it is."""
    also = (
        {"dimensions": embed.dimensions, "reads": embed.reads} if "/" in embed.model else {"precision": embed.precision}
    )
    said = {"model": embed.model, **also, "prefix": None if embed.prefix == "title" else embed.prefix}
    return "{" + ", ".join(f"{key}: {value}" for key, value in said.items() if value is not None) + "}"


async def _compared(options: Shared, golden: str, asked: dict[str, Any]) -> Any:
    from ragstone import evaluation
    from ragstone.engine import Engine
    from ragstone.evaluation.asking import over_golden
    from ragstone.ingestion.reembed import Second

    cases = evaluation.load(golden)
    reports = []
    async with Engine(options.settings()) as engine:
        held = await engine.models()
        if len(held) < 2:
            raise _no_second()
        for one, store in zip(held, (engine.store, Second(engine.store)), strict=True):
            async with Engine(_settings_of(options, one), store=store) as asking:
                reports.append(await over_golden(asking, cases, granularity="file", name=golden, **asked))
    first, second = reports
    scores = {row.id: row.scores for row in first.rows}
    earlier = evaluation.Baseline(scores, {row.id: row.question for row in first.rows}, first.settings)
    comparison = evaluation.compare(earlier, second)
    lacking = [f"{_said(one)} lacks {one.pending} vectors" for one in held if one.pending]
    return replace(comparison, warnings=(*comparison.warnings, *lacking, *second.warnings))


def _said(held: "HeldModel") -> str:
    from ragstone.stores.held import said

    return said((held.model, held.variant, held.dimension))


def _show(options: Shared, held: "list[HeldModel]") -> None:
    from ragstone.cli.safe import line

    if options.json:
        emit({"schema": 1, "models": [asdict(one) for one in held]})
        return
    for one in held:
        lacking = f", {one.pending} vectors missing" if one.pending else ""
        show(f"{one.state:<7}  {line(_said(one))}{lacking}")
