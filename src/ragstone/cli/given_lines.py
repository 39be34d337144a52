"""`ragstone ingest -`: documents as lines of JSON."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ragstone.core.answers import Event
from ragstone.core.errors import UsageError
from ragstone.core.records import Run
from ragstone.core.suggestions import suggest_argument
from ragstone.engine.blocking import Knowledge
from ragstone.engine.verbs.ingestion import TEXTS

BATCH, BATCH_CHARACTERS = 1_000, 50_000_000  # of documents that one run takes, which are held in memory
KEYS = ("path", "text", "meta")


def ingest_paths(
    kb: Knowledge, paths: list[str], source: str | None, options: Mapping[str, Any], tell: Callable[[Event], None]
) -> list[Run]:
    """Ingest folders and files, or with `-` the lines of stdin."""
    if paths == ["-"]:
        return ingest_lines(kb, source, options, tell)
    return kb.ingest(*paths, name=source, tell=tell, **options)


def ingest_lines(
    kb: Knowledge, source: str | None, options: Mapping[str, Any], tell: Callable[[Event], None]
) -> list[Run]:
    """Ingest the documents of stdin, a run for each thousand; raises `UsageError` that names a wrong line."""
    if given := next((name for name, value in options.items() if value), None):
        raise UsageError(f"--{given.replace('_', '-')} is for files: with - each line of stdin is a document")
    name = TEXTS if source is None else source
    runs = [
        kb.ingest_texts(texts, name=name, tell=tell)
        for texts in _batch(read_lines(getattr(sys.stdin, "buffer", None) or sys.stdin))
    ]
    if not runs:
        raise UsageError("stdin is empty: expected a document on each line, as JSON")
    return runs


def read_lines(lines: Iterable[str | bytes]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The path, and text with metadata, of each line that is not blank.

    >>> list(read_lines(['{"path": "a.md", "text": "Words."}']))
    [('a.md', {'text': 'Words.'})]
    """
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise UsageError(f"stdin, line {number}: invalid JSON ({error})") from error
            if wrong := _find_mistake(row):
                raise UsageError(f"stdin, line {number}: {wrong}")
            yield row.pop("path"), row


def _find_mistake(row: object) -> str | None:
    if not isinstance(row, dict):
        return 'expected an object such as {"path": "a.md", "text": "…"}'
    if unknown := next((key for key in row if key not in KEYS), None):
        return f"unknown key {unknown!r:.80}{suggest_argument(unknown, KEYS) or ': expected path, text and meta'}"
    missing = next((key for key in KEYS[:2] if not isinstance(row.get(key), str)), None)
    return f"invalid {missing}: expected text" if missing else None


def _batch(documents: Iterable[tuple[str, dict[str, Any]]]) -> Iterator[dict[str, Any]]:
    """Documents by path, not too many at once; of those with the same path, the last one counts."""
    texts, characters = dict[str, Any](), 0
    for path, given in documents:
        texts[path] = given
        characters += len(given["text"])
        if len(texts) >= BATCH or characters > BATCH_CHARACTERS:
            yield texts
            texts, characters = {}, 0
    if texts:
        yield texts
