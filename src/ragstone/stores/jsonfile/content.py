"""The content of a json: store in memory and in the file."""

import json
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime
from typing import Any, TypeVar

from ragstone.core.errors import StoreError, StoreTooNew
from ragstone.core.page_layout import Layout
from ragstone.core.records import Run
from ragstone.core.types import Chunk, Document, Json, Revision, Span
from ragstone.stores.revision_status import Status, due_at, revision_statuses

T = TypeVar("T")
FORMAT = 1
MAGIC = "ragstone-json"
NO_DOCUMENT = Document("", "", "", 0, "", "")

Contents = dict[tuple[str, str], "ScopeContent"]


@dataclass(frozen=True, slots=True)
class ScopeContent:
    """One scope as it is in memory: the revisions of each document, the newest first."""

    revisions: Mapping[str, tuple[Revision, ...]]
    runs: tuple[Run, ...] = ()
    generation: int = 0
    built_at: str | None = None

    def list_statuses(self, now: datetime, *, keep: int) -> Iterator[tuple[Revision, Status]]:
        """Every revision with what it is at this moment: which one is active depends on the day."""
        for states in self.revisions.values():
            waits = [(due_at(state.document) or 0) > now.timestamp() for state in states]
            yield from zip(states, revision_statuses(waits, keep=keep), strict=True)

    def prune_revisions(self, now: datetime, *, keep: int) -> "ScopeContent":
        """Without the revisions that are no longer kept."""
        stay: dict[str, tuple[Revision, ...]] = {}
        for state, status in self.list_statuses(now, keep=keep):
            if status != "gone":
                stay[state.document.id] = (*stay.get(state.document.id, ()), state)
        return replace(self, revisions=stay)


def dump_contents(everything: Mapping[tuple[str, str], ScopeContent]) -> bytes:
    """All scopes as the file's bytes; raises `StoreError` for what JSON cannot carry."""
    try:
        collections = [
            {
                "tenant": tenant,
                "collection": collection,
                "generation": content.generation,
                "built_at": content.built_at,
                "runs": [asdict(run) for run in content.runs],
                "revisions": [_encode_revision(state) for states in content.revisions.values() for state in states],
            }
            for (tenant, collection), content in sorted(everything.items())
        ]
        return json.dumps({"magic": MAGIC, "format": FORMAT, "collections": collections}, indent=1).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(f"a document holds something that cannot be stored: {error}") from error


def load_contents(data: bytes) -> Contents:
    """All scopes from the file's bytes; raises ValueError, KeyError or TypeError for anything else."""
    found = json.loads(data)
    if found["magic"] != MAGIC:
        raise ValueError("it is another kind of file")
    if found["format"] > FORMAT:
        raise StoreTooNew(
            f"the json: store has format {found['format']}, this program reads up to {FORMAT}: upgrade ragstone"
        )
    return {(one["tenant"], one["collection"]): _decode_content(one) for one in found["collections"]}


def _encode_revision(revision: Revision) -> Json:
    chunks = [asdict(replace(chunk, document=NO_DOCUMENT)) for chunk in revision.chunks]
    for chunk in chunks:
        del chunk["document"]
    layout = b64encode(revision.layout.pack()).decode() if revision.layout is not None else None
    return {"document": asdict(revision.document), "record": revision.record, "layout": layout, "chunks": chunks}


def _decode_content(data: Json) -> ScopeContent:
    revisions = [_decode_revision(one) for one in data["revisions"]]
    return ScopeContent(
        _group_by_document(revisions),
        tuple(Run(**run) for run in data["runs"]),
        data["generation"],
        data["built_at"],
    )


def _group_by_document(revisions: Sequence[Revision]) -> dict[str, tuple[Revision, ...]]:
    found: dict[str, tuple[Revision, ...]] = {}
    for revision in revisions:
        found[revision.document.id] = (*found.get(revision.document.id, ()), revision)
    return {id_: tuple(sorted(states, key=lambda state: -state.document.revision)) for id_, states in found.items()}


def _decode_revision(data: Json) -> Revision:
    document = _build_dataclass(Document, data["document"])
    chunks = tuple(_decode_chunk(document, one) for one in data["chunks"])
    layout = data.get("layout")
    return Revision(document, chunks, data["record"], Layout.unpack(b64decode(layout)) if layout else None)


def _decode_chunk(document: Document, data: Json) -> Chunk:
    spans = tuple(_build_dataclass(Span, span) for span in data.pop("spans"))
    secrets = tuple((start, end, kind) for start, end, kind in data.pop("secrets", ()))
    return _build_dataclass(Chunk, {**data, "document": document, "spans": spans, "secrets": secrets})


def _build_dataclass(kind: type[T], data: Json) -> T:
    """A dataclass from JSON: lists become tuples, except in what is free (meta, metadata)."""
    known = {f.name for f in fields(kind)}  # type: ignore[arg-type]  # called with dataclasses only
    values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in data.items() if k in known}
    return kind(**values)
