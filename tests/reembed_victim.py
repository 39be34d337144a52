"""A process that goes over to another model: `python -m tests.reembed_victim STORE POINT NTH`.

It kills itself when it reaches a fault point for the nth time; in PostgreSQL these are its transactions.
"""

import sys
from collections.abc import Awaitable, Callable
from typing import Any

import ragstone
from ragstone.ingestion import vectors
from ragstone.stores.fault_points import reach_point
from ragstone.stores.postgres import store
from ragstone.stores.postgres.connection import Cursor
from ragstone.stores.postgres.pool import Pool
from ragstone.testing.bag_of_words import BagOfWords
from tests.stores.victim import kill_at

NEW = 32  # the new model's dimension


def go_over(place: str) -> None:
    """Fill, switch, go back, give the new one up."""
    with ragstone.open(place, embedder=BagOfWords(NEW)) as kb:
        kb.reembed()
        kb.switch_model()
        kb.switch_model()
        kb.drop_model()


class Watched(Pool):
    """Reaches a fault point before and after each commit."""

    async def run_transaction(self, tenant: str, work: Callable[[Cursor, int], Awaitable[Any]]) -> Any:
        async def before(cursor: Cursor, tries: int) -> Any:
            result = await work(cursor, tries)
            reach_point("commit.before")
            return result

        result = await super().run_transaction(tenant, before)
        reach_point("commit.after")
        return result


if __name__ == "__main__":
    vectors.EMBED_AT_ONCE = 8
    store.Pool = Watched  # type: ignore[attr-defined]  # in this process alone
    kill_at(sys.argv[2], int(sys.argv[3]))
    go_over(sys.argv[1])
