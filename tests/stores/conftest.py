"""What the tests of stores share."""

from collections.abc import Iterator

import pytest

from ragstone.stores import fault_points


@pytest.fixture
def hooked() -> Iterator[None]:
    """The hook at the points of a commit is taken away after the test."""
    yield
    fault_points.hook = None
