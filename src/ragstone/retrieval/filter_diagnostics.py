"""Says why a filter may have let nothing pass: groups that no document passes, and fields that nothing has."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ragstone.core.arrays import Vectors
from ragstone.core.filters import CHUNK_FACTS, DOCUMENT_FACTS, Condition, Where
from ragstone.core.ports import Reader
from ragstone.core.records import Info
from ragstone.core.suggestions import find_nearest_path
from ragstone.core.trace import Trace
from ragstone.core.types import Chunk

SAMPLE = 200  # passages whose values are named
NAMED = 5  # values that a note names


def _read_meta(name: str) -> Callable[[Chunk], Any]:
    return lambda chunk: chunk.document.meta.get(name)


# The groups of a filter: as people call them, and where a passage has their values.
GROUPS: Mapping[str, tuple[str, Callable[[Chunk], Any]]] = {
    "sources": ("source", lambda chunk: chunk.document.source),
    "paths": ("path", lambda chunk: chunk.document.path),
    "headers": ("header", lambda chunk: list(chunk.heading_path)),
    "shas": ("sha", lambda _: None),
    "categories": ("category", _read_meta("category")),
    "tags": ("tag", _read_meta("tags")),
    "projects": ("project", _read_meta("project")),
    "doc_types": ("doc_type", _read_meta("doc_type")),
    "date_from": ("date_from", _read_meta("date")),
    "date_to": ("date_to", _read_meta("date")),
    "confidentiality_allow": ("confidentiality", _read_meta("confidentiality")),
}


async def note_filter(reader: Reader, info: Info, where: Where, trace: Trace, *, seconds: float) -> None:
    """Note each group of a filter that no passage passes by itself, with the values that there are, and each field that
    conditions ask for and no passage has; as far as the caller may see.

    One search by meaning a group, for any passage: so it is known only where all passages have vectors.
    """
    if info.dimension is None or info.pending_vectors or not info.chunks:
        return
    anything = np.zeros(info.dimension, np.float32)
    anything[0] = 1
    empty = Where(allow_restricted=where.allow_restricted)
    for name, (label, read) in GROUPS.items():
        asked = getattr(where, name)
        if not asked:
            continue
        alone = replace(empty, tag_mode=where.tag_mode, **{name: asked})
        if not await trace.attempt("filter", reader.nearest(anything, where=alone, limit=1), ["?"], seconds=seconds):
            sample = await trace.attempt("filter", _read_sample(reader, anything, empty), [], seconds=seconds)
            asked = (asked,) if isinstance(asked, str) else asked
            trace.note("filter_group", _describe_group(label, asked, map(read, sample)))
    for name in dict.fromkeys(one.column for one in where.conditions if one.operator != "IS NULL"):
        if name in CHUNK_FACTS or name in DOCUMENT_FACTS:
            continue
        has = Where(conditions=(Condition(name, "IS NOT NULL"),), allow_restricted=where.allow_restricted)
        work = reader.nearest(anything, where=has, limit=1)
        if not await trace.attempt("filter fields", work, ["unknown"], seconds=seconds):
            trace.note("filter_field", f"no document here has the field {name!r} that the filter asks for")


async def _read_sample(reader: Reader, anything: Vectors, where: Where) -> list[Chunk]:
    found = await reader.nearest(anything, where=where, limit=SAMPLE)
    return await reader.chunks([one.id for one in found])


def _describe_group(label: str, asked: Sequence[str], values: Iterable[Any]) -> str:
    """That nothing passes, and the commonest values that there are, the nearest path first."""
    flat = [str(one) for value in values for one in (value if isinstance(value, list | tuple) else [value]) if one]
    known = [one for one, _ in sorted(Counter(flat).items(), key=lambda item: (-item[1], item[0]))]
    near = find_nearest_path(asked[0], known) if label == "path" else None
    known = [near, *(one for one in known if one != near)] if near else known
    wanted = ", ".join(f"{one!r:.60}" for one in asked[:NAMED])
    named = ", ".join(f"{one!r:.60}" for one in known[:NAMED]) + (", …" if len(known) > NAMED else "")
    has = f"; there are {named}" if known else ""
    return f"no document here passes the filter {label} {wanted}{has}"
