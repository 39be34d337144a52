"""The documents of a collection, and those of them that the caller may see."""

from dataclasses import replace

from ragstone.core.errors import UsageError
from ragstone.core.filter_matching import document_matches
from ragstone.core.filters import Where
from ragstone.core.records import Info
from ragstone.core.suggestions import describe_absent
from ragstone.core.types import Document
from ragstone.engine.components import Components
from ragstone.stores.collection_errors import mixed_chunking_warnings


async def read_info(components: Components) -> Info:
    """The state of the collection; raises `NotBuilt` when it was never made."""
    async with components.stores.store.reader(components.scope) as reader:
        return add_chunking_warning(await reader.info())


def add_chunking_warning(info: Info) -> Info:
    """The state of a collection, degraded where its documents are chunked in several ways."""
    warnings = mixed_chunking_warnings(info.chunkings)
    state = "degraded" if warnings and info.state == "healthy" else info.state
    return replace(info, state=state, warnings=(*info.warnings, *warnings))


async def list_newest(
    components: Components, source: str | None = None, *, within: str | None = None, identity: str | None = None
) -> list[Document]:
    """The newest revision of each document, at the path `within` and below it or with the id `identity` where they are
    given, for any caller."""
    return await components.stores.store.ledger(components.scope).documents(source, within=within, identity=identity)


async def list_visible(
    components: Components, source: str | None, *, within: str | None = None, identity: str | None = None
) -> list[Document]:
    """The newest revision of each document that the caller may see, as `list_newest` gives them."""
    newest = await list_newest(components, source, within=within, identity=identity)
    return [document for document in newest if is_visible(components, document)]


def is_visible(components: Components, document: Document) -> bool:
    """Whether the caller may see a document: a restricted one seems absent to a caller without permission."""
    return components.authenticator.may_read_restricted or document_matches(Where(), document)


async def read_record(components: Components, path: str, source: str | None) -> tuple[Document, str]:
    """A document and its text of record; raises `UsageError` if it does not exist for the caller."""
    async with components.stores.store.reader(components.scope) as reader:
        first = await reader.at(path, 0, source=source)
        if first is not None and not is_visible(components, first.document):
            first = None
        texts = await reader.records([first.document]) if first else {}
    if first is None:
        raise UsageError(describe_absent(path, [document.path for document in await list_visible(components, source)]))
    if first.document.id not in texts:
        raise UsageError(f"the text of {path!r} was not kept")
    return first.document, texts[first.document.id]
