"""`ragstone reembed`: from one embedding model to another, with a way back."""

import sys
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from ragstone.cli.shared import Shared, emit, say, shared, show
from ragstone.config import EmbedSettings, Settings
from ragstone.errors import UsageError

if TYPE_CHECKING:  # what they stand on is not needed to say what the commands take
    from ragstone.blocking import Knowledge
    from ragstone.ports import HeldModel

app = typer.Typer(help="Go over to another embedding model, with a way back.", no_args_is_help=True)
ModelOption = Annotated[str | None, typer.Option("--model", help="Embedding model [default: the configured one].")]
PrecisionOption = Annotated[str | None, typer.Option("--precision", help="fp32 or int8 [default: as configured].")]


@app.command()
@shared
def start(options: Shared, model: ModelOption = None, precision: PrecisionOption = None) -> int:
    """Fill in vectors of a new model beside those of the old one, which goes on answering. Run again, it goes on."""
    with _opened(options, _named(options, model, precision)) as kb:
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
    with _opened(options, EmbedSettings(model="none")) as kb:
        _show(options, kb.models())
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

    from ragstone import evals

    comparison = asyncio.run(_compared(options, golden, {"top_k": fetch_k, "mode": mode, "per_document": 1}))
    if options.json:
        emit({"schema": 1, **evals.comparison_json(comparison)})
    else:
        evals.show_comparison(comparison, sys.stdout)
    sys.stdout.flush()
    for warning in comparison.warnings:
        say(f"warning: {warning}")
    return 0


@app.command()
@shared
def switch(options: Shared) -> int:
    """Make the model beside the active one; the other is kept, so that there is a way back."""
    return _switched(options)


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
    return _switched(options)


@app.command()
@shared
def drop(options: Shared, yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False) -> int:
    """Give up the model beside the active one, with its vectors."""
    second = _second(options)
    if not yes and not typer.confirm(f"Give up the vectors of {_said(second)} for good?", err=True):
        return 1
    with _opened(options, EmbedSettings(model="none")) as kb:
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


def _named(options: Shared, model: str | None, precision: str | None) -> EmbedSettings:
    settings = _signed(options)
    embed = settings.of(settings.collection).embed
    known = ("fp32", "int8")
    if precision is not None and precision not in known:
        raise UsageError(f"--precision {precision!r} is unknown; use {' or '.join(known)}")
    return replace(embed, model=model or embed.model, precision=cast(Any, precision or embed.precision))


def _settings(options: Shared, embed: EmbedSettings) -> Settings:
    settings = _signed(options)
    own = settings.of(settings.collection)
    return replace(own, embed=embed, collections={}, tenants={})


def _opened(options: Shared, embed: EmbedSettings) -> "Knowledge":
    from ragstone.blocking import Knowledge
    from ragstone.engine import Engine

    return Knowledge(Engine(_settings(options, embed)))


def _second(options: Shared) -> "HeldModel":
    with _opened(options, EmbedSettings(model="none")) as kb:
        second = next((held for held in kb.models() if held.state != "active"), None)
    if second is None:
        raise UsageError("the collection has no second model; begin with: ragstone reembed start --model NAME")
    return second


def _embed_of(options: Shared, held: "HeldModel") -> EmbedSettings:
    """The settings that make the embedder of a model that a collection holds."""
    from ragstone import providers

    variant, _, prefix = (held.variant or "").partition("+")
    name = providers.called(held.model, variant)
    if name is None:
        raise UsageError(
            f"no embedder gives vectors of {_said(held)}: name it with ragstone reembed start --model NAME"
        )
    return replace(_named(options, *name), prefix=cast(Any, prefix or "title"))


def _filling(options: Shared) -> int:
    with _opened(options, _embed_of(options, _second(options))) as kb:
        return _filled(options, kb)


def _filled(options: Shared, kb: "Knowledge") -> int:
    from ragstone.cli.progress import Progress

    with Progress(ndjson=options.json) as progress:
        run = kb.reembed(tell=progress.hear)
    held = kb.models()
    if options.json:
        _show(options, held)
    else:
        show(f"{run.stats['embedded']} vectors made ({run.stats['seconds']:.1f} s)")
        _show(options, held)
        if held[-1].state == "ready":
            say("next: ragstone reembed compare GOLDEN, then ragstone reembed switch")
    return 0


def _switched(options: Shared) -> int:
    with _opened(options, EmbedSettings(model="none")) as kb:
        held = kb.switch_model()
    _show(options, held)
    from ragstone import providers

    name = providers.called(held[0].model, (held[0].variant or "").partition("+")[0])
    settings = _signed(options)
    embed = settings.of(settings.collection).embed
    if name is not None and name != (embed.model, embed.precision):
        say(
            f"note: now set `embed: {{model: {name[0]}, precision: {name[1]}}}` for this collection; until then "
            "questions are answered by words alone, and ingests are refused"
        )
    return 0


async def _compared(options: Shared, golden: str, asked: dict[str, Any]) -> Any:
    from ragstone import evals
    from ragstone.engine import Engine
    from ragstone.evals.asking import over_golden
    from ragstone.reembed import Second

    cases = evals.load(golden)
    reports = []
    async with Engine(_settings(options, EmbedSettings(model="none"))) as engine:
        held = await engine.models()
        if len(held) < 2:
            raise UsageError("the collection has no second model; begin with: ragstone reembed start --model NAME")
        for one, store in zip(held, (engine.store, Second(engine.store)), strict=True):
            async with Engine(_settings(options, _embed_of(options, one)), store=store) as asking:
                reports.append(await over_golden(asking, cases, granularity="file", name=golden, **asked))
    first, second = reports
    scores = {row.id: row.scores for row in first.rows}
    earlier = evals.Baseline(scores, {row.id: row.question for row in first.rows}, first.settings)
    comparison = evals.compare(earlier, second)
    lacking = [f"{_said(one)} lacks {one.pending} vectors" for one in held if one.pending]
    return replace(comparison, warnings=(*comparison.warnings, *lacking, *second.warnings))


def _said(held: "HeldModel") -> str:
    return f"{held.model} {held.variant or ''} ({held.dimension})".replace("  ", " ")


def _show(options: Shared, held: "list[HeldModel]") -> None:
    from ragstone.cli.safe import line

    if options.json:
        emit({"schema": 1, "models": [asdict(one) for one in held]})
        return
    for one in held:
        lacking = f", {one.pending} vectors missing" if one.pending else ""
        show(f"{one.state:<7}  {line(_said(one))}{lacking}")
