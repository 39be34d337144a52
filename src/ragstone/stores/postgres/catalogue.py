"""The row of a collection: found, locked, counted."""

from dataclasses import dataclass, replace
from datetime import datetime

from ragstone.core.errors import Busy, StoreTooNew
from ragstone.core.types import Scope
from ragstone.stores.collection_errors import erasure_notice, not_built_error
from ragstone.stores.postgres.connection import Cursor, Row
from ragstone.stores.postgres.migrations import VERSION
from ragstone.stores.postgres.rows import COLLECTION_COLUMNS, CollectionRow, decode_collection

FIND = f"SELECT {COLLECTION_COLUMNS} FROM collections WHERE tenant_id = %s AND name = %s"  # noqa: S608
# Not FOR UPDATE: rows that are part of a collection hold its key while they are written, and nobody changes that.
SCHEMA = "(SELECT max(version) FROM ragstone.schema_migrations)"
LOCK = f"""SELECT {COLLECTION_COLUMNS}, {SCHEMA} FROM collections
    WHERE tenant_id = %s AND name = %s FOR NO KEY UPDATE"""  # noqa: S608
COUNT = """UPDATE collections SET chunks = chunks + %s, terms = terms + %s, pending = pending + %s,
    documents = documents + %s, next_number = next_number + %s, segments = segments + %s,
    generation = generation + 1, built_at = %s
    WHERE tenant_id = %s AND collection_id = %s"""


@dataclass(frozen=True, slots=True)
class CounterChange:
    """By how much the counters of a collection move."""

    chunks: int = 0
    terms: int = 0
    pending: int = 0
    documents: int = 0
    numbers: int = 0


async def read_collection(cursor: Cursor, scope: Scope) -> CollectionRow:
    """The row; raises `NotBuilt`."""
    return decode_collection(await _fetch_row(cursor, scope, FIND))


async def lock_collection(cursor: Cursor, scope: Scope) -> CollectionRow:
    """The row, locked till the end of the transaction: taken last of all locks, so that no deadlock arises. Raises
    `StoreTooNew` where a later program has changed the schema since this one connected."""
    *row, schema = await _fetch_row(cursor, scope, LOCK)
    _check_schema(schema)
    return decode_collection(row)


async def check_writable(cursor: Cursor) -> None:
    """Raise `StoreTooNew` as `lock_collection` does."""
    await cursor.execute(f"SELECT {SCHEMA}".encode())
    for (schema,) in await cursor.fetchall():
        _check_schema(schema)


def _check_schema(schema: int) -> None:
    """This program's rows may lack what a later schema asks of them; what it reads is as it was."""
    if schema > VERSION:
        raise StoreTooNew(
            f"the database has schema version {schema} by now, this program knows {VERSION} and writes nothing there: "
            "install a newer one and restart; searches go on"
        )


async def _fetch_row(cursor: Cursor, scope: Scope, query: str) -> Row:
    await cursor.execute(query.encode(), (scope.tenant, scope.collection))
    row = await cursor.fetchone()
    if row is None:
        raise not_built_error(scope)
    return row


async def check_not_erasing(cursor: Cursor, tenant: str) -> None:
    """Raises `Busy` for a tenant that is being erased. Its row is held, so that no erasure begins meanwhile."""
    await cursor.execute("SELECT erasing FROM tenants WHERE tenant_id = %s FOR KEY SHARE", (tenant,))
    row = await cursor.fetchone()
    if row is not None and row[0] is not None:
        raise Busy(erasure_notice(tenant))


async def update_counters(
    cursor: Cursor, collection: CollectionRow, change: CounterChange, *, now: datetime
) -> CollectionRow:
    """Move the counters and the generation: the last statement of every change that readers can see."""
    moves = (change.chunks, change.terms, change.pending, change.documents, change.numbers, min(change.numbers, 1))
    await cursor.execute(COUNT, (*moves, now, collection.tenant, collection.collection_id))
    return replace(
        collection,
        chunks=collection.chunks + change.chunks,
        terms=collection.terms + change.terms,
        pending=collection.pending + change.pending,
        documents=collection.documents + change.documents,
        generation=collection.generation + 1,
    )
