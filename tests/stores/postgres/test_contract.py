"""The PostgreSQL store keeps the contract of every store."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime

import pytest

from ragstone.core.ports import Store
from ragstone.stores.postgres import PostgresStore
from ragstone.testing.stores import StoreContract
from tests.stores.postgres.server import ADMIN, Server


class TestPostgresStore(StoreContract):
    """As a role that owns nothing, under row-level security."""

    @pytest.fixture(autouse=True)
    def _server(self, server: Server) -> None:
        self.server = server

    @pytest.fixture
    async def store(self, server: Server, database: str) -> AsyncIterator[Store]:
        made = PostgresStore(server.url(database))
        yield made
        await made.close()

    @pytest.fixture
    async def key_store(self, server: Server, database: str) -> AsyncIterator[Store]:
        made = PostgresStore(server.url(database, ADMIN))
        yield made
        await made.close()

    @asynccontextmanager
    async def open_empty_store(self, *, keep_versions: int = 1, now: Callable[[], datetime]) -> AsyncIterator[Store]:
        with self.server.database() as name:
            made = PostgresStore(self.server.url(name), keep_versions=keep_versions, now=now)
            try:
                yield made
            finally:
                await made.close()
