"""Cosines, computed the same way on every store, and what a vector must be to be stored or asked with."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ragstone.core.errors import StoreError, UsageError
from ragstone.core.ports import Vectors

DENSE_SHARE = 4  # reading on beats picking rows from a quarter of the file up (measured at 17,000 rows of 384)
OFF_UNIT = 1e-3  # how far from 1 a stored vector's length may be: rounding, not another scale
COSINE_SLACK = 4 * OFF_UNIT  # two of them can be off in opposite directions, and float32 adds its own, far smaller
SCAN_ROWS = (
    1_024  # rows multiplied at a time: more, and two BLAS threads wait for each other (8 ms for 1 on a busy machine)
)

Scores = NDArray[np.float64]
SlotArray = NDArray[np.int64]


class Rows(Protocol):
    """Vectors by slot: an array of shape (rows, dimension), or what gives parts of one when asked."""

    def __len__(self) -> int: ...

    def __getitem__(self, at: slice | SlotArray, /) -> Vectors: ...


def check_stored_vector(key: str, vector: Vectors, dimension: int) -> Vectors:
    """Check that a vector is float32, of this dimension and of length 1, and return it; `StoreError` names its key."""
    row = np.asarray(vector)
    if row.dtype != np.float32 or row.shape != (dimension,):
        raise StoreError(
            f"the vector of {key} is {row.dtype} of shape {row.shape}; float32 of shape ({dimension},) was expected"
        )
    length = float(np.linalg.norm(row.astype(np.float64)))
    if not abs(length - 1) <= OFF_UNIT:
        raise StoreError(f"the vector of {key} has length {length:g}; a finite one of length 1 was expected")
    return row


def normalize_query(vector: Vectors, dimension: int) -> Scores:
    """A question's vector at length 1 in float64; raises `UsageError` when it is of another kind."""
    query = np.asarray(vector, dtype=np.float64).reshape(-1)
    norm = float(np.linalg.norm(query))
    if len(query) != dimension:
        raise UsageError(f"the question's vector has {len(query)} dimensions, the collection's have {dimension}")
    if not np.isfinite(norm) or norm == 0:
        raise UsageError("the question's vector is zero or not finite")
    return query / norm


def cosines(rows: Rows, slots: SlotArray, query: Scores) -> Scores:
    """Cosines in float64, each row by itself, so that its place in the file cannot change the last digit."""
    out = np.empty(len(slots))
    for start in range(0, len(slots), SCAN_ROWS):
        part = rows[slots[start : start + SCAN_ROWS]].astype(np.float64)
        norms = np.sqrt((part * part).sum(axis=1))
        out[start : start + len(part)] = (part * query).sum(axis=1) / norms
    return out


def rough_cosines(rows: Rows, slots: SlotArray, query: Vectors) -> NDArray[np.float32]:
    """rows[slots] · query in float32: over the whole file where most of it is wanted, else row by row."""
    dense = DENSE_SHARE * len(slots) >= len(rows)
    count = len(rows) if dense else len(slots)
    out = np.empty(count, dtype=np.float32)
    for start in range(0, count, SCAN_ROWS):
        part = slice(start, start + SCAN_ROWS)
        np.vecdot(rows[part] if dense else rows[slots[part]], query, out=out[part])
    return out[slots] if dense else out
