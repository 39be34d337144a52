"""Every store passes the same kit."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path

import pytest

from ragstone.core.ports import Store
from ragstone.stores import open_store
from ragstone.stores.embedded import EmbeddedStore
from ragstone.stores.encryption import SecretKey
from ragstone.stores.jsonfile import JsonStore
from ragstone.stores.master_key import MasterKey
from ragstone.testing.stores import StoreContract

MASTER = MasterKey(SecretKey(bytes(range(32))))


class TestEmbeddedStore(StoreContract):
    @pytest.fixture(autouse=True)
    def place(self, tmp_path: Path) -> None:
        self.root = tmp_path

    @pytest.fixture
    async def store(self, tmp_path: Path) -> AsyncIterator[Store]:
        store = open_store(f"embedded:{tmp_path / 'store'}")
        yield store
        await store.close()

    @asynccontextmanager
    async def open_empty_store(self, *, keep_versions: int = 1, now: Callable[[], datetime]) -> AsyncIterator[Store]:
        store = EmbeddedStore(self.root / "another", keep_versions=keep_versions, now=now)
        yield store
        await store.close()


class TestEncryptedStore(StoreContract):
    @pytest.fixture(autouse=True)
    def place(self, tmp_path: Path) -> None:
        self.root = tmp_path

    @pytest.fixture
    async def store(self, tmp_path: Path) -> AsyncIterator[Store]:
        store = EmbeddedStore(tmp_path / "store", master=MASTER)
        yield store
        await store.close()

    @asynccontextmanager
    async def open_empty_store(self, *, keep_versions: int = 1, now: Callable[[], datetime]) -> AsyncIterator[Store]:
        store = EmbeddedStore(self.root / "another", keep_versions=keep_versions, now=now, master=MASTER)
        yield store
        await store.close()


class TestJsonStore(StoreContract):
    @pytest.fixture(autouse=True)
    def place(self, tmp_path: Path) -> None:
        self.root = tmp_path

    @pytest.fixture
    async def store(self, tmp_path: Path) -> AsyncIterator[Store]:
        store = open_store(f"json:{tmp_path / 'store.json'}")
        yield store
        await store.close()

    @asynccontextmanager
    async def open_empty_store(self, *, keep_versions: int = 1, now: Callable[[], datetime]) -> AsyncIterator[Store]:
        store = JsonStore(self.root / "another.json", keep_versions=keep_versions, now=now)
        yield store
        await store.close()
