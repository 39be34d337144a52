"""`fetch` and the resources: the text of record of a document, in pages."""

import asyncio
import re
from dataclasses import dataclass
from itertools import islice

from ragstone import guard
from ragstone.core.errors import NotBuilt, UsageError
from ragstone.core.suggestions import find_nearest_path
from ragstone.core.types import Document, Json, Span
from ragstone.engine import Engine
from ragstone.mcp.addresses import Address, cite_address, format_address, parse_address
from ragstone.mcp.arguments import FetchArguments
from ragstone.mcp.desk import Desk, is_visible
from ragstone.mcp.masking import mask_json, mask_text
from ragstone.mcp.pages import BYTES_A_TOKEN, PAGE, count_tokens, make_cursor, measure_page, read_cursor

FACTS = ("date", "project", "tags", "confidentiality", "doc_type")  # of a document's front matter
REFERENCE = re.compile(r"S\d{1,4}#\d{1,8}")  # of `rag_search`
ADVICE = "call search, and fetch an id of its results"
LISTED = 100  # documents in a page of the list of resources


@dataclass(frozen=True, slots=True)
class StoredText:
    """A document of a collection with its text of record, and the character at which to begin."""

    collection: str
    document: Document
    record: str
    start: int

    @property
    def identity(self) -> tuple[object, ...]:
        """The document as it is now; a cursor leads on in this state alone."""
        return (self.collection, self.document.id, self.document.version, self.document.recipe)


async def fetch(desk: Desk, asked: FetchArguments) -> Json:
    """A document's text, from the line that the id names, with a cursor in `metadata` where there is more."""
    stored = await find_text(desk, asked.id, asked.collection)
    start = stored.start if asked.cursor is None else read_cursor(asked.cursor, *stored.identity)
    stop = len(stored.record) if asked.lines is None else find_line(stored.record, asked.lines + 1, start)
    text, end = await asyncio.to_thread(read_page, stored.record, start, stop)
    document, record = stored.document, stored.record
    first = record.count("\n", 0, start) + 1
    known = {name: document.meta[name] for name in FACTS if document.meta.get(name) is not None}
    metadata = {
        "collection": stored.collection,
        "source": document.source,
        "path": document.path,
        "media_type": document.media_type,
        "version": document.version_label or document.version[:12],
        "first_line": first,
        "last_line": first + record.count("\n", start, max(start, end - 1)),
        "lines": record.count("\n") + (not record.endswith("\n")),
        **known,
    }
    named = {
        "id": format_address(stored.collection, document),
        "title": document.title or document.path,
        "url": cite_address(stored.collection, document),
        "metadata": metadata,
    }
    result = {**mask_json(named), "text": text}
    if end < len(record):
        result["metadata"]["next_cursor"] = make_cursor(end, *stored.identity)
    return {name: result[name] for name in ("id", "title", "text", "url", "metadata")}


async def find_text(desk: Desk, identity: str, collection: str | None) -> StoredText:
    """The document of an address, or of a path of a collection; raises `UsageError` where the caller sees none."""
    address = parse_address(identity)
    if address is not None:
        engine = await desk.open(address.collection)
    else:
        engine = await desk.open(collection)
        path, _, ordinal = identity.rpartition("#")
        numbered = bool(path) and ordinal.isdecimal() and len(ordinal) < 9
        here, passage = (path, int(ordinal)) if numbered else (identity, None)
        address = Address(engine.scope.collection, "", here, passage=passage)
    document, record = await _read_record(engine, address, called=identity)
    start = find_line(record, address.line)
    if address.passage is not None:
        start = await _find_passage(engine, document, address.passage)
    return StoredText(engine.scope.collection, document, record, start)


async def _read_record(engine: Engine, address: Address, *, called: str) -> tuple[Document, str]:
    """The document at an address; one error for a document that does not exist, is another tenant's, or is not for
    this caller."""
    try:
        document, record = await engine.record(address.path, source=address.source or None)
    except (UsageError, NotBuilt) as error:
        await engine.exists()  # raises the error of a key that is not accepted, or of a store that cannot be read
        raise await _describe_absence(engine, address, called) from error
    if not is_visible(engine, document):
        raise await _describe_absence(engine, address, called)
    return document, record


async def _find_passage(engine: Engine, document: Document, ordinal: int) -> int:
    """The character at which a passage of a document that the caller may see begins."""
    try:
        chunk = await engine.chunk(document.path, ordinal, source=document.source)
    except UsageError as error:
        address = format_address(engine.scope.collection, document)
        raise UsageError(f"the document has no passage {ordinal}: fetch {address} without it") from error
    return chunk.spans[0].char_start if chunk.spans else 0


async def _describe_absence(engine: Engine, address: Address, called: str) -> UsageError:
    """That there is no such document, and the address of the one that the caller may see and probably means."""
    if REFERENCE.fullmatch(called):
        alias, _, ordinal = called.partition("#")
        path = f"the path that `sources` of rag_search gives for {alias}"
        return UsageError(f"{called!r} is a reference: fetch PATH#{ordinal}, where PATH is {path}")
    try:
        known = {one.path: one for one in await engine.documents() if is_visible(engine, one)}
    except NotBuilt:
        known = {}
    near = find_nearest_path(address.path, [*known])
    hint = f"did you mean {format_address(engine.scope.collection, known[near])!r}?" if near else ADVICE
    return UsageError(f"there is no document {called!r:.300}; {hint}")


def find_line(record: str, line: int, start: int = 0) -> int:
    """The first character of a line (from 1, counted from the character `start`), or the end of the text.

    >>> [find_line("one\\ntwo", line) for line in (1, 2, 3)]
    [0, 4, 7]
    """
    for _ in range(line - 1):
        end = record.find("\n", start)
        if end < 0:
            return len(record)
        start = end + 1
    return start


def read_page(record: str, start: int, stop: int) -> tuple[str, int]:
    """The masked text between two characters, as much of it as fits into one result, and the character where the next
    page begins."""
    secrets = guard.locate_secrets(record)
    size = measure_page(record[start : min(stop, start + PAGE * BYTES_A_TOKEN)])
    while True:
        page = [Span(start, start + size, 1, 1)]
        text = mask_text(record[start : start + size], page, guard.select_secrets(secrets, page))
        if size < 2 or count_tokens(text) <= PAGE:  # a mask may be longer than what it hides
            return text, start + size
        size = size * 3 // 4


async def list_documents(desk: Desk, cursor: str | None) -> tuple[list[tuple[str, Document]], str | None]:
    """A page of the documents of the usual collection, by source and path, each with its address; a cursor on."""
    engine = await desk.open()
    try:
        every = await engine.documents()
    except NotBuilt:
        every = []
    about = ("documents", engine.scope.collection)
    start = read_cursor(cursor, *about)
    shown = sorted((one for one in every if is_visible(engine, one)), key=lambda one: (one.source, one.path))
    page = [(format_address(engine.scope.collection, one), one) for one in islice(shown, start, start + LISTED)]
    more = start + LISTED < len(shown)
    return page, make_cursor(start + LISTED, *about) if more else None


async def read_document(desk: Desk, address: str) -> tuple[str, str]:
    """The text of a resource and its type; a long one ends with a line that says how to go on."""
    if parse_address(address) is None:
        raise UsageError(
            f"{address!r:.300} is not an address of a document: expected ragstone://COLLECTION/SOURCE/PATH"
        )
    stored = await find_text(desk, address, None)
    text, end = await asyncio.to_thread(read_page, stored.record, stored.start, len(stored.record))
    if end < len(stored.record):
        line = stored.record.count("\n", 0, end) + 1
        on = f"{format_address(stored.collection, stored.document)}#L{line}"
        text += f"\n[this text is longer: read {on}, or call the tool fetch]"
    return text, find_text_type(stored.document)


def find_text_type(document: Document) -> str:
    """The type of a document's text of record."""
    return "text/markdown" if document.media_type == "text/markdown" else "text/plain"
