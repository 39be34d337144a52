"""`ragstone show`: a document as it is stored, with line numbers, so that a citation can be followed."""

import sys
from typing import Annotated

import typer

from ragstone.cli.shared_options import SharedOptions, add_shared_options, print_json
from ragstone.config.validation import MANY
from ragstone.core.errors import UsageError


@add_shared_options
def show(
    options: SharedOptions,
    path: Annotated[str, typer.Argument(help="Path of the document inside its source.")],
    lines: Annotated[str | None, typer.Option("--lines", help="Only these lines, such as 10-20.")] = None,
    source: Annotated[
        str | None, typer.Option("--source", help="Source of the document, if two sources have this path.")
    ] = None,
    page: Annotated[int | None, typer.Option(help="Draw this page (from 1) as a PNG.", min=1, max=MANY)] = None,
    citation: Annotated[
        str | None, typer.Option(help="Answer or citation as JSON (a file, or - for stdin), to draw its boxes.")
    ] = None,
    out: Annotated[str | None, typer.Option(help="File of the PNG [default: PATH-pN.png in this folder].")] = None,
    password: Annotated[list[str] | None, typer.Option(help="Password of an encrypted document.")] = None,
) -> int:
    """Print a stored document, or draw one of its pages.

    Lines come with their numbers; on a page, boxes surround the cited text.
    """
    if page is not None:
        from ragstone.cli.page import write_page

        if lines is not None:
            raise UsageError("--lines and --page exclude each other: --lines prints text, --page draws a page")
        return write_page(options, path, page, source=source, citation=citation, out=out, passwords=password)
    if citation or out:
        raise UsageError("--citation and --out belong to a page: add --page N")
    return _print_lines(options, path, lines, source=source)


def _print_lines(options: SharedOptions, path: str, lines: str | None, *, source: str | None) -> int:
    from ragstone.cli.knowledge import open_knowledge
    from ragstone.engine.json_views import full_document_json

    first, last = _parse_range(lines)
    with open_knowledge(options, embed__model="none") as kb:
        document, record = kb.record(path, source=source)
    all_lines = _read_lines(record)
    if first > len(all_lines):
        raise UsageError(f"{path} has {len(all_lines)} lines; line {first} is out of range")
    chosen = all_lines[first - 1 : last]
    if options.json:
        print_json({"schema": 1, "document": full_document_json(document), "first_line": first, "lines": chosen})
        return 0
    width = len(str(first + len(chosen)))
    for number, line in enumerate(chosen, first):
        sys.stdout.write(f"{number:>{width}}  {line}\n")
    return 0


def _read_lines(record: str) -> list[str]:
    """The record's lines as they may be shown: a masked secret of several lines leaves as many behind."""
    from ragstone import guard
    from ragstone.core.escaping import remove_controls
    from ragstone.core.newlines import unify_newlines

    text, out, at = unify_newlines(record), "", 0
    for found in guard.find_secrets(text):
        out += f"{text[at : found.start]}[masked:{found.kind}]" + "\n" * text.count("\n", found.start, found.end)
        at = found.end
    lines = remove_controls(out + text[at:]).split("\n")
    return lines if lines[-1] else lines[:-1]


def _parse_range(lines: str | None) -> tuple[int, int | None]:
    """`10-20`, `10-` or `10` as first and last line, from 1."""
    if lines is None:
        return 1, None
    first, dash, last = lines.partition("-")
    try:
        low = int(first)
        high = (int(last) if last else None) if dash else low
    except ValueError:
        low, high = 0, 0
    if low < 1 or (high is not None and high < low):
        raise UsageError(f"invalid --lines {lines!r}: expected a range such as 10-20")
    return low, high
