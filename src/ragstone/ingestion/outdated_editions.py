"""Terms, flags and secrets of stored documents, derived anew where analyser or guard changed; nothing is embedded."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Collection, Iterable, Sequence
from contextlib import aclosing
from dataclasses import replace
from weakref import WeakKeyDictionary

from ragstone import guard
from ragstone.core.errors import Busy
from ragstone.core.ports import Exporter, Reader, Store
from ragstone.core.types import Chunk, Document, Revision, Scope
from ragstone.ingestion.progress import EventCallback, Progress, Tally
from ragstone.ingestion.run_context import RunContext

PAGE = 512  # revisions that are listed at once
Place = tuple[str, int]  # a document and a revision of it
MAX_REVISIONS = 64  # derived and committed together
MAX_BYTES = 4_000_000  # of the files that they were made from
_renewed: WeakKeyDictionary[Store, set[tuple[Scope, str, str]]] = WeakKeyDictionary()  # by this process


async def renew_sources(
    store: Store, scope: Scope, *, except_: Collection[str] = (), tell: EventCallback = lambda _event: None
) -> list[str]:
    """Derive anew what stored text gives under the present edition, for each source of a collection in a run of its
    own, which keeps other runs away from its documents. Gives a sentence for each source that could not be renewed."""
    async with store.reader(scope) as reader:
        editions = (await reader.info()).editions
    edition, ledger = guard.current_edition(), store.ledger(scope)
    if all(one == edition for one in editions):
        return []
    async with store.reader(scope) as reader:
        stale = {one.source async for group in _scan_documents(reader) for one in group if one.edition != edition}
    problems = []
    for source in sorted(stale - set(except_)):
        tally = Tally()
        progress = Progress(ledger, source, config={"edition": edition}, tally=tally, tell=tell)
        try:
            async with progress.record_run():
                await renew_outdated(store, scope, source, tally, progress)
                async with store.writer(scope) as writer:
                    await writer.settle()
            await progress.end("succeeded")
        except Busy as error:
            problems.append(f"documents of source {source!r} could not be brought up to date now: {error}")
        problems += tally.warnings
    return problems


async def renew_outdated(store: Store, scope: Scope, source: str, tally: Tally, progress: Progress) -> None:
    """Derive anew what stored text gives under the present edition, for all documents of the source of this run. Each
    batch is one commit, so the next run continues after an interruption."""
    progress.begin_stage("editions")
    edition = guard.current_edition()
    async with store.reader(scope) as reader:
        if not isinstance(reader, Exporter):
            if any(one != edition for one in (await reader.info()).editions):
                tally.warnings.append("this store cannot bring documents of another version up to date; use --refresh")
            return
        sizes = [len(group) async for group in _scan_stale(reader, source, edition)]
    done, after = 0, None
    if sizes:
        async with store.writer(scope) as writer:
            while (read := await _read_batch(store, scope, source, after)) is not None:
                found, after = read
                await writer.renew(await asyncio.to_thread(_derive_all, found, edition))
                done += len(found)
                await progress.report_stage("editions", done=done, total=sum(sizes))
    tally.renewed += len(sizes)
    _renewed.setdefault(store, set()).add((scope, source, edition))


def was_renewed(context: RunContext, source: str) -> bool:
    """Whether this process has renewed a source in this store: each of many small runs would look through it else,
    while documents of other sources are of another edition."""
    return (context.builder.scope, source, guard.current_edition()) in _renewed.get(context.store, ())


async def _read_batch(
    store: Store, scope: Scope, source: str, after: Place | None
) -> tuple[list[Revision], Place] | None:
    """The next revisions to derive after a place in the order of the store, and the place of their last; None at the
    end. A view is open while they are read only: a database ends transactions that wait for long."""
    async with store.reader(scope) as reader:
        assert isinstance(reader, Exporter)  # the caller has looked
        groups = _scan_stale(reader, source, guard.current_edition(), after)
        async with aclosing(_scan_batches(groups)) as batches:
            async for batch in batches:
                return await reader.revisions(batch), (batch[-1].id, batch[-1].revision)
    return None


async def _scan_documents(reader: Reader, after: Place | None = None) -> AsyncGenerator[list[Document]]:
    """The revisions of each document, from the oldest up; none of a store that cannot list them."""
    group: list[Document] = []
    while isinstance(reader, Exporter) and (page := await reader.list_revisions_after(after, limit=PAGE)):
        for one in page:
            if group and group[-1].id != one.document.id:
                yield group
                group = []
            group.append(one.document)
        after = (page[-1].document.id, page[-1].document.revision)
    if group:
        yield group


async def _scan_stale(
    reader: Reader, source: str, edition: str, after: Place | None = None
) -> AsyncGenerator[list[Document]]:
    """All revisions of each document of a source that has one of another edition."""
    async with aclosing(_scan_documents(reader, after)) as groups:
        async for group in groups:
            if group[0].source == source and any(one.edition != edition for one in group):
                yield group


async def _scan_batches(groups: AsyncGenerator[list[Document]]) -> AsyncGenerator[list[Document]]:
    """All revisions of a document together, as `renew` wants them: from the oldest up."""
    batch: list[Document] = []
    async with aclosing(groups):
        async for group in groups:
            if len(batch) + len(group) > MAX_REVISIONS or sum(one.bytes for one in batch) >= MAX_BYTES:
                if batch:
                    yield batch
                batch = []
            batch += group
    if batch:
        yield batch


def _derive_all(revisions: Sequence[Revision], edition: str) -> list[Revision]:
    return [_derive_anew(one, edition) for one in revisions]


def _derive_anew(revision: Revision, edition: str) -> Revision:
    """The revision under another edition: a store derives its terms when it writes them. The addresses of vectors
    stay, though a secret found only now was embedded."""
    document = replace(revision.document, edition=edition)
    found = guard.locate_secrets(revision.record)
    chunks = tuple(_derive_chunk(chunk, document, found) for chunk in revision.chunks)
    return replace(revision, document=document, chunks=chunks)


def _derive_chunk(chunk: Chunk, document: Document, found: Sequence[tuple[int, int, str]]) -> Chunk:
    flags, risk = guard.assess_injection(chunk.text)
    secrets = guard.select_secrets(found, chunk.spans)
    return replace(chunk, document=document, flags=flags, risk_score=risk, secrets=secrets)


def describe_outdated(documents: Iterable[Document]) -> list[str]:
    """A sentence for each source with documents of another edition than the present one."""
    edition = guard.current_edition()
    stale = Counter(document.source for document in documents if document.edition != edition)
    return [
        f"{count} documents of source {source!r} have terms and flags of another version of analyser or guard: some "
        "words may not be found; ragstone doctor --repair, or the next ingest, brings them up to date without embedding"
        for source, count in sorted(stale.items())
    ]
