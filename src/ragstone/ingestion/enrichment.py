"""Summaries and questions that a language model writes for chunks, before their document is stored.

Texts for an unchanged chunk are taken from the revision before, so that the model is asked for new text only. A chunk
for which the model fails stays without; the run goes on, a warning names the document, and the next run asks again.
"""

import asyncio
import hashlib
from collections import deque
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ragstone.core.chunk_enrichment import ENRICHED, SEARCHED
from ragstone.core.errors import RagstoneError, UsageError
from ragstone.core.ids import chunk_id
from ragstone.core.ports import Store
from ragstone.core.types import Chunk, Document, Revision
from ragstone.ingestion.build_revision import RevisionBuilder
from ragstone.ingestion.enricher import KEYS, LACKING, Enricher, build_enrichment_prompt, read_enrichment
from ragstone.ingestion.progress import Tally
from ragstone.ingestion.run_context import RunContext

AT_ONCE = 4  # requests
AHEAD = 8  # documents that are being enriched while one is written
GIVE_UP = 5  # failures in a row after which a run asks no more
LONGEST = 12_000  # characters of a passage that the model is shown
PAGE = 256


def enrich_revisions(
    context: RunContext, prepared: AsyncIterator[Revision | None], before: dict[str, Document], tally: Tally
) -> AsyncIterator[Revision | None]:
    """The revisions of a run in their order, enriched where that is wanted; `before` has the document that
    each was before, by its path, until it is read."""
    if context.enricher is None:
        return prepared
    tally.enriched = 0
    return EnrichmentRun(context.enricher, context.store, context.builder, before, tally).enrich_all(prepared)


@dataclass(slots=True)
class EnrichmentRun:
    """The enrichment of the documents of one run. `before` has the document that each was before, by its path."""

    enricher: Enricher
    store: Store
    builder: RevisionBuilder
    before: dict[str, Document]
    tally: Tally
    _slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))
    _failures: int = 0
    _stopped: str = ""

    async def enrich_all(self, prepared: AsyncIterator[Revision | None]) -> AsyncIterator[Revision | None]:
        """The revisions in their order, enriched; a few documents are under way at once."""
        under_way: deque[asyncio.Task[Revision | None]] = deque()
        try:
            async for revision in prepared:
                under_way.append(asyncio.ensure_future(self._enrich(revision)))
                while under_way and (len(under_way) > AHEAD or under_way[0].done()):
                    yield await under_way.popleft()
            while under_way:
                yield await under_way.popleft()
        finally:
            for task in under_way:
                task.cancel()

    async def _enrich(self, revision: Revision | None) -> Revision | None:
        if revision is None:
            return None
        earlier = await self._read_earlier(self.before.pop(revision.document.path, None))
        made = await asyncio.gather(*(self._enrich_chunk(chunk, earlier) for chunk in revision.chunks))
        reasons = [why for _, why in made if why]
        if reasons:
            self.tally.warnings.append(
                f"{revision.document.path}: {len(reasons)} of {len(made)} chunks have no "
                f"{' and '.join(self.enricher.kinds)}: {reasons[0]}; the next run asks again"
            )
        marked = self.enricher.recipe + (LACKING if reasons else "")
        document = replace(revision.document, meta={**revision.document.meta, ENRICHED: marked})
        chunks = tuple(replace(chunk, document=document) for chunk, _ in made)
        return replace(revision, document=document, chunks=chunks)

    async def _enrich_chunk(self, chunk: Chunk, earlier: Mapping[str, Mapping[str, Any]]) -> tuple[Chunk, str]:
        """The chunk with its texts, or as it was with the reason."""
        shown = self.builder.format_for_embedding(chunk)[:LONGEST]
        key = hashlib.sha256(f"{self.enricher.recipe}\n{shown}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
        if key in earlier:
            return replace(chunk, metadata={**chunk.metadata, **earlier[key]}), ""
        async with self._slots:
            if self._stopped:
                return chunk, self._stopped
            try:
                done = await self.enricher.model.complete(build_enrichment_prompt(shown, self.enricher.kinds))
                written = read_enrichment(done.text, self.enricher.kinds)
            except (RagstoneError, ValueError) as error:
                return chunk, self._count_failure(error)
            self._failures = 0
            self.tally.enriched = (self.tally.enriched or 0) + 1
        marks = {ENRICHED: key, **({SEARCHED: True} if self.enricher.searched else {})}
        return replace(chunk, metadata={**chunk.metadata, **written, **marks}), ""

    def _count_failure(self, error: Exception) -> str:
        """The reason; a model that is refused, or fails again and again, is asked no more in this run."""
        self._failures += 1
        if isinstance(error, UsageError) or self._failures >= GIVE_UP:
            self._stopped = str(error)
        return str(error)

    async def _read_earlier(self, before: Document | None) -> dict[str, Mapping[str, Any]]:
        """The texts of a document's chunks so far, by the hash of recipe and chunk."""
        if before is None or not before.meta.get(ENRICHED):
            return {}
        found: dict[str, Mapping[str, Any]] = {}
        names = (*KEYS.values(), ENRICHED, SEARCHED)
        async with self.store.reader(self.builder.scope) as reader:
            for start in range(0, 1 << 30, PAGE):
                chunks = await reader.chunks([chunk_id(before, n) for n in range(start, start + PAGE)])
                for chunk in chunks:
                    if key := chunk.metadata.get(ENRICHED):
                        found[str(key)] = {name: chunk.metadata[name] for name in names if name in chunk.metadata}
                if len(chunks) < PAGE:
                    return found
        return found
