"""`ragstone extract`: what is read out of a file."""

from typing import Annotated

import typer

from ragstone.cli.shared import Shared, emit, say, shared, show


@shared
def extract(
    options: Shared,
    file: Annotated[str, typer.Argument(help="The file.")],
) -> int:
    """Print a file's text of record, or with --json its blocks with their places."""
    from ragstone.cli.opened import opened
    from ragstone.cli.output import extraction_data

    with opened(options, embed__model="none") as kb:
        extraction = kb.engine.extract(file)
    if options.json:
        emit(extraction_data(extraction, file))
    else:
        show(extraction.record)
        for warning in extraction.warnings:
            say(f"warning: {warning}")
    return 0
