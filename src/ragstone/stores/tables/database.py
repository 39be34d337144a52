"""The tables of one database that pipelines read; connects when first asked."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ragstone.stores.column_pair import ColumnPair
from ragstone.stores.postgres.pool import Pool
from ragstone.stores.postgres.url import parse_postgres_url
from ragstone.stores.tables.error_mapping import map_table_errors
from ragstone.stores.tables.reader import TableReader
from ragstone.stores.tables.relations import inspect_database, read_relation
from ragstone.stores.word_counts import WordCountCache

BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
SET_TIMEOUTS = "SELECT set_config('statement_timeout', %s, true), set_config('lock_timeout', %s, true)"


class TableDatabase:
    """A database by its URL (see `ragstone.stores.postgres.url`); `timeout` is in seconds, of each statement and of
    the wait for a server that does not answer."""

    def __init__(self, url: str, *, timeout: float) -> None:
        self._pool = Pool(parse_postgres_url(url), look=inspect_database, patience=timeout)
        self._timeout = f"{round(timeout * 1000)}ms"
        self._kept = WordCountCache()
        self._checked: set[tuple[int, str]] = set()

    @asynccontextmanager
    async def reader(self, pair: ColumnPair) -> AsyncIterator[TableReader]:
        """One view of a pair; raises `ConfigError` where it is not as the configuration says."""
        place = self._pool.url.shown.partition("?")[0]
        async with self._pool.borrow_connection() as connection:
            with map_table_errors(place):
                await connection.execute(BEGIN)
                await connection.execute(SET_TIMEOUTS, (self._timeout, self._timeout))
            relation = await read_relation(connection, pair, place)
            reader = TableReader(connection, pair, relation, self._kept, place=place)
            if (relation.oid, repr(pair.filter)) not in self._checked:
                await reader.check_filter()
                self._checked.add((relation.oid, repr(pair.filter)))
            yield reader

    async def close(self) -> None:
        """Close the connections."""
        await self._pool.close()
