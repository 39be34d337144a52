"""Make and store the vectors of summaries and questions that chunks lack, in batches; after any interruption the next
run continues."""

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np

from ragstone.core.chunk_enrichment import list_written
from ragstone.core.errors import RagstoneError, extend_message
from ragstone.core.ports import Embedder, Store, Vectors, WrittenIndex, WrittenIndexingStore
from ragstone.core.records import Info
from ragstone.core.types import Chunk
from ragstone.ingestion.progress import Progress, Tally
from ragstone.ingestion.run_context import RunContext
from ragstone.providers.batching import embed_all

CHUNKS_AT_ONCE = 64  # between two writes: what a kill costs, and what is in memory
STAGE = "written"


def keeps_written(store: Store) -> bool:
    """Whether the store can keep vectors of summaries and questions."""
    return isinstance(store, WrittenIndexingStore) and "written" in store.capabilities


async def update_written_vectors(context: RunContext, tally: Tally, progress: Progress) -> None:
    """Complete the vectors of the summaries and questions of active chunks, where the settings want them. Those of
    another model than the collection's give way; with `refresh` all go where the settings want none.

    Raises the error of the model.
    """
    store, scope = context.store, context.builder.scope
    if not isinstance(store, WrittenIndexingStore) or not keeps_written(store):
        return
    async with store.reader(scope) as reader:
        info = await reader.info()
    if context.written_vectors and context.embedder is not None and context.model_missing is None:
        progress.begin_stage(STAGE)
        async with store.written_index(scope) as index:
            if info.written is not None and not info.keeps_written:
                await index.drop()
            await _fill(index, context.embedder, info, tally, progress)
    elif info.written is not None and context.refresh and not context.written_vectors:
        async with store.written_index(scope) as index:
            await index.drop()


async def _fill(index: WrittenIndex, embedder: Embedder, info: Info, tally: Tally, progress: Progress) -> None:
    if info.model is None or info.dimension is None:  # nothing was ever embedded here
        return
    await index.begin(info.model, info.variant, info.dimension)
    total = info.written.pending if info.written is not None and info.keeps_written else info.chunks
    last = done = tally.written_texts = 0
    try:
        while wanted := await index.find_unlinked(CHUNKS_AT_ONCE, after=last):
            last = wanted[-1][0]
            await _embed_batch(index, embedder, wanted, tally)
            done += len(wanted)
            await progress.report_stage(STAGE, done=done, total=max(total, done))
    except RagstoneError as error:
        more = " (everything else is searchable; the next run goes on with the vectors of summaries and questions)"
        raise extend_message(error, more) from error


async def _embed_batch(
    index: WrittenIndex, embedder: Embedder, wanted: Sequence[tuple[int, Chunk]], tally: Tally
) -> None:
    """Have these chunks refer to the vectors of their texts; only those that no other chunk has are made."""
    keys = {number: make_key(list_written(chunk)) for number, chunk in wanted}
    known = await index.find_known({key for key in keys.values() if key})
    owners = {keys[number]: chunk for number, chunk in wanted if keys[number] and keys[number] not in known}
    vectors = await _embed_texts(embedder, owners, tally)
    lost = owners.keys() - vectors.keys()
    await index.put({number: "" if key in lost else key for number, key in keys.items()}, vectors)


async def _embed_texts(embedder: Embedder, owners: Mapping[str, Chunk], tally: Tally) -> dict[str, Vectors]:
    """The vectors of the texts of each chunk, by their key. A text whose vector cannot be used is left out, and a
    warning names its chunk."""
    texts = [(key, text) for key, chunk in owners.items() for text in list_written(chunk)]
    names = [f"a summary or question of {owners[key].document.path}#{owners[key].ordinal}" for key, _ in texts]
    made: dict[int, Vectors] = {}
    unusable: dict[int, str] = {}
    async for places, rows in embed_all(embedder, [text for _, text in texts], references=names, unusable=unusable):
        made |= zip(places, rows, strict=True)
    tally.written_texts = (tally.written_texts or 0) + len(made)
    tally.warnings += [f"{said}: it is left out" for _, said in sorted(unusable.items())]
    by_key: dict[str, list[Vectors]] = {}
    for place in sorted(made):
        by_key.setdefault(texts[place][0], []).append(made[place])
    return {key: np.stack(rows) for key, rows in by_key.items()}


def make_key(texts: Sequence[str]) -> str:
    """The key of the vectors of some texts of one line each; empty where there are none."""
    return hashlib.sha256("\n".join(texts).encode("utf-8", "surrogatepass")).hexdigest() if texts else ""
