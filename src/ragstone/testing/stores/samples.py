"""Samples for a store under test: documents, chunks, vectors and keys that depend on their words alone."""

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from ragstone import guard
from ragstone.core.filters import Where
from ragstone.core.ports import CachedSearch, Vectors
from ragstone.core.records import Key
from ragstone.core.types import Chunk, Document, Revision, Scope, Span

SCOPE = Scope("acme", "notes")
OTHER = Scope("rival", "notes")
MODEL, VARIANT, DIMENSION = "bag-of-bytes", "plain", 8
SECOND_MODEL, SECOND_DIMENSION = "bag-of-more-bytes", 12
EVERYTHING = Where(allow_restricted=True)
NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


def make_document(
    path: str,
    *,
    scope: Scope = SCOPE,
    source: str = "docs",
    revision: int = 1,
    version: str = "",
    meta: Mapping[str, Any] | None = None,
    effective_at: str | None = None,
    title: str | None = None,
) -> Document:
    """A document at a place; its id comes from the place alone."""
    identity = str(uuid.uuid5(uuid.NAMESPACE_URL, "\n".join((scope.tenant, scope.collection, source, path))))
    return Document(
        identity,
        source,
        path,
        revision,
        version,
        "kit-1",
        title=title,
        meta=meta or {},
        effective_at=effective_at,
        edition=guard.current_edition(),
    )


def make_revision(
    path: str,
    texts: Sequence[str],
    *,
    scope: Scope = SCOPE,
    source: str = "docs",
    revision: int = 1,
    meta: Mapping[str, Any] | None = None,
    effective_at: str | None = None,
    title: str | None = None,
    chunks: Mapping[str, Any] | None = None,
) -> Revision:
    """A document whose chunks are `texts`; `chunks` sets further fields of each of them."""
    record = "\n\n".join(texts)
    version = hashlib.sha256(record.encode()).hexdigest()
    document = make_document(
        path,
        scope=scope,
        source=source,
        revision=revision,
        version=version,
        meta=meta,
        effective_at=effective_at,
        title=title,
    )
    made, start = [], 0
    for ordinal, text in enumerate(texts):
        line = record.count("\n", 0, start) + 1
        span = Span(start, start + len(text), line, line + text.count("\n"))
        identity = str(uuid.uuid5(uuid.UUID(document.id), f"{version}/{document.recipe}/{ordinal}"))
        chunk = Chunk(
            identity, document, ordinal, text, (span,), tokens=len(text.split()), vector_key=make_vector_key(text)
        )
        made.append(replace(chunk, **(chunks or {})))
        start += len(text) + 2
    return Revision(document, tuple(made), record)


def make_vector_key(text: str) -> str:
    """The address of a text's vector."""
    return hashlib.sha256(f"{MODEL}\n{VARIANT}\n{text}".encode()).hexdigest()


def make_vector(text: str) -> Vectors:
    """A unit vector that depends on the text alone, shape (8,)."""
    numbers = (
        np.frombuffer(hashlib.sha256(text.encode()).digest()[:DIMENSION], dtype=np.uint8).astype(np.float64) - 127.5
    )
    return (numbers / np.linalg.norm(numbers)).astype(np.float32)


def make_wide_vector(text: str) -> Vectors:
    """The vector of the second model, shape (12,): another order of neighbours than the first one's."""
    numbers = np.frombuffer(hashlib.sha256(f"second {text}".encode()).digest()[:SECOND_DIMENSION], dtype=np.uint8)
    centred = numbers.astype(np.float64) - 127.5
    return (centred / np.linalg.norm(centred)).astype(np.float32)


def make_key(identity: str, *, tenant: str = SCOPE.tenant, created: datetime = NEW_YEAR, **fields: Any) -> Key:
    """A key whose secret is its id; `fields` are those of `Key`."""
    digest = hashlib.sha256(identity.encode()).digest()
    known: dict[str, Any] = {"roles": ("read",), **fields}
    return Key(identity, tenant, f"key {identity}", created=created, digest=digest, **known)


def make_search(name: str, *, key: str = "k", hour: int = 0) -> CachedSearch:
    """A search of the index's generation 5."""
    return CachedSearch(name, key, 5, NEW_YEAR.replace(hour=hour), make_vector(name).tobytes(), f"\0 {name}".encode())
