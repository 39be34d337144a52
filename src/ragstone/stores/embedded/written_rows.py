"""The tables of the vectors of summaries and questions: written, searched, checked. Shapes: `schema.sql`, format 6."""

import sqlite3
from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import google_crc32c
import numpy as np
from numpy.typing import NDArray

from ragstone.core.errors import Corrupt
from ragstone.core.ports import Vectors
from ragstone.core.records import WrittenState
from ragstone.stores.cosine import COSINE_SLACK, Scores, cosines
from ragstone.stores.embedded.chunk_rows import ACTIVE_CHUNKS
from ragstone.stores.embedded.database import encode_list, write_transaction
from ragstone.stores.embedded.mirror import Flags, Int64s, Mirror
from ragstone.stores.written_vectors import quantize

MODEL_KEYS = ("written_model", "written_variant", "written_dimension")  # in meta
READ_MODEL = "SELECT key, value FROM meta WHERE key IN (?, ?, ?)"
LACKS = "NOT EXISTS (SELECT 1 FROM written_links l WHERE l.row = c.row)"
COUNT_PENDING = f"SELECT count(*) FROM {ACTIVE_CHUNKS} WHERE {LACKS}"  # noqa: S608
LINKS = "SELECT row, vectors FROM written_links WHERE vectors IS NOT NULL ORDER BY row"
LINKS_OF = (
    "SELECT row, vectors FROM written_links WHERE vectors IS NOT NULL AND row IN (SELECT value FROM json_each(?))"
)
ALL = "SELECT id, key, vectors, checksum FROM written_vectors ORDER BY id"
SOME = "SELECT id, key, vectors, checksum FROM written_vectors WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id"
UNUSED = "NOT EXISTS (SELECT 1 FROM written_links l WHERE l.vectors = v.id)"
BLOCK = 128  # rows in memory at once
DENSE_SHARE = 4  # reading on beats looking up from a quarter of the rows up


class Block(NamedTuple):
    """Vectors of some rows, as they are kept: of row i those from `starts[i]` on."""

    ids: Int64s
    vectors: NDArray[np.int8]
    starts: Int64s


# The model, and what is there


def read_model(connection: sqlite3.Connection) -> tuple[str, str | None, int] | None:
    """Model, variant and dimension; None where the collection keeps no such vectors, or its format has none."""
    found = dict(connection.execute(READ_MODEL, MODEL_KEYS).fetchall())
    if MODEL_KEYS[0] not in found:
        return None
    model, variant, dimension = (found.get(key) for key in MODEL_KEYS)
    return str(model), variant, int(dimension or 0)


def read_written_state(connection: sqlite3.Connection) -> WrittenState | None:
    """The model, and how many active chunks were not looked at yet."""
    model = read_model(connection)
    return WrittenState(*model, connection.execute(COUNT_PENDING).fetchone()[0]) if model is not None else None


def set_model(connection: sqlite3.Connection, model: tuple[str, str | None, int]) -> None:
    """Note the model, in a collection that keeps none."""
    connection.executemany("REPLACE INTO meta VALUES (?, ?)", zip(MODEL_KEYS, model, strict=True))


def forget_model(connection: sqlite3.Connection) -> None:
    """Delete the model with all its vectors."""
    for table in ("written_links", "written_vectors"):
        connection.execute(f"DELETE FROM {table}")  # noqa: S608
    connection.executemany("DELETE FROM meta WHERE key = ?", [(key,) for key in MODEL_KEYS])


def find_known(connection: sqlite3.Connection, keys: Collection[str]) -> dict[str, int]:
    """The ids of the vectors that have these keys."""
    sql = "SELECT key, id FROM written_vectors WHERE key IN (SELECT value FROM json_each(?))"
    return dict(connection.execute(sql, (encode_list(sorted(keys)),)).fetchall())


def write_vectors(connection: sqlite3.Connection, vectors: Mapping[str, Vectors]) -> None:
    """Write vectors by keys that have none."""
    packed = ((key, quantize(own).tobytes()) for key, own in vectors.items())
    rows = ((key, data, _checksum(key, data)) for key, data in packed)
    connection.executemany("INSERT INTO written_vectors (key, vectors, checksum) VALUES (?, ?, ?)", rows)


def write_links(connection: sqlite3.Connection, links: Mapping[int, int | None]) -> None:
    """Have the chunks of these rows refer to vectors by their ids, or to none."""
    connection.executemany("INSERT INTO written_links VALUES (?, ?)", links.items())


def forget_unused(connection: sqlite3.Connection) -> None:
    """Delete the vectors that no kept chunk refers to."""
    if connection.execute(f"SELECT 1 FROM written_vectors v WHERE {UNUSED} LIMIT 1").fetchone():  # noqa: S608
        with write_transaction(connection):
            connection.execute(f"DELETE FROM written_vectors AS v WHERE {UNUSED}")  # noqa: S608


# Questions


def score_chunks(
    connection: sqlite3.Connection, mirror: Mirror, passing: Flags, query: Scores, limit: int
) -> tuple[Int64s, Scores]:
    """Positions of the mirror that pass, at least the best `limit`, with the best cosine of each; a block of vectors is
    in memory at a time."""
    linked = read_links(connection)
    at = mirror.find_positions(linked[:, 0])
    keep = (at >= 0) & passing[at]
    at, ids = at[keep], linked[keep, 1]
    if not len(at):
        return at, np.zeros(0)
    rough = _best_products(connection, ids, query)
    if limit < len(at):
        near = rough >= np.partition(rough, len(at) - limit)[len(at) - limit] - COSINE_SLACK
        at, ids = at[near], ids[near]
    best = _best_cosines(connection, ids, query)
    return at, np.array([best[number] for number in ids.tolist()])


def read_links(connection: sqlite3.Connection) -> Int64s:
    """The row of each chunk that has vectors, and their id, shape (chunks, 2): 16 bytes a chunk in memory."""
    links = array("q", chain.from_iterable(connection.execute(LINKS)))  # `fromiter` of numpy 2.5 takes twice that
    return np.asarray(links, dtype=np.int64).reshape(-1, 2)


def rate_rows(connection: sqlite3.Connection, rows: Sequence[int], query: Scores) -> dict[int, float]:
    """The best cosine of each of these chunks that has vectors, by their rows."""
    links = connection.execute(LINKS_OF, (encode_list(list(rows)),)).fetchall()
    best = _best_cosines(connection, np.array([number for _, number in links], dtype=np.int64), query)
    return {row: best[number] for row, number in links}


def _best_products(connection: sqlite3.Connection, ids: Int64s, query: Scores) -> NDArray[np.float32]:
    """About the best cosine of each of the rows with these ids, in single precision."""
    wanted, places = np.unique(ids, return_inverse=True)
    best = np.full(len(wanted), -2, dtype=np.float32)
    [(most,)] = connection.execute("SELECT count(*) FROM written_vectors")
    dense = DENSE_SHARE * len(wanted) >= most
    single = query.astype(np.float32)
    for block in _read_blocks(connection, len(query), None if dense else wanted):
        rows = block.vectors.astype(np.float32)
        cosine = rows @ single / np.sqrt(np.einsum("ij,ij->i", rows, rows))
        found = np.maximum.reduceat(cosine, block.starts)
        at = np.searchsorted(wanted, block.ids).clip(max=len(wanted) - 1)
        known = wanted[at] == block.ids
        best[at[known]] = found[known]
    out: NDArray[np.float32] = best[places]
    return out


def _best_cosines(connection: sqlite3.Connection, ids: Int64s, query: Scores) -> dict[int, float]:
    best: dict[int, float] = {}
    for block in _read_blocks(connection, len(query), np.unique(ids)) if len(ids) else ():
        own = cosines(block.vectors.astype(np.float32), np.arange(len(block.vectors)), query)
        best |= zip(block.ids.tolist(), np.maximum.reduceat(own, block.starts).tolist(), strict=True)
    return best


def _read_blocks(connection: sqlite3.Connection, dimension: int, ids: Int64s | None) -> Iterator[Block]:
    """The rows with these ids, or all, by id; raises `Corrupt` for changed ones."""
    found = connection.execute(ALL) if ids is None else connection.execute(SOME, (encode_list(ids.tolist()),))
    while rows := found.fetchmany(BLOCK):
        if not all(_is_sound(key, data, checksum, dimension) for _, key, data, checksum in rows):
            raise Corrupt(
                "vectors of summaries and questions do not match their checksum; run: ragstone doctor --repair"
            )
        counts = np.array([len(data) // dimension for _, _, data, _ in rows])
        joined = np.frombuffer(b"".join(data for _, _, data, _ in rows), dtype=np.int8).reshape(-1, dimension)
        yield Block(np.array([row[0] for row in rows]), joined, np.cumsum(counts) - counts)


def _checksum(key: str, data: bytes) -> int:
    return int(google_crc32c.extend(google_crc32c.value(key.encode()), data))


def _is_sound(key: str, data: bytes, checksum: int, dimension: int) -> bool:
    return bool(data) and len(data) % dimension == 0 and _checksum(key, data) == checksum


# Checks


def find_damaged(connection: sqlite3.Connection) -> list[int]:
    """The ids of vectors that are not as they were written."""
    if (model := read_model(connection)) is None:
        return []
    found = connection.execute(ALL)
    return [number for number, key, data, checksum in found if not _is_sound(key, data, checksum, model[2])]


def remove_damaged(connection: sqlite3.Connection) -> None:
    """Delete damaged vectors with what refers to them: their chunks are looked at again."""
    if damaged := find_damaged(connection):
        with write_transaction(connection):
            sql = "DELETE FROM written_vectors WHERE id IN (SELECT value FROM json_each(?))"
            connection.execute(sql, (encode_list(damaged),))
