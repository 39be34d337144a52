"""The options of commands that search: filters as one `Where`, and the fields of `SearchOptions`."""

import inspect
from collections.abc import Callable
from dataclasses import Field, fields
from functools import wraps
from typing import Annotated, Any, get_args, get_type_hints

import typer

from ragstone.config.search_options import SearchOptions
from ragstone.config.validation import Option, read_options
from ragstone.core.filters import Where

# A question may come without quotes, as several words.
QuestionWords = Annotated[
    list[str], typer.Argument(metavar="QUESTION", help="The question; quotes around its words are optional.")
]
# Names on the command line that are not the option's own.
NAMES: dict[str, tuple[str, ...]] = {
    "top_k": ("--top-k", "-k"),
    "filter": ("--llm-filter/--no-llm-filter",),
}
TextList = list[str] | None
FILTERS = "Filters"
FILTER_OPTIONS: dict[str, Any] = {
    "path": Annotated[TextList, typer.Option(help="Only this path; * and ** are wildcards.", rich_help_panel=FILTERS)],
    "header": Annotated[TextList, typer.Option(help="Only below this heading.", rich_help_panel=FILTERS)],
    "sha": Annotated[TextList, typer.Option(help="Only this version (sha256 of the file).", rich_help_panel=FILTERS)],
    "from_source": Annotated[TextList, typer.Option("--source", help="Only this source.", rich_help_panel=FILTERS)],
    "category": Annotated[TextList, typer.Option(help="Only this category.", rich_help_panel=FILTERS)],
    "tag": Annotated[TextList, typer.Option(help="Only with this tag.", rich_help_panel=FILTERS)],
    "all_tags": Annotated[
        bool, typer.Option("--all-tags", help="Require every --tag, not just one.", rich_help_panel=FILTERS)
    ],
    "project": Annotated[TextList, typer.Option(help="Only this project.", rich_help_panel=FILTERS)],
    "doc_type": Annotated[TextList, typer.Option(help="Only this doc_type.", rich_help_panel=FILTERS)],
    "date_from": Annotated[str | None, typer.Option(help="Dated on or after, as 2024-05-31.", rich_help_panel=FILTERS)],
    "date_to": Annotated[str | None, typer.Option(help="Dated on or before.", rich_help_panel=FILTERS)],
    "confidentiality": Annotated[TextList, typer.Option(help="Only this confidentiality.", rich_help_panel=FILTERS)],
    "allow_restricted": Annotated[
        bool, typer.Option("--allow-restricted", help="Include restricted documents.", rich_help_panel=FILTERS)
    ],
    "filter_": Annotated[
        str | None,
        typer.Option("--filter", help="Structured filter as JSON: conditions and logic.", rich_help_panel=FILTERS),
    ],
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


def add_search_options(command: Callable[..., int | None]) -> Callable[..., int | None]:
    """Give a command `asked`: the options of `SearchOptions`, each with its help, None where it was not given."""
    return add_search_options_except()(command)


def add_search_options_except(*left_out: str) -> Callable[[Callable[..., int | None]], Callable[..., int | None]]:
    """`add_search_options` for a command that declares the options `left_out` itself, or has no use for them."""
    return lambda command: _add_options(command, [one for one in fields(SearchOptions) if one.name not in left_out])


def _add_options(command: Callable[..., int | None], own_fields: "list[Field[Any]]") -> Callable[..., int | None]:
    kinds, options = get_type_hints(SearchOptions), read_options(SearchOptions)
    names = {("llm_filter" if one.name == "filter" else one.name): one for one in own_fields}

    @wraps(command)
    def run(*args: Any, **given: Any) -> int | None:
        asked = {one.name: given.pop(name) for name, one in names.items()}
        return command(*args, asked=asked, **given)

    own = [p for p in inspect.signature(command).parameters.values() if p.name != "asked"]
    extra = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=_describe_option(one.name, kinds[one.name], _help_of(options[one.name], one.default)),
        )
        for name, one in names.items()
    ]
    own.sort(key=lambda p: p.kind)
    run.__signature__ = inspect.Signature([*own, *extra])  # type: ignore[attr-defined]  # what typer reads
    return run


def _describe_option(name: str, kind: Any, text: str) -> Any:
    """The annotation that typer reads: a switch, a number or a text."""
    kinds = (kind, *get_args(kind))
    plain = str if str in kinds else next((part for part in kinds if part in (bool, int, float)), str)
    switch = (f"--{name.replace('_', '-')}/--no-{name.replace('_', '-')}",) if plain is bool else ()
    return Annotated[plain | None, typer.Option(*NAMES.get(name, switch), help=text, rich_help_panel="Search")]


def _help_of(option: Option, default: Any) -> str:
    if default in (None, False) or "[default" in option.help:
        return option.help
    return f"{option.help.removesuffix('.')} [default: {str(default).lower()}]."
