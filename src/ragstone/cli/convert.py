"""`ragstone convert`: documents to Markdown, without a store."""

import errno
import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from ragstone.cli.ignored import describe_ignored
from ragstone.cli.shared_options import SharedOptions, add_shared_options, print_json, print_message, print_text
from ragstone.cli.signals import interrupts
from ragstone.core.errors import Refused, UsageError
from ragstone.core.records import LEFT_OUT
from ragstone.core.types import Extraction, Json

# What no other file of OUT could be written for either.
HOPELESS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)


@dataclass(slots=True)
class _OutputFolder:
    """The folder that is written to, and what came of each file."""

    root: Path
    artifacts: bool
    single: bool
    written: int = 0
    skipped: list[Json] = field(default_factory=list)
    ignored: list[Json] = field(default_factory=list)

    def put(self, path: str, made: Extraction | Refused) -> None:
        """Write a converted document; raises `UsageError` when nothing can be written there."""
        if isinstance(made, Refused):
            if made.reason in LEFT_OUT and (not self.single or "/" in path):  # a file in an archive was not named
                self.ignored.append({"path": path, "reason": made.reason})
            else:
                self.skipped.append({"path": path, "reason": made.reason, "message": str(made)})
            return
        from ragstone.ingestion.artifacts import extraction_data, mask_extraction

        file = self.root / f"{path}.md"
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            record = mask_extraction(made).record
            _write_file(file, record if record.endswith("\n") else record + "\n")
            if self.artifacts:
                file = self.root / f"{path}.json"
                _write_file(file, json.dumps(extraction_data(made, path), ensure_ascii=False) + "\n")
        except OSError as error:
            why = f"{file} cannot be written: {error.strerror}"
            if error.errno in HOPELESS or not os.access(self.root, os.W_OK | os.X_OK):
                raise UsageError(why) from error
            self.skipped.append({"path": path, "reason": "unwritable", "message": why})
            return
        for warning in made.warnings:
            print_message(f"warning: {path}: {warning}")
        self.written += 1


@add_shared_options
def convert(
    options: SharedOptions,
    source: Annotated[str, typer.Argument(metavar="IN", help="File or folder to convert.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="Folder to write to.")],
    artifacts: Annotated[
        bool, typer.Option("--artifacts", help="Also write the blocks of each document as JSON.")
    ] = False,
    password: Annotated[list[str] | None, typer.Option(help="Password of encrypted documents.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 1 if a document was skipped.")] = False,
) -> int:
    """Convert documents to Markdown files.

    OUT gets NAME.md for each file of IN, in the same folders.
    """
    from ragstone.cli.knowledge import open_knowledge

    out = _OutputFolder(Path(target), artifacts, Path(source).is_file())
    ignore = _exclude_target(source, target)
    with open_knowledge(options, embed__model="none", passwords=password) as kb:
        try:
            for path, made in kb.engine.iter_extractions(source, ignore=ignore):
                out.put(path, made)
        except KeyboardInterrupt:
            interrupts.sentence = (
                f"interrupted: {out.written} converted to {target} so far; the same command starts over"
            )
            return interrupts.tell()
    if options.json:
        print_json({"schema": 1, "converted": out.written, "skipped": out.skipped, "ignored": out.ignored})
    else:
        for one in out.skipped:
            print_message(f"skipped {one['path']}: {one['message']}")
        if ignored := describe_ignored(out.ignored):
            print_message(ignored)
        print_text(f"{out.written} converted to {target}, {len(out.skipped)} skipped")
    return 1 if strict and out.skipped else 0


def _exclude_target(source: str, target: str) -> tuple[str, ...]:
    """A glob for OUT where it lies in IN, whose documents it holds none of; raises `UsageError` when it is IN."""
    try:
        read, write = Path(source).expanduser().resolve(), Path(target).resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise UsageError(f"cannot resolve {source} or {target}: {error}") from error
    if write.exists() and not write.is_dir():
        raise UsageError(f"{target} is a file: name a folder to write to")
    if read == write:
        raise UsageError(f"{target} is the source folder: name another one to write to")
    # A sign of the glob's own in a name stands for any one character.
    return (f"/{re.sub('[*?]', '?', write.relative_to(read).as_posix())}",) if read in write.parents else ()


def _write_file(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8", newline="")
