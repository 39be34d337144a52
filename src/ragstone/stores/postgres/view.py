"""The statements of one view: one transaction, whose snapshot each of them sees."""

import asyncio
from collections.abc import Mapping
from typing import Any

from psycopg.pq import TransactionStatus

from ragstone.stores.postgres.error_mapping import map_errors
from ragstone.stores.postgres.pool import ROLL_BACK, Connection, Row
from ragstone.stores.postgres.rows import CollectionRow


class CollectionView:
    """A collection as one transaction sees it. `connection` is inside of it (`Pool.viewing`), `row` is what it saw;
    `place` names the store in errors. Every statement gets the collection and the tenant."""

    def __init__(self, connection: Connection, row: CollectionRow, *, place: str) -> None:
        self.row = row
        self._connection = connection
        self._place = place
        self._one = asyncio.Lock()
        self._ours = {"collection": row.collection_id, "tenant": row.tenant}

    async def fetch_rows(
        self, sql: str, more: Mapping[str, Any] | None = None, *, after: str | None = None
    ) -> list[Row]:
        """One statement, in one round trip with the one that it comes after; the connection serves one at a time.

        Never as a prepared one: its plan would be one for all values, without a look at how many there are, and
        nothing was gained by it. A failed statement leaves the view usable for the next one.
        """
        given = {**self._ours, **(more or {})}
        async with self._one:
            with map_errors(self._place):
                if self._connection.pgconn.transaction_status == TransactionStatus.INERROR:
                    await self._connection.execute(ROLL_BACK)
                if after is None:
                    found = await self._connection.execute(sql, given, prepare=False, binary=True)
                else:
                    async with self._connection.pipeline():
                        await self._connection.execute(after, given, prepare=False)
                        found = await self._connection.execute(sql, given, prepare=False, binary=True)
                return await found.fetchall()
