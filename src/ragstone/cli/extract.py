"""`ragstone extract`: what is read out of a file."""

from typing import Annotated

import typer

from ragstone.cli.shared import Shared, emit, say, shared, show


@shared
def extract(
    options: Shared,
    file: Annotated[str, typer.Argument(help="The file.")],
    html: Annotated[bool, typer.Option("--html", help="As a web page that shows tables and roles.")] = False,
    password: Annotated[list[str] | None, typer.Option(help="Password of an encrypted document.")] = None,
) -> int:
    """Print a file's text of record like Markdown, with --html as a page, with --json its blocks with their places."""
    from ragstone.cli.opened import opened
    from ragstone.ingestion.artifacts import extraction_data

    with opened(options, embed__model="none", passwords=password) as kb:
        extraction = kb.engine.extract(file)
    if options.json:
        emit(extraction_data(extraction, file))
    elif html:
        from ragstone.extraction.render_html import as_html

        show(as_html(extraction, name=file))
    else:
        show(extraction.record)
        for warning in extraction.warnings:
            say(f"warning: {warning}")
    return 0
