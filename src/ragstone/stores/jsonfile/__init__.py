"""The json: store: one readable file, nothing but the standard library, keywords only.

A chunk's score is how often the words of the query (split at everything but letters and digits) stand in its
lower-cased text, as signal `count`. Unlike BM25, it knows neither how rare a word is nor how long a text, and has
no scale for a threshold, so its order differs from that of other stores. Every change rewrites the file, so it is for
hundreds of documents, not thousands.
"""

from pathlib import Path

from ragstone.stores.jsonfile.store import JsonStore

__all__ = ["JsonStore", "open_url"]


def open_url(path: str, keep_versions: int, _: object) -> JsonStore:
    """The store in a file."""
    return JsonStore(Path(path).expanduser(), keep_versions=keep_versions)
