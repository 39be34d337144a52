"""The texts that a language model wrote about a chunk, and the text of a chunk that is searched."""

from ragstone.core.document_names import list_path_words
from ragstone.core.types import Chunk, Document

SUMMARY, QUESTIONS = "summary", "hypothetical_questions"
ENRICHED = "enriched"  # also of a document's metadata: by what its chunks were enriched
ALIASES = "aliases"  # of a document's metadata
MOST_ALIASES, ALIAS_LENGTH = 20, 100
SEARCHED = "enrichment_searched"  # keyword search reads summary and questions


def list_written(chunk: Chunk) -> list[str]:
    """The summary and questions of a chunk, those that a model wrote; [] where there are none."""
    if not chunk.metadata.get(ENRICHED):
        return []
    written = (chunk.metadata.get(SUMMARY), *(chunk.metadata.get(QUESTIONS) or ()))
    return [str(text) for text in written if text]


def list_aliases(document: Document) -> list[str]:
    """Other names of a document, as notes have them (`aliases` in front matter)."""
    aliases = document.meta.get(ALIASES)
    texts = aliases if isinstance(aliases, list | tuple) else [aliases]
    return [text[:ALIAS_LENGTH] for text in texts[:MOST_ALIASES] if isinstance(text, str)]


def searchable_text(chunk: Chunk) -> str:
    """The searchable text of a chunk: title, aliases, headings, table header, text, and what a model wrote for it."""
    written = list_written(chunk) if chunk.metadata.get(SEARCHED) else ()
    return "\n".join(part for part in (*_list_names(chunk), chunk.text, *written) if part)


def join_names(chunk: Chunk) -> str:
    """The names of a chunk beside its text: title, aliases, headings, table header, and the words of its path."""
    document = chunk.document
    return "\n".join((*_list_names(chunk), " ".join(list_path_words(document.path, document.title))))


def _list_names(chunk: Chunk) -> tuple[str, ...]:
    names = ", ".join(filter(None, (chunk.document.title, *list_aliases(chunk.document))))
    return names, " > ".join(chunk.heading_path), chunk.header
