"""The texts that a language model wrote about a chunk, and the text of a chunk that is searched."""

from ragstone.core.types import Chunk

SUMMARY, QUESTIONS = "summary", "hypothetical_questions"
ENRICHED = "enriched"  # also of a document's metadata: by what its chunks were enriched
SEARCHED = "enrichment_searched"  # keyword search reads summary and questions


def list_written(chunk: Chunk) -> list[str]:
    """The summary and questions of a chunk, where keyword search reads them; [] elsewhere."""
    if not chunk.metadata.get(SEARCHED):
        return []
    return [str(chunk.metadata.get(SUMMARY) or ""), *(str(one) for one in chunk.metadata.get(QUESTIONS) or ())]


def searchable_text(chunk: Chunk) -> str:
    """The searchable text of a chunk: title, headings, table header, text, and what a model wrote for it."""
    parts = (chunk.document.title or "", " > ".join(chunk.heading_path), chunk.header, chunk.text, *list_written(chunk))
    return "\n".join(part for part in parts if part)
