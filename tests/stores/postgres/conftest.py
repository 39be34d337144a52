"""One server for all tests of a process, a fresh database for each."""

from collections.abc import Iterator

import pytest

from tests.stores.postgres.server import Server, shared


@pytest.fixture(scope="session")
def server() -> Server:
    """A PostgreSQL with pgvector, roles and a migrated template."""
    return shared()


@pytest.fixture
def database(server: Server) -> Iterator[str]:
    """The name of a fresh, migrated database."""
    with server.database() as name:
        yield name
