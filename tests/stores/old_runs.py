"""Runs beyond the last ones of their source are forgotten."""

from dataclasses import replace

from ragstone.core.ports import Store
from ragstone.core.records import Run
from ragstone.testing.stores import SCOPE
from ragstone.testing.stores.actions import create_collection


async def check_old_runs(store: Store) -> None:
    """With two kept runs: those of a busy source do not hide the others."""
    await create_collection(store)
    ledger = store.ledger(SCOPE)
    for number, source in enumerate(["docs", *["texts"] * 4]):
        run = Run(str(number), source, "running", "2026-01-01T00:00:00")
        await ledger.start(run)
        await ledger.finish(replace(run, status="succeeded"))
    assert [run.id for run in await ledger.runs()] == ["4", "3", "0"]
