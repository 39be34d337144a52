"""Make and store the sparse vectors that chunks lack, in batches; after any interruption the next run continues."""

from ragstone import guard
from ragstone.core.chunk_enrichment import searchable_text
from ragstone.core.errors import RagstoneError, Unavailable, extend_message
from ragstone.core.ports import SparseEncoder, SparseIndex, SparseIndexingStore, SparseReader, SparseState, Store
from ragstone.core.types import Chunk, Scope
from ragstone.ingestion.progress import Progress, Tally
from ragstone.ingestion.run_context import RunContext
from ragstone.stores.model_checks import check_sparse_model

ENCODE_AT_ONCE = 64  # chunks between two writes: what a kill costs, and what is in memory
STAGE = "sparse"


async def read_sparse_state(store: Store, scope: Scope) -> SparseState | None:
    """The sparse vectors of a collection; None where it keeps none."""
    async with store.reader(scope) as reader:
        return await reader.sparse_state() if isinstance(reader, SparseReader) else None


async def check_held_model(context: RunContext) -> None:
    """Raises `UsageError` where the collection keeps sparse vectors of another model than this run would make, before
    it writes anything."""
    if context.sparse is not None and not context.refresh:
        scope = context.builder.scope
        state = await read_sparse_state(context.store, scope)
        check_sparse_model(state.model if state else None, context.sparse.model, scope)


async def update_sparse_index(context: RunContext, tally: Tally, progress: Progress) -> None:
    """Complete the sparse vectors of the active chunks, where the settings want them. With `refresh` those of another
    model give way to the configured one's.

    Raises `UsageError` where the collection keeps those of another model, and the error of the model.
    """
    encoder, store, scope = context.sparse, context.store, context.builder.scope
    if encoder is None or not isinstance(store, SparseIndexingStore):
        return
    progress.begin_stage(STAGE)
    tally.encoded = 0
    async with store.sparse_index(scope) as index:
        held = await read_sparse_state(context.store, scope)
        if context.refresh and held is not None and held.model != encoder.model:
            await index.drop()
        await index.begin(encoder.model)
        state = await read_sparse_state(context.store, scope)
        try:
            await _fill(index, encoder, state.pending if state else 0, tally, progress)
        except RagstoneError as error:
            more = " (everything else is searchable; the next run goes on with the sparse vectors)"
            raise extend_message(error, more) from error
        if context.flush:
            await index.settle()


async def _fill(index: SparseIndex, encoder: SparseEncoder, total: int, tally: Tally, progress: Progress) -> None:
    last = done = 0
    while wanted := await index.find_unindexed(ENCODE_AT_ONCE, after=last):
        last = wanted[-1][0]
        vectors = await encoder.encode([format_for_encoding(chunk) for _, chunk in wanted], kind="document")
        if len(vectors) != len(wanted):
            raise Unavailable(f"{encoder.model} gave {len(vectors)} vectors for {len(wanted)} texts")
        await index.put({number: vector for (number, _), vector in zip(wanted, vectors, strict=True)})
        done += len(wanted)
        tally.encoded = done
        await progress.report_stage(STAGE, done=done, total=max(total, done))


def format_for_encoding(chunk: Chunk) -> str:
    """The text that is searched by words, without its secrets."""
    return searchable_text(guard.mask_chunk(chunk) if chunk.secrets else chunk)
