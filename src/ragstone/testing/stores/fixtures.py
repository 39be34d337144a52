"""The stores that the kit's sentences are about."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from datetime import datetime

import pytest

from ragstone.core.ports import Store


class StoreFixtures:
    """Override `store`; override `open_empty_store` when it has versions, and `key_store` when another
    role than that of `store` makes keys."""

    @pytest.fixture
    def store(self) -> AsyncIterator[Store]:
        """An empty store, closed after the test."""
        pytest.fail("who inherits this kit gives this fixture")

    @pytest.fixture
    def key_store(self, store: Store) -> Store:
        """A store over the same data whose role may make keys."""
        return store

    def open_empty_store(
        self, *, keep_versions: int = 1, now: Callable[[], datetime]
    ) -> AbstractAsyncContextManager[Store]:
        """A fresh, empty store that keeps this many versions and reads this clock."""
        pytest.fail(f"this store must be made with keep_versions={keep_versions} and now={now}")
