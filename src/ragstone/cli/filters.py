"""The filter options of commands that search, as one `Where`."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

from ragstone.core.filters import Where

Many = list[str] | None
FILTERS: dict[str, Any] = {
    "path": Annotated[Many, typer.Option(help="Only this path; * and ** are wild.")],
    "header": Annotated[Many, typer.Option(help="Only below this heading.")],
    "sha": Annotated[Many, typer.Option(help="Only this version (sha256 of the file).")],
    "from_source": Annotated[Many, typer.Option("--source", help="Only this source.")],
    "category": Annotated[Many, typer.Option(help="Only this category.")],
    "tag": Annotated[Many, typer.Option(help="Only with this tag.")],
    "all_tags": Annotated[bool, typer.Option("--all-tags", help="Every --tag must be there, not just one.")],
    "project": Annotated[Many, typer.Option(help="Only this project.")],
    "doc_type": Annotated[Many, typer.Option(help="Only this doc_type.")],
    "date_from": Annotated[str | None, typer.Option(help="Dated on or after, as 2024-05-31.")],
    "date_to": Annotated[str | None, typer.Option(help="Dated on or before.")],
    "confidentiality": Annotated[Many, typer.Option(help="Only this confidentiality.")],
    "allow_restricted": Annotated[bool, typer.Option("--allow-restricted", help="Restricted documents too.")],
    "filter_": Annotated[str | None, typer.Option("--filter", help="Structured filter as JSON: conditions and logic.")],
}


def filtered(command: Callable[..., int | None]) -> Callable[..., int | None]:
    """Give a command a `where` made of the filter options."""

    @wraps(command)
    def run(*args: Any, **given: Any) -> int | None:
        values = {name: given.pop(name) for name in FILTERS}
        return command(*args, where=_where(values), **given)

    own = [p for p in inspect.signature(command).parameters.values() if p.name != "where"]
    extra = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=_default(name), annotation=kind)
        for name, kind in FILTERS.items()
    ]
    own.sort(key=lambda p: p.kind)
    run.__signature__ = inspect.Signature([*own, *extra])  # type: ignore[attr-defined]  # what typer reads
    return run


def _default(name: str) -> bool | None:
    return False if name in ("all_tags", "allow_restricted") else None


def _where(values: dict[str, Any]) -> Where:
    from ragstone.core.filters import where_from

    return where_from(
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
            **_structured(values["filter_"]),
        }
    )


def _structured(text: str | None) -> dict[str, Any]:
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
