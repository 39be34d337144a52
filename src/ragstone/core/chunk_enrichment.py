"""The texts that a language model wrote about a chunk, and the text of a chunk that is searched."""

from ragstone.core.types import Chunk

SUMMARY, QUESTIONS = "summary", "hypothetical_questions"
ENRICHED = "enriched"  # also of a document's metadata: by what its chunks were enriched
SEARCHED = "enrichment_searched"  # keyword search reads summary and questions


def list_written(chunk: Chunk) -> list[str]:
    """The summary and questions of a chunk, those that a model wrote; [] where there are none."""
    if not chunk.metadata.get(ENRICHED):
        return []
    written = (chunk.metadata.get(SUMMARY), *(chunk.metadata.get(QUESTIONS) or ()))
    return [str(text) for text in written if text]


def searchable_text(chunk: Chunk) -> str:
    """The searchable text of a chunk: title, headings, table header, text, and what a model wrote for it."""
    written = list_written(chunk) if chunk.metadata.get(SEARCHED) else ()
    parts = (chunk.document.title or "", " > ".join(chunk.heading_path), chunk.header, chunk.text, *written)
    return "\n".join(part for part in parts if part)
