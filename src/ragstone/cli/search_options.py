"""The filter options of commands that search, as one `Where`."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

from ragstone.core.filters import Where

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
TextList = list[str] | None
FILTER_OPTIONS: dict[str, Any] = {
    "path": Annotated[TextList, typer.Option(help="Only this path; * and ** are wild.")],
    "header": Annotated[TextList, typer.Option(help="Only below this heading.")],
    "sha": Annotated[TextList, typer.Option(help="Only this version (sha256 of the file).")],
    "from_source": Annotated[TextList, typer.Option("--source", help="Only this source.")],
    "category": Annotated[TextList, typer.Option(help="Only this category.")],
    "tag": Annotated[TextList, typer.Option(help="Only with this tag.")],
    "all_tags": Annotated[bool, typer.Option("--all-tags", help="Every --tag must be there, not just one.")],
    "project": Annotated[TextList, typer.Option(help="Only this project.")],
    "doc_type": Annotated[TextList, typer.Option(help="Only this doc_type.")],
    "date_from": Annotated[str | None, typer.Option(help="Dated on or after, as 2024-05-31.")],
    "date_to": Annotated[str | None, typer.Option(help="Dated on or before.")],
    "confidentiality": Annotated[TextList, typer.Option(help="Only this confidentiality.")],
    "allow_restricted": Annotated[bool, typer.Option("--allow-restricted", help="Restricted documents too.")],
    "filter_": Annotated[str | None, typer.Option("--filter", help="Structured filter as JSON: conditions and logic.")],
}


def add_filter_options(command: Callable[..., int | None]) -> Callable[..., int | None]:
    """Give a command a `where` made of the filter options."""

    @wraps(command)
    def run(*args: Any, **given: Any) -> int | None:
        values = {name: given.pop(name) for name in FILTER_OPTIONS}
        return command(*args, where=_make_where(values), **given)

    own = [p for p in inspect.signature(command).parameters.values() if p.name != "where"]
    extra = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=_default_value(name), annotation=kind)
        for name, kind in FILTER_OPTIONS.items()
    ]
    own.sort(key=lambda p: p.kind)
    run.__signature__ = inspect.Signature([*own, *extra])  # type: ignore[attr-defined]  # what typer reads
    return run


def _default_value(name: str) -> bool | None:
    return False if name in ("all_tags", "allow_restricted") else None


def _make_where(values: dict[str, Any]) -> Where:
    from ragstone.core.filters import parse_where

    return parse_where(
        {
            "paths": values["path"] or (),
            "headers": values["header"] or (),
            "shas": values["sha"] or (),
            "sources": values["from_source"] or (),
            "categories": values["category"] or (),
            "tags": values["tag"] or (),
            "tag_mode": "all" if values["all_tags"] else "any",
            "projects": values["project"] or (),
            "doc_types": values["doc_type"] or (),
            "date_from": values["date_from"],
            "date_to": values["date_to"],
            "confidentiality_allow": values["confidentiality"] or (),
            "allow_restricted": values["allow_restricted"],
            **_parse_structured(values["filter_"]),
        }
    )


def _parse_structured(text: str | None) -> dict[str, Any]:
    """`{"conditions": [...], "logic": "AND"}` from the command line."""
    import json

    from ragstone.core.errors import UsageError

    if text is None:
        return {}
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise UsageError(f"--filter is not JSON: {error}") from error
    except (ValueError, RecursionError) as error:
        raise UsageError("--filter nests too deep, or holds a number of thousands of digits") from error
    if not isinstance(data, dict) or set(data) - {"conditions", "logic"}:
        raise UsageError('--filter must look like {"conditions": [{"column", "operator", "value"}], "logic": "AND"}')
    return data


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
