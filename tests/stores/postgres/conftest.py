"""One server for all tests of a process, a fresh database for each."""

from collections.abc import Iterator

import pytest

from tests.stores.postgres.server import Server, serving


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A PostgreSQL with pgvector, roles and a migrated template."""
    with serving() as running:
        yield running


@pytest.fixture
def database(server: Server) -> Iterator[str]:
    """The name of a fresh, migrated database."""
    with server.database() as name:
        yield name
