"""The queue of jobs: a table whose rows workers take with SKIP LOCKED. Its times are the database's: the clocks of
servers differ, and one that is ahead by more than a lease would take the jobs of those that live."""

import time
from collections.abc import Callable
from typing import TypeVar

from ragstone.stores.job_queue import SqlJobQueue
from ragstone.stores.job_statements import Work
from ragstone.stores.postgres.connection import Cursor
from ragstone.stores.postgres.pool import Pool

T = TypeVar("T")
NO_TENANT = ""  # workers take jobs of any tenant: the policy of_queue shows them
SHOW_ALL = b"SELECT set_config('ragstone.queue', 'all', true), extract(epoch FROM clock_timestamp())::float8"
SAME_CLOCK = 1.0  # seconds that clocks may differ, or an answer be under way


class PostgresJobs(SqlJobQueue):
    """Keeps the jobs of all tenants in a table; implements `JobQueue`."""

    _lock = "FOR UPDATE OF j SKIP LOCKED"

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def _run(self, work: Callable[[float], Work[T]], *, make: bool = False) -> T:  # noqa: ARG002  # a migration did
        async def run_once(cursor: Cursor, _tries: int) -> T:
            shown = await (await cursor.execute(SHOW_ALL)).fetchone()
            assert shown is not None  # a SELECT without FROM has one row
            ahead = float(shown[1]) - time.time()
            return await _drive(work(ahead if abs(ahead) > SAME_CLOCK else 0.0), cursor)

        return await self._pool.run_transaction(NO_TENANT, run_once)


async def _drive(work: Work[T], cursor: Cursor) -> T:
    """Run the statements of an operation."""
    rows = None
    while True:
        try:
            sql, values = work.send(rows) if rows is not None else next(work)
        except StopIteration as done:
            result: T = done.value
            return result
        await cursor.execute(sql.encode(), tuple(values))
        rows = await cursor.fetchall() if cursor.description else []
