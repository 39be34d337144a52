"""`ragstone chunk`: one chunk as it is stored, or how a file would be cut."""

from typing import Annotated

import typer

from ragstone.cli.shared import Shared, emit, shared, show
from ragstone.core.errors import UsageError

MOST = 2**31 - 1  # as far as every store counts


@shared
def chunk(
    options: Shared,
    path: Annotated[str | None, typer.Argument(help="The document's path inside its source.")] = None,
    ordinal: Annotated[int, typer.Argument(min=0, max=MOST, help="Which chunk, from 0.")] = 0,
    source: Annotated[str | None, typer.Option("--source", help="The source, when two have this path.")] = None,
    preview: Annotated[str | None, typer.Option("--preview", help="Cut this file and show the pieces.")] = None,
) -> int:
    """Print one chunk, or with --preview how a file is cut."""
    from ragstone.cli.opened import opened
    from ragstone.cli.output import chunk_data, chunk_text, piece_data, pieces_text

    with opened(options) as kb:
        if preview is not None:
            pieces = kb.engine.preview(preview)
            if options.json:
                for piece in pieces:
                    emit(piece_data(piece))
            else:
                show(pieces_text(pieces))
            return 0
        if path is None:
            raise UsageError("name a document and a chunk (ragstone chunk PATH 3), or a file with --preview")
        found = kb.chunk(path, ordinal, source=source)
    if options.json:
        emit(chunk_data(found))
    else:
        show(chunk_text(found))
    return 0
