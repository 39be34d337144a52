"""The tables of one database that pipelines read; connects when first asked."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ragstone.stores.pair import Pair
from ragstone.stores.postgres.pool import Pool
from ragstone.stores.postgres.url import parsed
from ragstone.stores.tables.faults import told
from ragstone.stores.tables.kept import Kept
from ragstone.stores.tables.look import connected, looked_up
from ragstone.stores.tables.reader import TableReader

BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
LIMIT = "SELECT set_config('statement_timeout', %s, true), set_config('lock_timeout', %s, true)"


class Tables:
    """A database by its URL (see `ragstone.stores.postgres.url`); `timeout` is in seconds, of each statement and of
    the wait for a server that does not answer."""

    def __init__(self, url: str, *, timeout: float) -> None:
        self._pool = Pool(parsed(url), look=connected, patience=timeout)
        self._timeout = f"{round(timeout * 1000)}ms"
        self._kept = Kept()
        self._checked: set[tuple[int, str]] = set()

    @asynccontextmanager
    async def reader(self, pair: Pair) -> AsyncIterator[TableReader]:
        """One view of a pair; raises `ConfigError` where it is not as the configuration says."""
        place = self._pool.url.shown.partition("?")[0]
        async with self._pool.connection() as connection:
            with told(place):
                await connection.execute(BEGIN)
                await connection.execute(LIMIT, (self._timeout, self._timeout))
            relation = await looked_up(connection, pair, place)
            reader = TableReader(connection, pair, relation, self._kept, place=place)
            if (relation.oid, repr(pair.filter)) not in self._checked:
                await reader.check()
                self._checked.add((relation.oid, repr(pair.filter)))
            yield reader

    async def close(self) -> None:
        """Close the connections."""
        await self._pool.close()
