"""The kept revisions of two views side by side, a page at a time, in one order on every store."""

from collections.abc import AsyncIterator, Set
from contextlib import asynccontextmanager
from dataclasses import dataclass

from ragstone.core.errors import StoreError
from ragstone.core.ports import Exporter, Kept, Reader, Store
from ragstone.core.types import Document, Info, Scope

PAGE = 500  # revisions told of at once
MOST = 128  # revisions carried at once
MOST_BYTES = 4_000_000  # of the documents that they were made from: what is in memory at a time is some times that

Key = tuple[str, int]


@dataclass(frozen=True, slots=True)
class View:
    """One consistent view of a collection, and what it says of itself."""

    exporter: Exporter
    info: Info


@asynccontextmanager
async def viewing(store: Store, scope: Scope) -> AsyncIterator[View]:
    """Open a view; raises `StoreError` for a store that does not give out what it keeps."""
    async with store.reader(scope) as reader:
        yield View(exporter_of(reader, store.provider), await reader.info())


def exporter_of(reader: Reader, provider: str) -> Exporter:
    """The same reader; raises `StoreError` when it is none that gives out all."""
    if not isinstance(reader, Exporter):
        raise StoreError(f"a store of kind {provider!r} does not give out what it keeps: it cannot be copied")
    return reader


def key_of(document: Document) -> Key:
    """A revision's place in the order."""
    return document.id, document.revision


async def pages(view: View) -> AsyncIterator[list[Kept]]:
    """All that is kept, in order."""
    after: Key | None = None
    while found := await view.exporter.kept(after, limit=PAGE):
        yield found
        after = key_of(found[-1].document)


async def each(view: View) -> AsyncIterator[Kept]:
    """The same one by one."""
    async for page in pages(view):
        for one in page:
            yield one


async def paired(first: View, second: View) -> AsyncIterator[tuple[Kept | None, Kept | None]]:
    """Each revision of two views with its like in the other, None where there is none."""
    ours, theirs = each(first), each(second)
    one, other = await anext(ours, None), await anext(theirs, None)
    while one is not None or other is not None:
        left = None if one is None else key_of(one.document)
        right = None if other is None else key_of(other.document)
        if right is None or (left is not None and left < right):
            yield one, None
            one = await anext(ours, None)
        elif left is None or right < left:
            yield None, other
            other = await anext(theirs, None)
        else:
            yield one, other
            one, other = await anext(ours, None), await anext(theirs, None)


async def batches(view: View, whole: Set[str] = frozenset()) -> AsyncIterator[list[Kept]]:
    """All that is kept in pieces that fit in memory; one large document is a piece of its own. The revisions of
    documents that are to stay `whole` are never parted."""
    batch: list[Kept] = []
    size = 0
    async for one in each(view):
        full = len(batch) >= MOST or size + one.document.bytes > MOST_BYTES
        if batch and full and not (one.document.id in whole and one.document.id == batch[-1].document.id):
            yield batch
            batch, size = [], 0
        batch.append(one)
        size += one.document.bytes
    if batch:
        yield batch
