"""The contract of a store for runs: the latest first, and one ingestion of a source at a time."""

from dataclasses import replace

import pytest

from ragstone.core.errors import Busy
from ragstone.core.ports import Store
from ragstone.core.records import Run
from ragstone.testing.stores.actions import create_collection
from ragstone.testing.stores.fixtures import StoreFixtures
from ragstone.testing.stores.samples import SCOPE


class RunContract(StoreFixtures):
    """Runs of ingestion."""

    async def test_runs_are_kept_the_latest_first(self, store: Store) -> None:
        await create_collection(store)
        ledger = store.ledger(SCOPE)
        first = Run("1", "docs", "running", "2026-01-01T00:00:00", config={"a": [1]})
        await ledger.start(first)
        await ledger.update(replace(first, stats={"added": 1}))
        assert [run.stats for run in await ledger.runs()] == [{"added": 1}]
        done = replace(first, status="succeeded", stats={"added": 2}, finished_at="2026-01-01T00:01:00")
        await ledger.finish(done)
        second = Run("2", "docs", "running", "2026-01-02T00:00:00")
        await ledger.start(second)
        assert await ledger.runs() == [second, done]
        assert await ledger.runs(1) == [second]
        await ledger.finish(replace(second, status="failed", error="no"))
        assert (await ledger.runs())[0].error == "no"

    async def test_two_ingestions_of_one_source_do_not_run_at_once(self, store: Store) -> None:
        await create_collection(store)
        first, second = (Run(one, "docs", "running", "2026-01-01T00:00:00") for one in "12")
        await store.ledger(SCOPE).start(first)
        with pytest.raises(Busy, match="'docs' is running"):
            await store.ledger(SCOPE).start(second)
        await store.ledger(SCOPE).start(replace(second, source="other"))
        await store.ledger(SCOPE).finish(replace(first, status="succeeded"))
        await store.ledger(SCOPE).start(replace(second, id="3"))
