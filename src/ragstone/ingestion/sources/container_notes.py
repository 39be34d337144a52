"""The contents of containers by their paths, so that one that did not change need not be opened again."""

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, field
from typing import Any

from ragstone.core.ports import ListedFile
from ragstone.core.types import NO_FACTS, Enclosing
from ragstone.extraction.containers import Member, Problem
from ragstone.ingestion.packed_rows import PackedRows

EDITION = 2  # to be raised when other members are found in the same file
# A file that changed within this time before it was looked at may change again without another time (FAT).
MARGIN = 2_000_000_000  # nanoseconds


@dataclass(frozen=True, slots=True)
class Contents:
    """The members of a container and of those in it, by their paths there in order, and what was wrong with others.
    `is_document`: it is a document itself, as a mail is and any file that is not a container; `ignore_files`: the texts
    of those in it by their paths there."""

    members: tuple[Member, ...] = ()
    problems: tuple[Problem, ...] = ()
    is_document: bool = True
    ignore_files: Mapping[str, str] = field(default_factory=dict)


NO_CONTAINER = Contents()


class ContainerNotes:
    """The contents of files by path and stamp, packed. Those that a walk does not ask for are dropped with the next
    dump."""

    def __init__(self, rules: str) -> None:
        """`rules`: what the contents depend on beside the files."""
        self._rules = f"{EDITION} {rules}"
        self._packed: dict[str, bytes] = {}
        self._asked: set[str] = set()
        self._new = False

    def load(self, notes: bytes) -> None:
        """Take the notes of the last run, unless they were made by other rules or are damaged."""
        try:
            rows = iter(PackedRows.load(notes, is_valid=_is_row))
            if next(rows, None) == [self._rules, ""]:
                self._packed = {path: zlib.compress(packed.encode(), 1) for path, packed in rows} | self._packed
        except ValueError:
            return

    def dump(self) -> bytes:
        """The notes of all files that were asked for; empty where they are those that were loaded."""
        kept = sorted(self._asked & self._packed.keys())
        if not self._new and len(kept) == len(self._packed):
            return b""
        head: Iterable[Any] = [(self._rules, "")]
        return PackedRows([*head, *((path, zlib.decompress(self._packed[path]).decode()) for path in kept)]).dump()

    def begin(self) -> None:
        """A walk begins."""
        self._asked.clear()

    def find(self, entry: ListedFile) -> Contents | None:
        """The contents of a file as it is now; None where they are not known."""
        self._asked.add(entry.path)
        packed = self._packed.get(entry.path)
        if packed is None or entry.stamp is None:
            return None
        stamp, is_document, ignore_files, members, problems = json.loads(zlib.decompress(packed))
        if stamp != list(entry.stamp):
            return None
        made = (
            tuple(Member(name, size, Enclosing(*facts)) for name, size, *facts in members),
            tuple(Problem(*one) for one in problems),
        )
        return Contents(*made, is_document, ignore_files)

    def note(self, entry: ListedFile, contents: Contents, *, now: int) -> None:
        """Note the contents of a file, unless it may still change without a sign. `now`: nanoseconds."""
        self._new = True
        if entry.stamp is None or max(entry.stamp[1], entry.stamp[2]) > now - MARGIN:
            self._packed.pop(entry.path, None)
            return
        row = (entry.stamp, contents.is_document, dict(contents.ignore_files), *_list_values(contents))
        self._packed[entry.path] = zlib.compress(json.dumps(row, separators=(",", ":")).encode(), 1)


def _list_values(contents: Contents) -> Iterator[list[tuple[object, ...]]]:
    yield [(one.name, one.size, *_list_facts(one.enclosing)) for one in contents.members]
    yield [(one.name, one.reason, one.message) for one in contents.problems]


def _list_facts(enclosing: Enclosing) -> tuple[str, ...]:
    return () if enclosing == NO_FACTS else astuple(enclosing)


def _is_row(row: object) -> bool:
    return isinstance(row, list) and len(row) == 2 and all(isinstance(one, str) for one in row)
