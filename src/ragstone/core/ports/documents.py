"""From a source to pieces of text: sources, extractors, chunkers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from ragstone.core.records import Skipped
from ragstone.core.types import NO_FACTS, Enclosing, Extraction, Piece

# A document that a program hands over: a text, the bytes of a file, or `{"text": …, "meta": …}`.
GivenDocument = str | bytes | Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file that a source lists: its path relative to the root (with `/`), its size in bytes. `stamp`: its size, its
    times of change in nanoseconds and its number, which differ after a change; None where none are known. A page's
    path is its address; its stamp ends with what its server tells its editions apart by. `within`: the path of the
    archive, mail or PDF that it lies in, "" for a file of its own; `enclosing`: the facts that it has from there."""

    path: str
    size: int
    stamp: tuple[int, int, int, int | str] | None = field(default=None, compare=False)
    within: str = field(default="", compare=False)
    enclosing: Enclosing = field(default=NO_FACTS, compare=False)


class Source(Protocol):
    """A named root with its rules."""

    @property
    def name(self) -> str: ...

    def walk(self) -> Iterator[ListedFile | Skipped]:
        """Every document in a fixed order; what the rules refuse comes as `Skipped` with its reason."""
        ...

    def read(self, path: str, limit: int) -> bytes:
        """The bytes of one document; raises `Refused` when it is gone, unreadable or over `limit` bytes."""
        ...


@runtime_checkable
class PeekingSource(Source, Protocol):
    """A source that can show the beginning of a document without reading it whole."""

    def peek(self, path: str, size: int) -> bytes:
        """The first bytes of one document, at most `size`; raises `Refused` as `read` does."""
        ...


@runtime_checkable
class RecallingSource(Source, Protocol):
    """A source that fetches only what changed since the last run."""

    def recall(self, files: Mapping[str, Sequence[Any]], tell: Callable[[int, int], None]) -> None:
        """Take the notes of the last run: each path with its stamp and version. `tell` gets the listing's progress."""
        ...

    def close(self) -> None:
        """End a listing that runs; remove its temporary files."""
        ...


@runtime_checkable
class NotingSource(Source, Protocol):
    """A source that keeps notes of its files, so that it need not open them again."""

    def take_notes(self, notes: bytes) -> None:
        """Take the notes of the last run; damaged ones count as none."""
        ...

    def give_notes(self) -> bytes:
        """The notes for the next run, once it was walked; empty where they did not change."""
        ...


class Extractor(Protocol):
    """Bytes to text of record and blocks."""

    @property
    def recipe(self) -> str:
        """Name and version: a change means that documents must be extracted again."""
        ...

    def extract(self, data: bytes, *, path: str) -> Extraction:
        """Raises `Refused` when the bytes are not what they claim to be, or hold no text."""
        ...


class Chunker(Protocol):
    """Blocks to pieces: every body character in order, overlap only as configured."""

    @property
    def recipe(self) -> str: ...

    def cut(self, extraction: Extraction) -> list[Piece]:
        """The pieces, ordinals from 0; a piece over the cap carries a note."""
        ...
