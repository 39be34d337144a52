"""The keys of a chunk's metadata for the texts that a language model wrote about it."""

from ragstone.core.types import Chunk

SUMMARY, QUESTIONS = "summary", "hypothetical_questions"
ENRICHED = "enriched"  # also of a document's metadata: by what its chunks were enriched
SEARCHED = "enrichment_searched"  # keyword search reads summary and questions


def list_written(chunk: Chunk) -> list[str]:
    """The summary and questions of a chunk, where keyword search reads them; [] elsewhere."""
    if not chunk.metadata.get(SEARCHED):
        return []
    return [str(chunk.metadata.get(SUMMARY) or ""), *(str(one) for one in chunk.metadata.get(QUESTIONS) or ())]
