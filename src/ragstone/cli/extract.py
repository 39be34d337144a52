"""`ragstone extract`: print the text of a file."""

import sys
from typing import Annotated

import typer

from ragstone.cli.shared_options import SharedOptions, add_shared_options, dump_json, print_message, print_text


@add_shared_options
def extract(
    options: SharedOptions,
    file: Annotated[str, typer.Argument(help="The file.")],
    html: Annotated[bool, typer.Option("--html", help="Print a web page that shows tables and roles.")] = False,
    password: Annotated[list[str] | None, typer.Option(help="Password of an encrypted document.")] = None,
) -> int:
    """Print the text of record of a file.

    As Markdown, as a page (--html), or as blocks with their places (--json).
    """
    from ragstone.cli.knowledge import open_knowledge
    from ragstone.ingestion.artifacts import iter_extraction_json, mask_extraction

    with open_knowledge(options, embed__model="none", passwords=password) as kb:
        extraction = kb.engine.extract(file)
    if options.json:
        sys.stdout.writelines(iter_extraction_json(extraction, file, dump=dump_json))
        sys.stdout.write("\n")
    elif html:
        from ragstone.extraction.render_html import render_page

        print_text(render_page(mask_extraction(extraction), name=file))
    else:
        print_text(mask_extraction(extraction).record)
        for warning in extraction.warnings:
            print_message(f"warning: {warning}")
    return 0
