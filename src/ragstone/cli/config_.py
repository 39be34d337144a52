"""`ragstone config`: the settings in force, a starter file, and a check of all that an ingestion needs."""

import os
from typing import Annotated, Any

import typer

from ragstone.cli.shared_options import (
    SharedOptions,
    add_shared_except,
    add_shared_options,
    print_json,
    print_message,
    print_notes,
    print_result,
    print_text,
)
from ragstone.core.errors import UsageError

app = typer.Typer(help="Show, create and check the configuration.", no_args_is_help=True)


@app.command()
@add_shared_options
def show(
    options: SharedOptions,
    changed: Annotated[bool, typer.Option("--changed", help="Only settings that are not the default.")] = False,
) -> int:
    """Print every setting and where it comes from.

    Secrets are never printed, only whether they are set.
    """
    from ragstone.config.inspection import DEFAULT, list_settings
    from ragstone.config.load import describe_stand_ins
    from ragstone.stores import redact_url

    given = {"store": options.store, "collection": options.collection, "tenant": options.tenant}
    found = [one for one in list_settings(options.config, **given) if not (changed and one.origin == DEFAULT)]
    rows = [
        (one.key, redact_url(one.value) if isinstance(one.value, str) and "://" in one.value else one.value, one.origin)
        for one in found
    ]
    print_notes(describe_stand_ins(options.settings()))
    if options.json:
        print_json({"schema": 1, "settings": [dict(zip(("key", "value", "origin"), row, strict=True)) for row in rows]})
        return 0
    texts = [(key, _format_value(value), origin) for key, value, origin in rows]
    wide = max((len(key) for key, _, _ in texts), default=0)
    for key, value, origin in texts:
        print_text(f"{key:<{wide}}  {value}" + (f"  ({origin})" if origin != DEFAULT else ""))
    return 0


def _format_value(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict | list):
        import json

        return json.dumps(value, ensure_ascii=False, default=str) if value else "-"
    return str(value)


@app.command()
@add_shared_except("store", "collection", "tenant", "config")
def init(
    options: SharedOptions,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file to write.")] = "ragstone.yaml",
) -> int:
    """Write a starter file with the usual settings, each with a comment.

    A file that is there stays as it is.
    """
    from ragstone.config.inspection import STARTER

    try:
        with open(file, "x", encoding="utf-8") as out:
            out.write(STARTER)
    except FileExistsError as error:
        raise UsageError(f"{file} exists: name another file, or edit that one") from error
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}") from error
    print_result(
        options,
        {"schema": 1, "file": file},
        f"wrote {file}; name your folders under `sources`, then: ragstone config check",
    )
    return 0


@app.command()
@add_shared_options
def check(options: SharedOptions) -> int:
    """Check settings, sources, models and store; exit 1 on a problem."""
    from ragstone.cli.knowledge import open_knowledge
    from ragstone.cli.masking import escape_line

    try:
        with open_knowledge(options) as kb:
            problems = list(dict.fromkeys(kb.check_settings()))
    except UsageError as error:
        problems = [str(error)]
    if options.json:
        print_json({"schema": 1, "healthy": not problems, "problems": problems})
    else:
        for problem in problems:
            print_text(f"- {escape_line(problem)}")
        if not problems:
            print_text("all settings are in order")
        elif options.config is None and not os.path.isfile("ragstone.yaml"):
            print_message("there is no ragstone.yaml here; `ragstone config init` writes one")
    return 1 if problems else 0
