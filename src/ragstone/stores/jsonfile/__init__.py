"""The json: store: one readable file, nothing but the standard library, keywords only.

A chunk's score is how often the words of the query (split at everything but letters and digits) stand in its
lower-cased text. It comes under the name of the keyword retriever, `bm25`, and is none: it has no inverse document
frequency, no length, and no scale that a threshold could be set on. Every change rewrites the file, so it is for
hundreds of documents, not thousands.
"""

from pathlib import Path

from ragstone.stores.jsonfile.store import JsonStore

__all__ = ["JsonStore", "open_url"]


def open_url(path: str, keep_versions: int, _: object) -> JsonStore:
    """The store in a file."""
    return JsonStore(Path(path).expanduser(), keep_versions=keep_versions)
