"""Methods that show stored documents."""

import asyncio
from collections.abc import Sequence
from functools import partial

from ragstone import guard
from ragstone.access import Permission
from ragstone.core.errors import UsageError
from ragstone.core.page_layout import Box
from ragstone.core.records import Info
from ragstone.core.suggestions import describe_absent
from ragstone.core.types import Chunk, Document, Span
from ragstone.engine.page_secrets import find_secret_boxes
from ragstone.engine.permission_checks import verb
from ragstone.engine.verbs.base import VerbGroup
from ragstone.engine.visible_documents import is_visible, list_visible, read_info, read_record


class DocumentVerbs(VerbGroup):
    """The verbs that show chunks, texts, pages and lists."""

    @verb(Permission.SEARCH)
    async def chunk(self, path: str, ordinal: int, *, source: str | None = None) -> Chunk:
        """The active chunk at a place; raises `UsageError` when there is none."""
        async with self.store.reader(self.scope) as reader:
            found = await reader.at(path, ordinal, source=source)
        if found is None or not is_visible(self._components, found.document):
            known = [document.path for document in await list_visible(self._components, source)]
            lacking = f"no chunk {ordinal} of {path!r}" if ordinal and path in known else describe_absent(path, known)
            raise UsageError(f"{lacking} (in collection {self.scope.collection!r})")
        return found

    @verb(Permission.SEARCH)
    async def get(self, identity: str) -> Chunk:
        """The active chunk with this id; raises `UsageError` when there is none."""
        async with self.store.reader(self.scope) as reader:
            found = await reader.chunks([identity])
        if not found or not is_visible(self._components, found[0].document):
            raise UsageError(f"no chunk has the id {identity!r} in collection {self.scope.collection!r}")
        return found[0]

    @verb(Permission.SEARCH)
    async def record(self, path: str, *, source: str | None = None) -> tuple[Document, str]:
        """A document and its text of record; raises `UsageError` when it is not there."""
        return await read_record(self._components, path, source)

    @verb(Permission.SEARCH)
    async def page(self, path: str, number: int, *, source: str | None = None, spans: Sequence[Span] = ()) -> bytes:
        """A page of a document (from 1) as a PNG, drawn from its file: boxes of `spans` are marked, secrets covered.

        Raises `UsageError` when the document has no pages, when its file is gone or changed since it was ingested, or
        when the page shows a secret whose place is not known; `Refused` when there is no such page.
        """
        from ragstone.ingestion import originals

        document, record = await read_record(self._components, path, source)
        covered = await self._locate_secret_boxes(document, record, number)
        data = await originals.read_original(self.store.ledger(self.scope), document)
        passwords = self.settings.passwords
        draw = partial(
            originals.draw_page,
            document,
            data,
            processes=self._components.processes.sandbox_for_files,
            spans=spans,
            covered=covered,
            passwords=passwords,
        )
        return await asyncio.to_thread(draw, page=number)

    async def _locate_secret_boxes(self, document: Document, record: str, page: int) -> list[Box]:
        from ragstone.ingestion.originals import has_pages

        secrets = await asyncio.to_thread(guard.locate_secrets, record)
        if not secrets or not has_pages(document):
            return []
        async with self.store.reader(self.scope) as reader:
            layouts = await reader.layouts([document])
        return find_secret_boxes(document, layouts.get(document.id), record, secrets, page=page)

    @verb(Permission.EXPORT)  # its secrets are not masked
    async def original(self, path: str, *, source: str | None = None) -> tuple[Document, bytes]:
        """A document and the bytes of its file; raises `UsageError` when that is gone or changed since."""
        from ragstone.ingestion.originals import read_original

        document, _ = await read_record(self._components, path, source)
        return document, await read_original(self.store.ledger(self.scope), document)

    @verb(Permission.SEARCH)
    async def info(self) -> Info:
        """The state of the collection; raises `NotBuilt` when it was never made."""
        return await read_info(self._components)

    @verb(Permission.SEARCH)
    async def documents(
        self, source: str | None = None, *, within: str | None = None, identity: str | None = None
    ) -> list[Document]:
        """The newest revision of each document that the caller may see: of all, of those at the path `within` and below
        it, such as the files in an archive, or of the one with the id `identity`."""
        return await list_visible(self._components, source, within=within, identity=identity)
