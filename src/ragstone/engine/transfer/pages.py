"""The kept revisions of two views side by side, a page at a time, in one order on every store."""

from collections.abc import AsyncIterator, Set
from contextlib import asynccontextmanager
from dataclasses import dataclass

from ragstone.core.errors import StoreError
from ragstone.core.ports import Exporter, Reader, Store, StoredRevision
from ragstone.core.records import Info
from ragstone.core.types import Document, Scope

PAGE_REVISIONS = 500  # revisions told of at once
MAX_REVISIONS = 128  # revisions carried at once
MAX_BATCH_BYTES = 4_000_000  # of the documents that they were made from: what is in memory at a time is some times that

RevisionKey = tuple[str, int]


@dataclass(frozen=True, slots=True)
class View:
    """One consistent view of a collection, and what it says of itself."""

    exporter: Exporter
    info: Info


@asynccontextmanager
async def open_view(store: Store, scope: Scope) -> AsyncIterator[View]:
    """Open a view; raises `StoreError` for a store that does not give out what it keeps."""
    async with store.reader(scope) as reader:
        yield View(require_exporter(reader, store.provider), await reader.info())


def require_exporter(reader: Reader, provider: str) -> Exporter:
    """The reader as an `Exporter`; raises `StoreError` if it does not support copying."""
    if not isinstance(reader, Exporter):
        raise StoreError(f"stores of kind {provider!r} do not support copying")
    return reader


def revision_key(document: Document) -> RevisionKey:
    """A revision's place in the order."""
    return document.id, document.revision


async def iterate_pages(view: View) -> AsyncIterator[list[StoredRevision]]:
    """All that is kept, in order."""
    after: RevisionKey | None = None
    while found := await view.exporter.list_revisions_after(after, limit=PAGE_REVISIONS):
        yield found
        after = revision_key(found[-1].document)


async def iterate_kept(view: View) -> AsyncIterator[StoredRevision]:
    """The pages' items one by one."""
    async for page in iterate_pages(view):
        for one in page:
            yield one


async def pair_revisions(
    first: View, second: View
) -> AsyncIterator[tuple[StoredRevision | None, StoredRevision | None]]:
    """Each revision of two views with its like in the other, None where there is none."""
    ours, theirs = iterate_kept(first), iterate_kept(second)
    one, other = await anext(ours, None), await anext(theirs, None)
    while one is not None or other is not None:
        left = None if one is None else revision_key(one.document)
        right = None if other is None else revision_key(other.document)
        if right is None or (left is not None and left < right):
            yield one, None
            one = await anext(ours, None)
        elif left is None or right < left:
            yield None, other
            other = await anext(theirs, None)
        else:
            yield one, other
            one, other = await anext(ours, None), await anext(theirs, None)


async def batch_revisions(view: View, whole: Set[str] = frozenset()) -> AsyncIterator[list[StoredRevision]]:
    """All that is kept in pieces that fit in memory; one large document is a piece of its own. The revisions of
    documents that are to stay `whole` are never parted."""
    batch: list[StoredRevision] = []
    size = 0
    async for one in iterate_kept(view):
        full = len(batch) >= MAX_REVISIONS or size + one.document.bytes > MAX_BATCH_BYTES
        if batch and full and not (one.document.id in whole and one.document.id == batch[-1].document.id):
            yield batch
            batch, size = [], 0
        batch.append(one)
        size += one.document.bytes
    if batch:
        yield batch
