"""`ragstone chunk`: one chunk as it is stored, or the chunks of a file."""

from typing import Annotated

import typer

from ragstone.cli.shared_options import SharedOptions, add_shared_options, print_json, print_text
from ragstone.core.errors import UsageError

MOST = 2**31 - 1  # as far as every store counts


@add_shared_options
def chunk(
    options: SharedOptions,
    path: Annotated[str | None, typer.Argument(help="Path of the document inside its source.")] = None,
    ordinal: Annotated[int, typer.Argument(min=0, max=MOST, help="Number of the chunk, from 0.")] = 0,
    source: Annotated[
        str | None, typer.Option("--source", help="Source of the document, if two sources have this path.")
    ] = None,
    preview: Annotated[str | None, typer.Option("--preview", help="Chunk this file and show the chunks.")] = None,
) -> int:
    """Print one chunk, or with --preview the chunks of a file.

    With --preview and --json: a line for each chunk.
    """
    from ragstone.cli.knowledge import open_knowledge
    from ragstone.cli.output import chunk_text, piece_data, pieces_text
    from ragstone.engine.json_views import chunk_json

    with open_knowledge(options) as kb:
        if preview is not None:
            pieces = kb.engine.preview(preview)
            if options.json:
                for piece in pieces:
                    print_json({"schema": 1, **piece_data(piece)})
            else:
                print_text(pieces_text(pieces))
            return 0
        if path is None:
            raise UsageError("name a document and a chunk (ragstone chunk PATH 3), or a file with --preview")
        found = kb.chunk(path, ordinal, source=source)
    if options.json:
        print_json(chunk_json(found))
    else:
        print_text(chunk_text(found))
    return 0
