"""`ragstone reembed`: from one embedding model to another, with a way back."""

import sys
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragstone.cli.shared_options import (
    SharedOptions,
    add_shared_options,
    confirm,
    print_json,
    print_message,
    print_text,
)
from ragstone.config.settings import Settings
from ragstone.core.errors import RagstoneError, UsageError
from ragstone.core.plural import format_count

if TYPE_CHECKING:  # what they stand on is not needed to say what the commands take
    from ragstone.config.model_settings import EmbedSettings
    from ragstone.core.ports import CollectionModel
    from ragstone.engine.blocking import Knowledge

app = typer.Typer(help="Switch to another embedding model, with a way back.", no_args_is_help=True)
ModelOption = Annotated[str | None, typer.Option("--model", help="Embedding model [default: the configured one].")]
PrecisionOption = Annotated[str | None, typer.Option("--precision", help="fp32 or int8 [default: as configured].")]


@app.command()
@add_shared_options
def start(options: SharedOptions, model: ModelOption = None, precision: PrecisionOption = None) -> int:
    """Compute vectors of a new model while the old one keeps answering. Run it again to continue.

    With --json: a line for each step, then one for the models.
    """
    known = ("fp32", "int8")
    if precision is not None and precision not in known:
        raise UsageError(f"unknown --precision {precision!r}: expected {' or '.join(known)}")
    with _open_store(options, embed__model=model, embed__precision=precision) as kb:
        embed = kb.engine.settings.embed
        if precision is not None and "/" in embed.model:
            raise UsageError(f"--precision is for the built-in model; {embed.model} has none to choose")
        return _fill_and_report(options, kb)


@app.command()
@add_shared_options
def fill(options: SharedOptions) -> int:
    """Compute the second model's missing vectors, as for new documents.

    With --json: a line for each step, then one for the models.
    """
    return _fill_second(options)


@app.command()
@add_shared_options
def status(options: SharedOptions) -> int:
    """Show the active model and the second one with its state."""
    with _open_store(options) as kb:
        held = kb.models()
    _print_models(options, held)
    if not held:
        print_message("the collection has no vectors yet: name a model in `embed`, then run: ragstone ingest")
    return 0


@app.command()
@add_shared_options
def compare(
    options: SharedOptions,
    golden: Annotated[str, typer.Argument(help="File of questions: .jsonl, .json or .yaml.")],
    fetch_k: Annotated[int, typer.Option("--fetch-k", min=1, max=1000, help="Results that a question fetches.")] = 10,
    mode: Annotated[str | None, typer.Option(help="Retrievers: hybrid, semantic or keyword.")] = None,
) -> int:
    """Ask both models the questions of a golden set.

    Print both results with 95 % intervals of the change.
    """
    import asyncio

    from ragstone import evaluation

    comparison = asyncio.run(_compare_models(options, golden, {"top_k": fetch_k, "mode": mode, "per_document": 1}))
    if options.json:
        print_json({"schema": 1, **evaluation.comparison_json(comparison)})
    else:
        evaluation.print_comparison(comparison, sys.stdout)
    sys.stdout.flush()
    for warning in comparison.warnings:
        print_message(f"warning: {warning}")
    return 0


@app.command()
@add_shared_options
def switch(options: SharedOptions) -> int:
    """Make the second model the active one.

    The old one is kept for the way back.
    """
    second = _find_second(options)
    if second.state == "kept":  # the same command twice, say because a line broke, must not go there and back
        raise UsageError(
            f"{_describe_model(second)} was the active model before: nothing was switched; "
            "to make it active again run: "
            "ragstone reembed back"
        )
    return _switch_and_report(options, second)


@app.command()
@add_shared_options
def back(options: SharedOptions) -> int:
    """Switch back to the previous model.

    Its missing vectors are computed first.
    """
    second = _find_second(options)
    if second.state != "kept":
        raise UsageError(
            f"{second.model} was never the active model: there is no way back; see ragstone reembed status"
        )
    if second.pending:
        _fill_second(options)
    return _switch_and_report(options, second)


@app.command()
@add_shared_options
def drop(
    options: SharedOptions, yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False
) -> int:
    """Delete the second model with its vectors."""
    second = _find_second(options)
    if not yes and not confirm(options, f"Delete the vectors of {_describe_model(second)} for good?"):
        return 1
    with _open_store(options) as kb:
        kb.drop_model()
        left = kb.models()
    if options.json:
        _print_models(options, left)
    else:
        print_text(f"dropped {_describe_model(second)}")
    return 0


def _resolve_settings(options: SharedOptions) -> Settings:
    from ragstone.cli.knowledge import resolve_tenant_settings

    return resolve_tenant_settings(options)


def _open_store(options: SharedOptions, **arguments: Any) -> "Knowledge":
    from ragstone.cli.knowledge import open_knowledge

    return open_knowledge(options, **arguments)


def _find_second(options: SharedOptions) -> "CollectionModel":
    with _open_store(options) as kb:
        second = next((held for held in kb.models() if held.state != "active"), None)
    if second is None:
        raise _no_second_error()
    return second


def _no_second_error() -> UsageError:
    return UsageError("the collection has no second model; begin with: ragstone reembed start --model NAME")


def _make_settings(options: SharedOptions, held: "CollectionModel") -> Settings:
    """The settings with the model of some vectors that the collection holds; raises `UsageError` where it cannot
    embed."""
    from ragstone.engine import model_factory

    settings = _resolve_settings(options)
    embed = model_factory.find_embed_settings(held, settings)
    if missing := model_factory.find_missing_requirement(embed):
        raise UsageError(missing)
    return replace(options.settings(embed=asdict(embed)), tenant=settings.tenant)


def _open_with(options: SharedOptions, held: "CollectionModel") -> "Knowledge":
    from ragstone.engine import Engine
    from ragstone.engine.blocking import Knowledge

    return Knowledge(Engine(_make_settings(options, held)))


def _fill_second(options: SharedOptions) -> int:
    with _open_with(options, _find_second(options)) as kb:
        return _fill_and_report(options, kb)


def _fill_and_report(options: SharedOptions, kb: "Knowledge") -> int:
    from ragstone.cli.progress import ProgressDisplay

    with ProgressDisplay(ndjson=options.json) as progress:
        run = kb.reembed(tell=progress.show_event)
    held = kb.models()
    if options.json:
        _print_models(options, held)
    else:
        print_text(f"{format_count(run.stats['embedded'], 'vector')} made ({run.stats['seconds']:.1f} s)")
        _print_models(options, held)
        if held[-1].state == "ready":
            print_message("next: ragstone reembed compare GOLDEN, then ragstone reembed switch")
    return 0


def _switch_and_report(options: SharedOptions, second: "CollectionModel") -> int:
    with _open_store(options) as kb:
        held = kb.switch_model(second)
    _print_models(options, held)
    for note in _collect_notes(options, held[0]):
        print_message(f"note: {note}")
    return 0


def _collect_notes(options: SharedOptions, active: "CollectionModel") -> list[str]:
    """What is to be done now that this model is the active one. It is made: what cannot be found out is said."""
    from ragstone.engine import model_factory

    settings = _resolve_settings(options)
    notes = []
    try:
        wanted = model_factory.find_embed_settings(active, settings)
        own = settings.of(settings.collection).embed
        follows = own.model == wanted.model and "/" not in own.model  # a collection keeps its precision
        if not follows and model_factory.vector_identity(wanted) != model_factory.vector_identity(own):
            notes.append(
                f"now set `embed: {_format_embed(wanted)}` for this collection; "
                "until then questions are answered by words "
                "alone, and ingests are refused"
            )
        with _open_with(options, active) as kb:
            notes += [note for note in [kb.check_chunking()] if note is not None]
    except RagstoneError as error:
        notes.append(f"the model that is active now cannot be used yet: {error}")
    return notes


def _format_embed(embed: "EmbedSettings") -> str:
    """Settings as one would write them: what says which model it is."""
    also = (
        {"dimensions": embed.dimensions, "reads": embed.reads} if "/" in embed.model else {"precision": embed.precision}
    )
    said = {"model": embed.model, **also, "prefix": None if embed.prefix == "title" else embed.prefix}
    return "{" + ", ".join(f"{key}: {value}" for key, value in said.items() if value is not None) + "}"


async def _compare_models(options: SharedOptions, golden: str, asked: dict[str, Any]) -> Any:
    from ragstone import evaluation
    from ragstone.engine import Engine
    from ragstone.evaluation.engine_evaluation import evaluate_golden
    from ragstone.ingestion.reembed import SecondModelStore

    cases = evaluation.load_cases(golden, tell=print_message)
    reports = []
    async with Engine(options.settings()) as engine:
        held = await engine.models()
        if len(held) < 2:
            raise _no_second_error()
        for one, store in zip(held, (engine.store, SecondModelStore(engine.store)), strict=True):
            async with Engine(_make_settings(options, one), store=store) as asking:
                reports.append(await evaluate_golden(asking, cases, granularity="file", name=golden, **asked))
    first, second = reports
    scores = {row.id: row.scores for row in first.rows}
    earlier = evaluation.Baseline(scores, {row.id: row.question for row in first.rows}, first.settings)
    comparison = evaluation.compare(earlier, second)
    lacking = [f"{_describe_model(one)} lacks {one.pending} vectors" for one in held if one.pending]
    return replace(comparison, warnings=(*comparison.warnings, *lacking, *second.warnings))


def _describe_model(held: "CollectionModel") -> str:
    from ragstone.stores.model_checks import describe_model

    return describe_model((held.model, held.variant, held.dimension))


def _print_models(options: SharedOptions, held: "list[CollectionModel]") -> None:
    from ragstone.cli.masking import escape_line

    if options.json:
        print_json({"schema": 1, "models": [asdict(one) for one in held]})
        return
    for one in held:
        lacking = f", {one.pending} vectors missing" if one.pending else ""
        print_text(f"{one.state:<7}  {escape_line(_describe_model(one))}{lacking}")
