"""The open views of several sources, read as one."""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace

from ragstone.config.deadlines import Deadlines
from ragstone.core.page_layout import Layout
from ragstone.core.ports import Reader
from ragstone.core.records import Info
from ragstone.core.types import Chunk, Document, Hit
from ragstone.retrieval.search_context import Source
from ragstone.retrieval.store_timeout import limit_store_time


@dataclass(frozen=True, slots=True)
class SourceView:
    """An open view of one source, with the state that it shows and the ids of the documents that were found there.
    `has_words` says that words were scored there."""

    source: Source
    reader: Reader
    info: Info
    documents: frozenset[str] = frozenset()
    has_words: bool = False


async def open_views(sources: Sequence[Source], stack: AsyncExitStack, deadlines: Deadlines) -> "JoinedReader":
    """Views of all sources, open until the stack is closed; nothing is searched."""
    views = []
    for source in sources:
        async with limit_store_time(deadlines):
            reader = await stack.enter_async_context(source.open_view())
            views.append(SourceView(source, reader, await reader.info()))
    return JoinedReader(tuple(views))


@dataclass(frozen=True, slots=True)
class JoinedReader:
    """The views of several sources; see `ragstone.core.ports.Reader` for each method."""

    views: tuple[SourceView, ...]

    @property
    def infos(self) -> list[Info]:
        """The state of each source, in their order."""
        return [one.info for one in self.views]

    async def idf(self, query: str) -> dict[str, float]:
        """The weight of each word, averaged over the sources: each counts in its own statistics."""
        if len(self.views) == 1:
            return await self.views[0].reader.idf(query)
        counted = [one for one in self.views if one.has_words]
        found = [await one.reader.idf(query) for one in counted]
        terms = dict.fromkeys(term for weights in found for term in weights)
        return {
            term: sum(weights[term] for weights in found if term in weights) / sum(term in weights for weights in found)
            for term in terms
        }

    async def records(self, documents: Sequence[Document]) -> dict[str, str]:
        """The texts of record, each from the source that its document came from."""
        found: dict[str, str] = {}
        for reader, own in self._group_by_owner(documents):
            found |= await reader.records(own)
        return found

    async def layouts(self, documents: Sequence[Document]) -> dict[str, Layout]:
        """The page layouts, each from the source that its document came from."""
        found: dict[str, Layout] = {}
        for reader, own in self._group_by_owner(documents):
            found |= await reader.layouts(own)
        return found

    def _group_by_owner(self, documents: Sequence[Document]) -> list[tuple[Reader, list[Document]]]:
        if len(self.views) == 1:
            return [(self.views[0].reader, list(documents))]
        owners = {identity: one.reader for one in self.views for identity in one.documents}
        own: dict[int, tuple[Reader, list[Document]]] = {}
        for document in documents:
            if reader := owners.get(document.id):
                own.setdefault(id(reader), (reader, []))[1].append(document)
        return list(own.values())

    async def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        """Chunks of the collections, each asked for all: no id stands in two."""
        return [chunk for one in self.views if not one.source.is_table for chunk in await one.reader.chunks(ids)]

    async def reopen(self, stack: AsyncExitStack, deadlines: Deadlines) -> "JoinedReader":
        """New views of the same sources, open until the stack is closed."""
        joined = await open_views([one.source for one in self.views], stack, deadlines)
        pairs = zip(self.views, joined.views, strict=True)
        return JoinedReader(tuple(replace(old, reader=new.reader, info=new.info) for old, new in pairs))


async def look_up_hits(joined: JoinedReader, hits: Sequence[Hit]) -> list[Hit]:
    """The hits whose chunks are still active; a row of a table, where its text is as it was."""
    active: set[str] = set()
    for one in joined.views:
        own = [hit.chunk for hit in hits if hit.chunk.document.id in one.documents]
        if one.source.is_table:
            active |= {chunk.id for chunk in own if await _is_same_row(one.reader, chunk)}
        elif own:
            active |= {chunk.id for chunk in await one.reader.chunks([chunk.id for chunk in own])}
    return [hit for hit in hits if hit.chunk.id in active]


async def _is_same_row(reader: Reader, chunk: Chunk) -> bool:
    now = await reader.at(chunk.document.path, chunk.ordinal, source=chunk.document.source)
    return now is not None and (now.id, now.text) == (chunk.id, chunk.text)
