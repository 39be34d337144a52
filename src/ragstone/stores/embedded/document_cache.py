"""The documents of active revisions that searches have needed: a revision never changes under its key."""

import sqlite3
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ragstone.core.errors import Corrupt
from ragstone.core.types import Document
from ragstone.stores.embedded.database import encode_list
from ragstone.stores.encoding import decode_document


class DocumentCache:
    """Reads documents once in a process. A run of an ingestion, which shows no hits, needs none of them."""

    def __init__(self) -> None:
        self._known: dict[int, Document] = {}

    def __len__(self) -> int:
        return len(self._known)

    def load(self, connection: sqlite3.Connection, keys: NDArray[np.int64]) -> Mapping[int, Document]:
        """The documents of at least these revisions, by key; raises `Corrupt` for one that is missing or damaged."""
        known = self._known
        missing = {key for key in set(keys.tolist()) if key not in known}
        if missing:
            sql = "SELECT key, facts FROM revisions WHERE key IN (SELECT value FROM json_each(?))"
            rows = connection.execute(sql, (encode_list(sorted(missing)),))
            known.update((key, decode_document(facts)) for key, facts in rows)
            if lost := [key for key in missing if key not in known]:
                raise Corrupt(f"revision {min(lost)} of the index has no document; run: ragstone doctor --repair")
        return known

    def select(self, keys: NDArray[np.int64]) -> "DocumentCache":
        """A cache that has of these the ones that were read."""
        cache = DocumentCache()
        cache._known = {key: self._known[key] for key in keys.tolist() if key in self._known}
        return cache
