"""Errors of all stores for a missing collection, a missing second model, and a tenant under erasure."""

import shlex
from collections.abc import Collection

from ragstone.core.errors import NotBuilt, UsageError
from ragstone.core.plural import format_count
from ragstone.core.records import Info
from ragstone.core.types import Scope


def not_built_error(scope: Scope) -> NotBuilt:
    """The error for a collection into which nothing was ever ingested."""
    return NotBuilt(f"nothing was ingested into collection {scope.collection!r} yet; run: ragstone ingest FOLDER")


def no_second_model_error(scope: Scope) -> UsageError:
    """The error for a second model that a collection does not have."""
    return UsageError(
        f"collection {scope.collection!r} has no second model; begin with: ragstone reembed start --model NAME"
    )


def erasure_notice(tenant: str) -> str:
    """The sentence for an erasure that has begun and is not at its end."""
    command = f"ragstone tenants erase {shlex.quote(tenant)}"
    return f"tenant {tenant!r} is being erased, and that is not finished; run: {command}"


def missing_vector_warnings(pending: int) -> list[str]:
    """A warning where chunks wait for their vectors."""
    return (
        [f"{format_count(pending, 'chunk has', 'chunks have')} no vector yet; run: ragstone ingest"] if pending else []
    )


def missing_sparse_warnings(pending: int) -> list[str]:
    """A warning where chunks wait for their sparse vectors."""
    if not pending:
        return []
    chunks = format_count(pending, "chunk has", "chunks have")
    return [f"{chunks} no sparse vector yet; set sparse.index and run: ragstone ingest"]


def missing_written_warnings(info: Info, *, wanted: bool) -> list[str]:
    """A warning where summaries and questions wait for their vectors, or have those of another model."""
    own, mend = info.written, "set chunk.enrich_vectors and run: ragstone ingest"
    if own is None:
        waits = wanted and info.chunks
        return ["the summaries and questions have no vectors yet; run: ragstone ingest"] if waits else []
    if not info.keeps_written:
        return [f"the vectors of summaries and questions are of {own.model}, no longer the collection's model; {mend}"]
    chunks = format_count(own.pending, "chunk was", "chunks were")
    return [f"{chunks} not looked at for vectors of summaries and questions yet; {mend}"] if own.pending else []


def mixed_chunking_warnings(ways: Collection[str]) -> list[str]:
    """A warning where documents are chunked in several ways."""
    if len(ways) < 2:
        return []
    return [
        f"the documents are chunked in {len(ways)} ways ({', '.join(sorted(ways))}), so their ranks are not "
        "comparable: ingest each source with --refresh"
    ]
