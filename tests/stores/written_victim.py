"""A process that writes documents and vectors of their questions until it is killed: `python written_victim.py ROOT
POINT NTH`."""

import asyncio

from ragstone.core.types import Revision
from ragstone.testing.stores import fill_written, make_written
from tests.stores.victim import write_filled


def state(number: int) -> list[Revision]:
    """Both documents at a number; every third chunk has no questions, and some chunks share theirs."""
    asked = [["who", "what"], [f"why {number}"], []]
    texts = {f"alpha {number} {n}": asked[n % 3] for n in range(1 + number % 5)}
    return [make_written(path, texts, revision=number) for path in ("a.md", "b.md")]


if __name__ == "__main__":
    asyncio.run(write_filled(state, fill_written))
