"""`ragstone extract`: what is read out of a file."""

import sys
from typing import Annotated

import typer

from ragstone.cli.shared import Shared, emit, say, shared


@shared
def extract(
    options: Shared,
    file: Annotated[str, typer.Argument(help="The file.")],
) -> int:
    """Print a file's text of record, or with --json its blocks with their places."""
    from ragstone.cli.opened import opened
    from ragstone.cli.output import extraction_data, plain

    with opened(options, embed__model="none") as kb:
        extraction = kb.engine.extract(file)
    if options.json:
        emit(extraction_data(extraction, file))
    else:
        sys.stdout.write(plain(extraction.record).rstrip("\n") + "\n")
        for warning in extraction.warnings:
            say(f"warning: {warning}")
    return 0
