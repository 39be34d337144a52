"""Old runs in the stores of files; PostgreSQL has a test of its own."""

from pathlib import Path

import pytest

from ragstone.stores import open_store
from ragstone.stores.embedded import ledger as embedded
from ragstone.stores.jsonfile import ledger as jsonfile
from tests.stores.old_runs import check_old_runs


@pytest.mark.parametrize("url", ["embedded:{}", "json:{}.json"])
async def test_only_the_last_runs_of_a_source_are_kept(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "KEPT_RUNS", 2)
    monkeypatch.setattr(embedded, "FORGET_EVERY", 1)
    monkeypatch.setattr(jsonfile, "KEPT_RUNS", 2)
    store = open_store(url.format(tmp_path / "store"))
    try:
        await check_old_runs(store)
    finally:
        await store.close()
