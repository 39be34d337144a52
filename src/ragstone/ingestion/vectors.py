"""Compute and store missing vectors in batches; after any interruption the next call continues."""

from ragstone.core.errors import Corrupt, RagstoneError, extend_message
from ragstone.core.ports import Embedder, Filler, Writer
from ragstone.core.types import Chunk
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
    """Embed what `writer` wants until it wants nothing else; `progress` hears `vectors` of `total`, the chunks that
    lack one. A chunk whose vector cannot be used stays without one, and a warning names it.

    Raises `Corrupt` when the store wants a vector that it has just been given: no number of batches would end that.
    """
    progress.begin_stage("vectors")
    left_out: set[str] = set()
    given: set[str] = set()
    while chunks := await _find_others(writer, left_out):
        texts = [builder.format_for_embedding(chunk) for chunk in chunks]
        keys = [chunk.vector_key for chunk in chunks]
        if again := next((chunk for chunk in chunks if chunk.vector_key in given), None):
            raise Corrupt(
                f"the vector of {again.document.path}#{again.ordinal} was stored, and the store does not find it: one "
                "of its indexes is damaged; run: ragstone doctor --repair"
            )
        given = set()
        names = [f"{chunk.document.path}#{chunk.ordinal}" for chunk in chunks]
        unusable: dict[int, str] = {}
        try:
            async for places, vectors in embed_all(embedder, texts, references=names, unusable=unusable):
                await writer.put({keys[place]: vector for place, vector in zip(places, vectors, strict=True)})
                given.update(keys[place] for place in places)
        except RagstoneError as error:
            more = " (text is searchable; the next run goes on with the vectors)"
            raise extend_message(error, more) from error
        left_out |= set(keys) - given
        tally.warnings += [
            f"{said}: the chunk has no vector and is found by keyword only" for said in unusable.values()
        ]
        tally.embedded += len(chunks) - len(unusable)
        await progress.report_stage("vectors", done=tally.embedded, total=max(total, tally.embedded))
    if tally.embedded < total:  # chunks that share a vector, or were lent one
        await progress.report_stage("vectors", done=total, total=total)


async def _find_others(writer: Filler | Writer, left_out: set[str]) -> list[Chunk]:
    """The next chunks without a vector, but those that cannot have one: the store goes on wanting these."""
    found = await writer.find_unembedded(EMBED_AT_ONCE + len(left_out))
    return [chunk for chunk in found if chunk.vector_key not in left_out][:EMBED_AT_ONCE]
