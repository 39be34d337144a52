"""Compute and store missing vectors in batches; after any interruption the next call continues."""

from ragstone.core.errors import RagstoneError
from ragstone.core.ports import Embedder, Filler, Writer
from ragstone.ingestion.build_revision import RevisionBuilder
from ragstone.ingestion.progress import Progress, Tally
from ragstone.providers.batching import embed_all

EMBED_AT_ONCE = 256


async def fill_vectors(
    writer: Filler | Writer,
    embedder: Embedder,
    builder: RevisionBuilder,
    *,
    total: int,
    tally: Tally,
    progress: Progress,
) -> None:
    """Embed what `writer` wants until it wants nothing; `progress` hears `vectors` of `total`, the chunks that lack
    one."""
    while chunks := await writer.find_unembedded(EMBED_AT_ONCE):
        texts = [builder.format_for_embedding(chunk) for chunk in chunks]
        keys = [chunk.vector_key for chunk in chunks]
        names = [f"{chunk.document.path}#{chunk.ordinal}" for chunk in chunks]
        try:
            async for places, vectors in embed_all(embedder, texts, references=names):
                await writer.put({keys[place]: vector for place, vector in zip(places, vectors, strict=True)})
        except RagstoneError as error:
            raise type(error)(f"{error} (text is searchable; the next run goes on with the vectors)") from error
        tally.embedded += len(chunks)
        await progress.report_stage("vectors", done=tally.embedded, total=max(total, tally.embedded))
    if tally.embedded < total:  # chunks that share a vector, or were lent one
        await progress.report_stage("vectors", done=total, total=total)
