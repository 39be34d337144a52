"""Documents that a program hands over, as a source."""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from ragstone.core.document_paths import check_document_path
from ragstone.core.errors import Refused, UsageError
from ragstone.core.ports import GivenDocument, ListedFile
from ragstone.extraction.markdown.front_matter import GIVEN, LARGEST
from ragstone.extraction.media_types import BY_NAME, file_suffix

KEYS = ("text", "meta")  # of a document with metadata
MARKDOWN = "text/markdown"
UNSAFE = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")  # JSON has them as they are, YAML does not


class GivenDocuments:
    """Documents by path, each a text, a text with metadata, or the bytes of a file; archives among them are not
    opened."""

    def __init__(self, name: str, documents: Mapping[str, GivenDocument]) -> None:
        self.name = name
        self._documents = {path: encode_document(path, given) for path, given in sorted(documents.items())}

    def walk(self) -> Iterator[ListedFile]:
        """Every document, in the order of the paths."""
        return (ListedFile(path, len(data)) for path, data in self._documents.items())

    def read(self, path: str, limit: int) -> bytes:
        """The bytes of one document; raises `Refused` with the reason too_large."""
        data = self._documents[path]
        if len(data) > limit:
            settings = "limits.text_bytes or limits.office_bytes"
            raise Refused("too_large", f"{path} has more than {limit:,} bytes; raise {settings}, or leave it out")
        return data


def encode_document(path: str, given: GivenDocument) -> bytes:
    """The bytes of a document: its text, below its metadata. Raises `UsageError` that names a wrong path, text or
    metadata."""
    check_document_path(path)
    if isinstance(given, bytes):
        return given
    if isinstance(given, str):
        return given.encode()
    text, meta = given.get("text"), given.get("meta") or {}
    unknown = next((key for key in given if key not in KEYS), None)
    if unknown is not None or not isinstance(text, str) or not isinstance(meta, Mapping):
        raise UsageError(f'invalid document {path!r:.80}: expected {{"text": "…", "meta": {{"tags": ["…"]}}}}')
    try:
        return (write_given(path, meta) + text if meta else text).encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"invalid document {path!r:.80}: expected a text that UTF-8 can hold") from error


def write_given(path: str, meta: Mapping[str, Any]) -> str:
    """Metadata as lines above a document, in which its places do not count; raises `UsageError` where one of this path
    has none.

    >>> write_given("a.md", {"tags": ["x"], "date": date(2026, 1, 31)})
    '--- # given beside the text\\n{"tags": ["x"], "date": "2026-01-31"}\\n---\\n'
    """
    if BY_NAME.get(file_suffix(path)) != MARKDOWN:
        raise UsageError(f"document {path!r:.80} cannot have `meta`: its path must end in .md")
    try:
        block = json.dumps(dict(meta), ensure_ascii=False, allow_nan=False, default=_write_date)
        block.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"invalid `meta` of document {path!r:.80}: expected what JSON can hold ({error})") from error
    if len(block) >= LARGEST:
        raise UsageError(
            f"the `meta` of document {path!r:.80} is too long: at most {LARGEST - 1:,} characters are read"
        )
    return f"{GIVEN}{UNSAFE.sub(_escape, block)}\n---\n"


def _write_date(value: object) -> str:
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is not")


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"
