"""Says why a filter may have let nothing pass: groups that no document passes, and fields that nothing has."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ragstone import guard
from ragstone.core.filter_matching import collect_facts, matches
from ragstone.core.filters import CHUNK_FACTS, DOCUMENT_FACTS, Condition, Where
from ragstone.core.ports import Exporter, Reader
from ragstone.core.records import Info
from ragstone.core.suggestions import find_nearest_path
from ragstone.core.trace import Trace
from ragstone.core.types import Chunk

FILTER_GROUP, FILTER_FIELD = "filter_group", "filter_field"
SAMPLE = 200  # passages whose values are named
MOST_LISTED, LISTED_AT_ONCE = 2_000, 100  # documents that are looked through where no search tells
Look = Callable[[Where, int], Awaitable[list[Chunk]]]
NAMED = 5  # values that a note names
LONGEST = 58  # characters of one of them


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
    """Note each group and each condition of a filter that no passage passes by itself, with the values that there are,
    and each field that conditions ask for and no passage has; as far as the caller may see.

    One search for any passage a group. So it is known where all passages have vectors, and where the store can list a
    few documents whole.
    """
    look = _choose_look(reader, info)
    if look is None:
        return

    async def find(alone: Where, limit: int) -> list[Chunk] | None:
        return await trace.attempt("filter", look(alone, limit), None, seconds=seconds)

    empty = Where(allow_restricted=where.allow_restricted)
    for name, (label, read) in GROUPS.items():
        asked = getattr(where, name)
        if asked and await find(replace(empty, tag_mode=where.tag_mode, **{name: asked}), 1) == []:
            sample = await find(empty, SAMPLE) or []
            asked = (asked,) if isinstance(asked, str) else asked
            trace.note(FILTER_GROUP, _describe_group(label, asked, map(read, sample)))
    for condition in dict.fromkeys(where.conditions):
        name = condition.column
        if await find(replace(empty, conditions=(condition,)), 1) != []:
            continue
        is_field = name not in CHUNK_FACTS and name not in DOCUMENT_FACTS
        has = replace(empty, conditions=(Condition(name, "IS NOT NULL"),))
        if is_field and condition.operator != "IS NULL" and await find(has, 1) == []:
            trace.note(FILTER_FIELD, f"no document here has the field {name!r} that the filter asks for")
            continue
        values = [collect_facts(chunk).get(name) for chunk in await find(empty, SAMPLE) or []]
        trace.note(FILTER_GROUP, _describe_condition(condition, values))


def _choose_look(reader: Reader, info: Info) -> Look | None:
    """How to find passages that pass a filter, whatever they say; None where nothing can tell that there are none."""
    if not info.chunks:
        return None
    if info.dimension is not None and not info.pending_vectors:
        return partial(_find_nearest, reader, info.dimension)
    if isinstance(reader, Exporter) and info.documents <= MOST_LISTED:
        return partial(_list_passing, reader)
    return None


async def _find_nearest(reader: Reader, dimension: int, where: Where, limit: int) -> list[Chunk]:
    anything = np.zeros(dimension, np.float32)
    anything[0] = 1
    found = await reader.nearest(anything, where=where, limit=limit)
    return await reader.chunks([one.id for one in found])


async def _list_passing(reader: Exporter, where: Where, limit: int) -> list[Chunk]:
    out: list[Chunk] = []
    after: tuple[str, int] | None = None
    while len(out) < limit and (batch := await reader.list_revisions_after(after, limit=LISTED_AT_ONCE)):
        after = batch[-1].document.id, batch[-1].document.revision
        active = [one.document for one in batch if one.status == "active"]
        for revision in await reader.revisions(active):
            out += [chunk for chunk in revision.chunks if matches(where, collect_facts(chunk))]
    return out[:limit]


def _describe_condition(condition: Condition, values: Iterable[Any]) -> str:
    value = condition.value
    asked = () if value is None else value if isinstance(value, tuple) else (value,)
    values = [value for value in values if not guard.locate_secrets(f"{condition.column}: {value}")]
    return _describe_group(f"{condition.column} {condition.operator}", asked, values)


def _describe_group(label: str, asked: Sequence[Any], values: Iterable[Any]) -> str:
    """That nothing passes, and the commonest values that there are, the nearest path first."""
    single = [one for value in values for one in (value if isinstance(value, list | tuple) else [value])]
    flat = [str(one) for one in single if one not in (None, "")]
    known = [one for one, _ in sorted(Counter(flat).items(), key=lambda item: (-item[1], item[0]))]
    near = find_nearest_path(str(asked[0]), known) if label.partition(" ")[0] == "path" and asked else None
    known = [near, *(one for one in known if one != near)] if near else known
    wanted = ", ".join(repr(_shorten(one)) for one in asked[:NAMED])
    named = ", ".join(repr(_shorten(one)) for one in known[:NAMED]) + (", …" if len(known) > NAMED else "")
    has = f"; there are {named}" if known else ""
    return f"no document here passes the filter {f'{label} {wanted}'.rstrip()}{has}"


def _shorten(value: Any) -> Any:
    """A value, of a long text the beginning."""
    return f"{value[: LONGEST - 1]}…" if isinstance(value, str) and len(value) > LONGEST else value
