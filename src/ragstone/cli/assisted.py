"""The options of commands that search with the help of a language model, or from the cache."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

LLM_OPTIONS: dict[str, Any] = {
    "hyde": Annotated[
        str | None, typer.Option(help="Search by answers that the model imagines: off, standard, adaptive or multi.")
    ],
    "hyde_documents": Annotated[int | None, typer.Option(help="How many of them.")],
    "multi_query": Annotated[int | None, typer.Option(help="Search for so many paraphrases by the model too.")],
    "llm_filter": Annotated[
        bool | None,
        typer.Option("--llm-filter/--no-llm-filter", help="Leave out passages that the model holds to be of no use."),
    ],
    "cache": Annotated[
        bool | None,
        typer.Option("--cache/--no-cache", help="Serve and keep what questions that ask the same have found."),
    ],
}


def add_llm_options(command: Callable[..., int | None]) -> Callable[..., int | None]:
    """Give a command `helped`: the search options that these stand for."""

    @wraps(command)
    def run(*args: Any, **given: Any) -> int | None:
        helped = {"filter" if name == "llm_filter" else name: given.pop(name) for name in LLM_OPTIONS}
        return command(*args, helped=helped, **given)

    own = [p for p in inspect.signature(command).parameters.values() if p.name != "helped"]
    extra = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, kind in LLM_OPTIONS.items()
    ]
    own.sort(key=lambda p: p.kind)
    run.__signature__ = inspect.Signature([*own, *extra])  # type: ignore[attr-defined]  # what typer reads
    return run
