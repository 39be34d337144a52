"""The corpus of a BEIR folder as a source, and how lines of such files are read."""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ragstone.core.errors import Refused, UsageError
from ragstone.core.ports import ListedFile
from ragstone.core.records import Skipped
from ragstone.core.types import Json

LONGEST_NAME = 200  # file names end at 255 bytes on common systems, and an ending follows


@dataclass(frozen=True, slots=True)
class BeirDocument:
    """One document of a corpus."""

    id: str
    title: str
    text: str

    @property
    def content(self) -> bytes:
        """Title, blank line, text as UTF-8; the text alone where there is no title."""
        return (f"{self.title}\n\n{self.text}" if self.title else self.text).encode("utf-8", "replace")


class BeirSource:
    """A corpus as a source named "beir": one text document for each entry, path = `path_of(id)`.

    Keeps places in the file, not texts; `id_of` leads from a path back to the id for scoring.
    """

    name = "beir"

    def __init__(self, folder: str | Path) -> None:
        self._file = Path(folder) / "corpus.jsonl"
        self._ids: dict[str, str] = {}
        self._at: dict[str, tuple[int, int]] = {}
        for entry, offset in _read_entries(self._file):
            path = path_for_id(entry.id)
            if path in self._ids:
                raise UsageError(f"{self._file}: duplicate _id {entry.id!r}")
            self._ids[path] = entry.id
            self._at[path] = (offset, len(entry.content))
        if not self._ids:
            raise UsageError(f"{self._file}: holds no document")

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all documents, in the order of the file."""
        return tuple(self._ids.values())

    def walk(self) -> Iterator[ListedFile | Skipped]:
        """Every document in the order of the file."""
        return (ListedFile(path, size) for path, (_, size) in self._at.items())

    def read(self, path: str, limit: int) -> bytes:
        """The bytes of one document; raises `Refused` when it is unknown, changed or over `limit` bytes."""
        if path not in self._at:
            raise Refused("vanished", f"{path} is not in {self._file}")
        offset, size = self._at[path]
        if size > limit:
            raise Refused("too_large", f"{path} has {size} bytes; the limit is {limit}")
        try:
            with self._file.open("rb") as file:
                file.seek(offset)
                entry = _parse_entry(file.readline(), f"{self._file} (byte {offset})")
        except (OSError, UsageError) as error:
            raise Refused("unreadable", f"{path} cannot be read from {self._file}: {error}") from error
        if entry.id != self._ids[path]:
            raise Refused("vanished", f"{self._file} changed while it was read")
        return entry.content

    def id_of(self, path: str) -> str:
        """The `_id` of the document at a path; raises `UsageError` for a path that is not of this corpus."""
        if path not in self._ids:
            raise UsageError(
                f"{path!r} is not a document of {self._file}: was the collection made from another corpus?"
            )
        return self._ids[path]


def path_for_id(identifier: str) -> str:
    """A file name for any `_id`: percent-encoded, over-long ones shortened with their sha256; never two alike."""
    name = quote(identifier, safe="", errors="replace")
    if len(name) > LONGEST_NAME or not identifier.isprintable():
        # Only here two ids could meet (cut off, or a lone surrogate written as "?"); `=` comes from no id.
        digest = hashlib.sha256(identifier.encode("utf-8", "surrogatepass")).hexdigest()
        name = f"{name[: LONGEST_NAME - len(digest) - 1]}={digest}"
    return f"{name}.txt"


def _read_entries(file: Path) -> Iterator[tuple[BeirDocument, int]]:
    for data, where, offset in read_objects(file):
        yield _make_entry(data, where), offset


def _parse_entry(line: bytes, where: str) -> BeirDocument:
    return _make_entry(_parse_object(line, where), where)


def _make_entry(data: Json, where: str) -> BeirDocument:
    title, text = data.get("title") or "", data.get("text")
    if not isinstance(title, str) or not isinstance(text, str):
        raise UsageError(f"{where}: a document needs _id and text; title is text")
    return BeirDocument(read_id(data, where), title, text)


def read_objects(file: Path) -> Iterator[tuple[Json, str, int]]:
    """The objects of a JSONL file with `file:line` and the byte where the line begins."""
    offset = 0
    with read_guarded(file, lambda: file.open("rb")) as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                where = f"{file}:{number}"
                yield _parse_object(line, where), where, offset
            offset += len(line)


def read_guarded(file: Path, work: Callable[[], Any]) -> Any:
    """Read a file; raises `UsageError` where it cannot be read."""
    try:
        return work()
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror or error}") from error


def _parse_object(line: bytes, where: str) -> Json:
    try:
        data = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: is not JSON: {error}") from error
    if not isinstance(data, dict):
        raise UsageError(f"{where}: a line is an object")
    return data


def read_id(data: Json, where: str) -> str:
    """The `_id` of an entry."""
    value = data.get("_id")
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value:
        raise UsageError(f"{where}: an entry needs a text _id")
    return value
