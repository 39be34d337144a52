"""The exit status of a question whose notes say that a part of the search could not do its work."""

from collections.abc import Iterable

from ragstone.core.answers import Note

# What keeps a model from its work, and the exit status that it gives beside what was found without it.
NOTE_STATUSES = {
    "standalone_failed": 1,
    "llm_unavailable": 1,
    "llm_refused": 2,
    "embedding_failed": 1,
    "embedding_refused": 2,
    "rerank_refused": 2,
    "splade_refused": 2,
}


def status_from_notes(notes: Iterable[Note]) -> int:
    """The exit status that notes ask for."""
    return max((NOTE_STATUSES.get(note.code, 0) for note in notes), default=0)
