"""A question is embedded with the arithmetic of the vectors that a collection holds.

The model of each collection of an open store is remembered, so that a question need not read it before it is embedded;
a search that finds other vectors than it expected embeds its question anew (`follow_model`).
"""

import asyncio
from collections.abc import MutableMapping
from dataclasses import replace
from weakref import WeakKeyDictionary

from ragstone.config.deadlines import Deadlines
from ragstone.core.errors import RagstoneError
from ragstone.core.ports import Store
from ragstone.core.records import Info
from ragstone.core.types import Scope
from ragstone.providers.vector_variant import has_variants, match_variant
from ragstone.retrieval.search_context import SearchContext, Source
from ragstone.retrieval.store_timeout import limit_store_time

Held = tuple[str | None, str | None]  # model and variant of a collection's vectors
REMEMBERED = 10_000  # collections of a store
_SEEN: MutableMapping[Store, dict[Scope, Held]] = WeakKeyDictionary()


async def match_models(context: SearchContext) -> SearchContext:
    """The context with the embedder of each collection as it made the vectors there, as far as that is known."""
    if not any(_may_vary(source) for source in context.sources):
        return context
    sources = await asyncio.gather(*(_match_remembered(source, context.deadlines) for source in context.sources))
    return replace(context, sources=tuple(sources))


def follow_model(source: Source, info: Info) -> Source:
    """The source with the embedder that made the vectors in this state of the collection; the same object where it
    has that one."""
    if not _may_vary(source) or source.store is None or source.scope is None or source.embedder is None:
        return source
    seen = _recall_collections(source.store)
    if len(seen) >= REMEMBERED:
        seen.clear()  # a store may have any number of collections
    seen[source.scope] = info.model, info.variant
    return _with_variant(source, info.model, info.variant)


async def _match_remembered(source: Source, deadlines: Deadlines) -> Source:
    if not _may_vary(source) or source.store is None or source.scope is None:
        return source
    held = _recall_collections(source.store).get(source.scope)
    if held is not None:
        return _with_variant(source, *held)
    try:
        async with limit_store_time(deadlines), source.open_view() as reader:
            return follow_model(source, await reader.info())
    except RagstoneError:  # said by the search that follows
        return source


def _recall_collections(store: Store) -> dict[Scope, Held]:
    try:
        return _SEEN.setdefault(store, {})
    except TypeError:  # a store of the caller's own that is no key of such a mapping
        return {}


def _may_vary(source: Source) -> bool:
    return source.store is not None and source.embedder is not None and has_variants(source.embedder)


def _with_variant(source: Source, model: str | None, variant: str | None) -> Source:
    if source.embedder is None:
        return source
    embedder = match_variant(source.embedder, model, variant)
    return source if embedder is source.embedder else replace(source, embedder=embedder)
