"""Says why a filter may have let nothing pass: fields that nothing in the collection has."""

import numpy as np

from ragstone.core.filters import CHUNK_FACTS, DOCUMENT_FACTS, Condition, Where
from ragstone.core.ports import Reader
from ragstone.core.records import Info
from ragstone.core.trace import Trace


async def note_unknown_fields(reader: Reader, info: Info, where: Where, trace: Trace, *, seconds: float) -> None:
    """Note each field that conditions ask for and no passage has, as far as the caller may see.

    One search by meaning a field, for any passage that has it: so it is known only where all passages have vectors.
    """
    if info.dimension is None or info.pending_vectors or not info.chunks:
        return
    anything = np.zeros(info.dimension, np.float32)
    anything[0] = 1
    for name in dict.fromkeys(one.column for one in where.conditions if one.operator != "IS NULL"):
        if name in CHUNK_FACTS or name in DOCUMENT_FACTS:
            continue
        has = Where(conditions=(Condition(name, "IS NOT NULL"),), allow_restricted=where.allow_restricted)
        work = reader.nearest(anything, where=has, limit=1)
        if not await trace.attempt("filter fields", work, ["unknown"], seconds=seconds):
            trace.note("filter_field", f"no document here has the field {name!r} that the filter asks for")
