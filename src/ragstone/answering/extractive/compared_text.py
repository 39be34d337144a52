"""The text of a passage that is compared with the question, and the names above it."""

from collections.abc import Set

from ragstone import guard
from ragstone.answering.extractive.passages import Passage, chunk_title
from ragstone.core.analyzer import extract_terms
from ragstone.core.chunk_enrichment import list_aliases
from ragstone.core.document_names import list_name_words
from ragstone.core.headings import name_heading
from ragstone.core.types import Chunk


def place_below_names(passage: Passage, named: Set[str]) -> tuple[str, str]:
    """The names above a passage, and the passage. A sentence seldom repeats its subject: title and headings name it,
    and of documents that say the same, as contracts do, folder, file and the subject of a mail: those of their words
    whose terms are names or numbers of the question (`named`)."""
    chunk = passage.chunk
    words = list_name_words(chunk.document.path, chunk.document.title, chunk.document.meta)
    path = " ".join(word for word in words if not named.isdisjoint(extract_terms(word)))
    names = (path, chunk.document.title or "", *chunk.heading_path, *passage.sections, passage.declared)
    above = " > ".join(name for name in names if name and name_heading(name) not in passage.closed)
    return guard.mask_secrets(above), guard.mask_chunk_part(chunk, passage.start, passage.end)


def text_above(chunk: Chunk, closed: Set[str] = frozenset()) -> str:
    """The text above a chunk: its headings, its document's title and aliases, the head of its table. A title that is
    among `closed`, by `name_heading`, heads another section, as the first of several tickets, and is left out."""
    names = (chunk.document.title or "", *list_aliases(chunk.document), chunk_title(chunk))
    own = (name for name in names if not closed or name_heading(name) not in closed)
    return " ".join((*chunk.heading_path, *own, chunk.header))
