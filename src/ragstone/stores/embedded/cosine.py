"""A quick pass in float32 over the vector file: it leaves most out, exact cosines are for the rest."""

import numpy as np
from numpy.typing import NDArray

from ragstone.core.ports import Vectors
from ragstone.stores.cosine import OFF_UNIT, SCAN_ROWS, Rows
from ragstone.stores.embedded.mirror import Int64s

DENSE_SHARE = 4  # reading on beats picking rows from a quarter of the file up (measured at 17,000 rows of 384)
COSINE_SLACK = 4 * OFF_UNIT  # two of them can be off in opposite directions, and float32 adds its own, far smaller


def rough_cosines(rows: Rows, slots: Int64s, query: Vectors) -> NDArray[np.float32]:
    """rows[slots] · query in float32: over the whole file where most of it is wanted, else row by row."""
    dense = DENSE_SHARE * len(slots) >= len(rows)
    count = len(rows) if dense else len(slots)
    out = np.empty(count, dtype=np.float32)
    for start in range(0, count, SCAN_ROWS):
        part = slice(start, start + SCAN_ROWS)
        np.dot(rows[part] if dense else rows[slots[part]], query, out=out[part])
    return out[slots] if dense else out
