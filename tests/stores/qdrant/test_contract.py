"""The Qdrant store keeps the contract of every store (points in the client's local mode)."""

import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from urllib.parse import quote
from uuid import uuid4

import pytest

from ragstone.core.ports import Store
from ragstone.stores import open_store
from ragstone.stores.embedded import EmbeddedStore
from ragstone.stores.postgres import PostgresStore
from ragstone.stores.qdrant import QdrantStore, parse_qdrant_url
from ragstone.stores.qdrant.client import make_client
from ragstone.testing.stores import StoreContract
from tests.stores.postgres.server import ADMIN, shared
from tests.stores.qdrant.engine import Engine
from tests.stores.qdrant.server import Recorder, serving


class TestQdrantStore(StoreContract):
    """With an embedded ledger."""

    @pytest.fixture
    async def store(self, tmp_path: Path) -> AsyncIterator[Store]:
        made = open_store(f"qdrant::memory:?ledger=embedded:{tmp_path / 'ledger'}")
        yield made
        await made.close()

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.folder = tmp_path

    @asynccontextmanager
    async def open_empty_store(self, *, keep_versions: int = 1, now: Callable[[], datetime]) -> AsyncIterator[Store]:
        ledger = EmbeddedStore(self.folder / uuid4().hex, keep_versions=keep_versions, now=now)
        made = QdrantStore(parse_qdrant_url("qdrant::memory:"), ledger, now=now)
        yield made
        await made.close()


class TestQdrantEngine(StoreContract):
    """The same through a gRPC server, with real messages both ways, carried out by Qdrant's own engine."""

    @pytest.fixture(autouse=True)
    def _server(self, tmp_path: Path) -> Iterator[None]:
        engine = Engine(tmp_path / "engine")
        with serving(recorder=Recorder(inner=engine)) as self.server:
            self.folder = tmp_path
            yield
        engine.close()

    @pytest.fixture
    async def store(self, tmp_path: Path) -> AsyncIterator[Store]:
        made = open_store(self.server.url(tmp_path / "ledger"))
        yield made
        await made.close()

    @asynccontextmanager
    async def open_empty_store(self, *, keep_versions: int = 1, now: Callable[[], datetime]) -> AsyncIterator[Store]:
        ledger = EmbeddedStore(self.folder / uuid4().hex, keep_versions=keep_versions, now=now)
        made = QdrantStore(parse_qdrant_url(self.server.url(self.folder)), ledger, now=now)
        yield made
        await made.close()


@pytest.mark.slow
class TestQdrantOnPostgres(StoreContract):
    """With PostgreSQL as the ledger, points in the client's local mode."""

    name: str

    @pytest.fixture(autouse=True)
    def _server(self) -> None:
        self.server = shared()

    @pytest.fixture
    async def store(self) -> AsyncIterator[Store]:
        with self.server.database() as self.name:
            made = open_store(f"qdrant::memory:?ledger={quote(self.server.url(self.name), safe='')}")
            yield made
            await made.close()

    @pytest.fixture
    async def key_store(self, store: Store) -> AsyncIterator[Store]:
        made = PostgresStore(self.server.url(self.name, ADMIN))
        yield made
        await made.close()

    @asynccontextmanager
    async def open_empty_store(self, *, keep_versions: int = 1, now: Callable[[], datetime]) -> AsyncIterator[Store]:
        with self.server.database() as name:
            ledger = PostgresStore(self.server.url(name), keep_versions=keep_versions, now=now)
            made = QdrantStore(parse_qdrant_url("qdrant::memory:"), ledger, now=now)
            yield made
            await made.close()


@pytest.mark.skipif("RAGSTONE_TEST_QDRANT" not in os.environ, reason="RAGSTONE_TEST_QDRANT names no server")
class TestQdrantServer(StoreContract):
    """A live server: its URL, to which a collection and a ledger of the test are added."""

    @pytest.fixture(autouse=True)
    def _place(self, tmp_path: Path) -> None:
        self.folder = tmp_path

    def url(self) -> str:
        base = os.environ["RAGSTONE_TEST_QDRANT"]
        mark = "&" if "?" in base else "?"
        return f"{base}{mark}collection=ragstone-test-{uuid4().hex}&ledger=embedded:{self.folder / uuid4().hex}"

    @pytest.fixture
    async def store(self) -> AsyncIterator[Store]:
        url = self.url()
        made = open_store(url)
        yield made
        await made.close()
        await gone(url)

    @asynccontextmanager
    async def open_empty_store(self, *, keep_versions: int = 1, now: Callable[[], datetime]) -> AsyncIterator[Store]:
        url = self.url()
        ledger = EmbeddedStore(self.folder / uuid4().hex, keep_versions=keep_versions, now=now)
        made = QdrantStore(parse_qdrant_url(url), ledger, now=now)
        yield made
        await made.close()
        await gone(url)


async def gone(url: str) -> None:
    """Delete the collection of a test."""
    client = make_client(parse_qdrant_url(url))
    await client.delete_collection(parse_qdrant_url(url).collection or "")
    await client.close()
