"""`ragstone ingest -`: documents as lines of JSON."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ragstone.core.answers import Event
from ragstone.core.errors import UsageError
from ragstone.core.plural import format_count
from ragstone.core.records import Run
from ragstone.core.suggestions import suggest_argument
from ragstone.engine.blocking import Knowledge
from ragstone.engine.verbs.ingestion import TEXTS

BATCH, BATCH_BYTES = 1_000, 50_000_000  # of documents that one run takes, which are held in memory
MOST_LISTED = 100  # wrong lines that are told one by one: a file of another kind has nothing else
KEYS = ("path", "text", "meta")


@dataclass(slots=True)
class WrongLines:
    """The wrong lines of stdin: how many, and the first of them with what is wrong."""

    count: int = 0
    listed: list[dict[str, str]] = field(default_factory=list)

    def add(self, line: int, message: str) -> None:
        """Count a line."""
        self.count += 1
        if self.count <= MOST_LISTED:
            self.listed.append({"path": f"stdin, line {line}", "reason": "invalid", "message": message})

    def describe_first(self) -> str:
        """The first of them in a sentence, and how many there are."""
        first, others = self.listed[0], self.count - 1
        more = (
            f" (and {format_count(others, 'more line')} that {'are' if others > 1 else 'is'} wrong)" if others else ""
        )
        return f"{first['path']}: {first['message']}{more}"


def ingest_paths(
    kb: Knowledge, paths: list[str], source: str | None, options: Mapping[str, Any], tell: Callable[[Event], None]
) -> tuple[list[Run], WrongLines]:
    """Ingest folders and files, or with `-` the lines of stdin."""
    if paths == ["-"]:
        return ingest_lines(kb, source, options, tell)
    return kb.ingest(*paths, name=source, tell=tell, **options), WrongLines()


def ingest_lines(
    kb: Knowledge, source: str | None, options: Mapping[str, Any], tell: Callable[[Event], None]
) -> tuple[list[Run], WrongLines]:
    """Ingest the documents of stdin, a run for each thousand; wrong lines are left out. Raises `UsageError` where no
    line is a document."""
    if given := next((name for name, value in options.items() if value), None):
        raise UsageError(f"--{given.replace('_', '-')} is for files: with - each line of stdin is a document")
    name, wrong = TEXTS if source is None else source, WrongLines()
    lines = read_lines(getattr(sys.stdin, "buffer", None) or sys.stdin, wrong)
    runs = [kb.ingest_texts(texts, name=name, tell=tell) for texts in _batch(lines)]
    if not runs:
        expected = "stdin is empty: expected a document on each line, as JSON"
        raise UsageError(wrong.describe_first() if wrong.count else expected)
    return runs, wrong


def read_lines(lines: Iterable[str | bytes], wrong: WrongLines) -> Iterator[tuple[str, bytes]]:
    """The path and bytes of the document of each line that is not blank; others go to `wrong`.

    >>> list(read_lines(['{"path": "a.md", "text": "Words."}', "Words"], wrong := WrongLines())), wrong.count
    ([('a.md', b'Words.')], 1)
    """
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield _read_line(line)
            except UsageError as error:
                wrong.add(number, str(error))


def _read_line(line: str | bytes) -> tuple[str, bytes]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"invalid JSON ({error})") from error
    if wrong := _find_mistake(row):
        raise UsageError(wrong)
    from ragstone.ingestion.sources.memory import encode_document

    path = row.pop("path")
    return path, encode_document(path, row)


def _find_mistake(row: object) -> str | None:
    if not isinstance(row, dict):
        return 'expected an object such as {"path": "a.md", "text": "…"}'
    if unknown := next((key for key in row if key not in KEYS), None):
        return f"unknown key {unknown!r:.80}{suggest_argument(unknown, KEYS) or ': expected path, text and meta'}"
    missing = next((key for key in KEYS[:2] if not isinstance(row.get(key), str)), None)
    return f"invalid {missing}: expected text" if missing else None


def _batch(documents: Iterable[tuple[str, bytes]]) -> Iterator[dict[str, bytes]]:
    """Documents by path, not too many at once; of those with the same path, the last one counts."""
    texts, size = dict[str, bytes](), 0
    for path, data in documents:
        texts[path] = data
        size += len(data)
        if len(texts) >= BATCH or size > BATCH_BYTES:
            yield texts
            texts, size = {}, 0
    if texts:
        yield texts
