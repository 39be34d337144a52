"""Which active chunks still want a vector."""

import contextlib
import sqlite3
from typing import Any

from ragstone.stores.embedded.chunk_rows import ACTIVE_CHUNKS, CHUNK_COLUMNS
from ragstone.stores.embedded.vector_tables import ACTIVE, VectorTables

LACKS_VECTOR = "c.vector_key != '' AND NOT EXISTS (SELECT 1 FROM {vectors} v WHERE v.key = c.vector_key)"

# Over all chunks, by their keys: exact, 13 ms when 34,000 have theirs, 100 ms when none has.
FIND_ALL = f"""SELECT {CHUNK_COLUMNS}, c.row FROM {ACTIVE_CHUNKS} WHERE c.row IN (
    SELECT min(c.row) FROM {ACTIVE_CHUNKS} WHERE {LACKS_VECTOR} GROUP BY c.vector_key ORDER BY 1 LIMIT ?
) ORDER BY c.row"""  # noqa: S608

# From one row on, in the order of writing; CROSS keeps SQLite from choosing another order.
FIND_ONWARD = f"""SELECT {CHUNK_COLUMNS}, c.row
    FROM chunks c CROSS JOIN revisions r ON r.key = c.rev AND r.status = 'active'
    WHERE c.row >= ? AND {LACKS_VECTOR} ORDER BY c.row"""  # noqa: S608


class MissingVectors:
    """Goes through the chunks as vectors fill in, so that each batch does not look at all of them again."""

    def __init__(self, connection: sqlite3.Connection, tables: VectorTables = ACTIVE) -> None:
        self._connection = connection
        self._all, self._next = (sql.replace("{vectors}", tables.vectors) for sql in (FIND_ALL, FIND_ONWARD))
        self._from = 0

    def find(self, limit: int) -> list[tuple[Any, ...]]:
        """Up to `limit` rows of `CHUNK_COLUMNS`, one a vector key; fewer only when there are no more."""
        if limit <= 0:
            return []
        found = self._find_onward(limit) if self._from else []
        if len(found) < limit:
            found = self._connection.execute(self._all, (limit,)).fetchall()
        self._from = found[0][-1] if found else 0
        return [row[:-1] for row in found]

    def _find_onward(self, limit: int) -> list[tuple[Any, ...]]:
        found: dict[str, tuple[Any, ...]] = {}
        with contextlib.closing(self._connection.execute(self._next, (self._from,))) as rows:
            for row in rows:
                found.setdefault(row[2], row)
                if len(found) >= limit:
                    break
        return list(found.values())
