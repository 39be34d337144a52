"""`ragstone convert`: documents to Markdown, without a store."""

from pathlib import Path
from typing import Annotated

import typer

from ragstone.cli.shared import Shared, emit, say, shared, show
from ragstone.errors import Refused, UsageError
from ragstone.types import Json


@shared
def convert(
    options: Shared,
    source: Annotated[str, typer.Argument(metavar="IN", help="A file or a folder.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="The folder to write to.")],
    artifacts: Annotated[bool, typer.Option("--artifacts", help="Write the blocks as JSON beside each.")] = False,
    password: Annotated[list[str] | None, typer.Option(help="Password of encrypted documents.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 1 when a document was skipped.")] = False,
) -> int:
    """Convert documents to Markdown: OUT gets NAME.md for each file of IN, in the same folders."""
    from ragstone.cli.opened import opened
    from ragstone.cli.output import extraction_data

    written, skipped = 0, []
    root = Path(target)
    if root.exists() and not root.is_dir():
        raise UsageError(f"{target} is a file: name a folder to write to")
    with opened(options, embed__model="none", passwords=password) as kb:
        for path, made in kb.engine.extracted(source):
            if isinstance(made, Refused):
                skipped.append({"path": path, "reason": made.reason, "message": str(made)})
                continue
            _write(root / f"{path}.md", made.record if made.record.endswith("\n") else made.record + "\n")
            if artifacts:
                import json

                _write(root / f"{path}.json", json.dumps(extraction_data(made, path), ensure_ascii=False) + "\n")
            for warning in made.warnings:
                say(f"warning: {path}: {warning}")
            written += 1
    _say_done(options, written, skipped, target)
    return 1 if strict and skipped else 0


def _write(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}") from error


def _say_done(options: Shared, written: int, skipped: list[Json], target: str) -> None:
    if options.json:
        emit({"schema": 1, "converted": written, "skipped": skipped})
        return
    for one in skipped:
        say(f"skipped {one['path']}: {one['message']}")
    show(f"{written} converted to {target}, {len(skipped)} skipped")
