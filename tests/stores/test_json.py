"""What the json: store promises beside the kit."""

import fcntl
import json
import os
import stat
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

import ragstone
from ragstone.core.errors import Busy, Corrupt, NotBuilt, StoreError, StoreTooNew, UsageError
from ragstone.core.filters import Where
from ragstone.core.records import Run
from ragstone.stores.jsonfile import JsonStore
from ragstone.stores.jsonfile.reader import count_occurrences, split_query_words
from ragstone.testing.stores import SCOPE, create_collection, make_revision, make_vector, search_texts, write_revisions


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[JsonStore]:
    store = JsonStore(tmp_path / "index.json")
    yield store
    await store.close()


def test_a_score_counts_words_also_inside_longer_ones() -> None:
    assert split_query_words("The app, the APP-store!") == ["the", "app", "store"]
    assert count_occurrences("Apples in the App Store", ["app", "store"]) == 3


async def test_scores_are_counts_and_order_the_hits(store: JsonStore) -> None:
    await write_revisions(store, make_revision("a.md", ["apple", "Apple apple", "pear"]))
    async with store.reader(SCOPE) as reader:
        found = await reader.matching("apple?", where=Where(), limit=9)
        assert [(candidate.score, candidate.place[2]) for candidate in found] == [(2.0, 1), (1.0, 0)]
        assert await reader.nearest(make_vector("apple"), where=Where(), limit=9) == []


async def test_the_signal_is_called_count(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("Apples are red.\n\nPears are green.\n")
    async with ragstone.open_async(f"json:{tmp_path / 'kb.json'}") as kb:
        await kb.ingest(tmp_path / "docs")
        found = await kb.search("red apples")
        assert [set(hit.signals) for hit in found.hits] == [{"count"}]
        fate = await kb.explain("red apples", path="a.txt")
        assert "count" in fate.ranks
        assert "bm25" not in fate.ranks
        assert not (await kb.ask("Which apples are red?")).abstained


async def test_vectors_are_refused_and_never_wanted(store: JsonStore) -> None:
    await write_revisions(store, make_revision("a.md", ["apple"]))
    async with store.writer(SCOPE) as writer:
        assert await writer.find_unembedded(9) == []
        with pytest.raises(StoreError, match="keeps no vectors"):
            await writer.put({"key": make_vector("x")})


async def test_the_file_is_json_that_people_can_read(store: JsonStore, tmp_path: Path) -> None:
    await write_revisions(store, make_revision("a.md", ["apple"]))
    file = tmp_path / "index.json"
    assert json.loads(file.read_text())["collections"][0]["revisions"][0]["chunks"][0]["text"] == "apple"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("data", ["", "{", "[]", '{"magic": "x"}', "# A document"])
async def test_a_file_that_is_no_store_is_named_and_left_alone(store: JsonStore, tmp_path: Path, data: str) -> None:
    file = tmp_path / "index.json"
    file.write_text(data)
    for attempt in (
        search_texts(store, "x"),
        create_collection(store),
        store.admin.collections("acme"),
        store.admin.check(SCOPE),
    ):
        with pytest.raises(UsageError, match=r"index\.json is not a json: store"):
            await attempt
    assert file.read_text() == data


@pytest.mark.parametrize("data", ['{"magic":"ragstone-json","format":1}', '{"magic": "ragstone-json", "form'])
async def test_a_damaged_file_is_named_and_left_alone(store: JsonStore, tmp_path: Path, data: str) -> None:
    file = tmp_path / "index.json"
    file.write_text(data)
    with pytest.raises(Corrupt, match=r"index\.json"):
        await search_texts(store, "x")
    with pytest.raises(Corrupt, match=r"index\.json"):
        await create_collection(store)
    assert any("index.json" in sentence for sentence in await store.admin.check(SCOPE))
    assert file.read_text() == data


async def test_a_newer_format_names_both_versions(store: JsonStore, tmp_path: Path) -> None:
    (tmp_path / "index.json").write_text('{"magic": "ragstone-json", "format": 9, "collections": []}')
    with pytest.raises(StoreTooNew, match=r"format 9.*up to 1"):
        await search_texts(store, "x")


async def test_looking_creates_nothing(store: JsonStore, tmp_path: Path) -> None:
    with pytest.raises(NotBuilt):
        await search_texts(store, "x")
    assert os.listdir(tmp_path) == []


def holder(path: Path) -> "subprocess.Popen[str]":
    """A process that has started a run of source docs, and waits."""
    code = """
import asyncio, sys
from pathlib import Path
from ragstone.stores.jsonfile import JsonStore
from ragstone.core.records import Run
from ragstone.core.types import Scope
run = Run("theirs", "docs", "running", "2026-01-01")
asyncio.run(JsonStore(Path(sys.argv[1])).ledger(Scope(*sys.argv[2:])).start(run))
print("started", flush=True)
sys.stdin.read()
"""
    command = [sys.executable, "-c", code, str(path), SCOPE.tenant, SCOPE.collection]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "started\n"
    return child


async def test_another_process_holds_its_source_until_it_dies(store: JsonStore, tmp_path: Path) -> None:
    await create_collection(store)
    child = holder(tmp_path / "index.json")
    mine = Run("mine", "docs", "running", "2026-01-02")
    with pytest.raises(Busy):
        await store.ledger(SCOPE).start(mine)
    assert [run.status for run in await store.ledger(SCOPE).runs()] == ["running"]
    child.kill()
    child.communicate()
    assert [run.status for run in await store.ledger(SCOPE).runs()] == ["interrupted"]
    await store.ledger(SCOPE).start(mine)
    assert [run.status for run in await store.ledger(SCOPE).runs()] == ["running", "interrupted"]


async def test_a_glance_at_a_run_does_not_make_a_start_fail(store: JsonStore, tmp_path: Path) -> None:
    await create_collection(store)
    run = Run("1", "docs", "running", "2026-01-01")
    await store.ledger(SCOPE).start(run)
    await store.ledger(SCOPE).finish(replace(run, status="succeeded"))
    [file] = (name for name in os.listdir(tmp_path) if name.endswith(".run"))
    descriptor = os.open(tmp_path / file, os.O_RDWR)
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    glance = threading.Timer(0.1, os.close, (descriptor,))
    glance.start()
    await store.ledger(SCOPE).start(replace(run, id="2"))
    glance.join()


async def test_remains_of_a_crash_are_removed_and_nothing_else(store: JsonStore, tmp_path: Path) -> None:
    own, others = tmp_path / "index.json.7-8.aside", tmp_path / "index.json.old.7-8.aside"
    for path in (own, others):
        path.write_bytes(b"half")
    await create_collection(store)
    assert not own.exists()
    assert others.exists()


async def test_a_batch_is_written_whole_or_not_at_all(store: JsonStore) -> None:
    await write_revisions(store, make_revision("b.md", ["apple"], revision=5))
    with pytest.raises(StoreError):
        await write_revisions(store, make_revision("a.md", ["apple"]), make_revision("b.md", ["pear"], revision=1))
    assert [d.path for d in await store.ledger(SCOPE).documents()] == ["b.md"]


async def test_a_version_whose_day_has_come_takes_the_place_of_the_older_one(tmp_path: Path) -> None:
    clock = [datetime(2026, 1, 1, tzinfo=UTC)]
    store = JsonStore(tmp_path / "index.json", now=lambda: clock[0])
    await write_revisions(store, make_revision("a.md", ["apple now"]))
    await write_revisions(store, make_revision("a.md", ["apple later"], revision=2, effective_at="2026-02-01"))
    assert await search_texts(store, "apple") == ["apple now"]
    clock[0] = datetime(2026, 2, 1, tzinfo=UTC)
    assert await search_texts(store, "apple") == ["apple later"]
    assert "apple now" in (tmp_path / "index.json").read_text()
    async with store.writer(SCOPE) as writer:
        await writer.settle()
    assert "apple now" not in (tmp_path / "index.json").read_text()
    await store.close()


def test_nothing_beyond_the_standard_library_is_imported() -> None:
    folder = Path(__file__).parents[2] / "src" / "ragstone" / "stores"
    names = (
        "collection_errors",
        "durable_files",
        "revision_status",
        "error_mapping",
        "file_locks",
        "error_meanings",
        "search_cache_file",
        "chunk_spans",
        "listed_documents",
    )
    shared = [folder / f"{name}.py" for name in names]
    files = [*sorted((folder / "jsonfile").glob("*.py")), *shared]
    lines = [line for file in files for line in file.read_text().splitlines()]
    stores = {line.split()[1] for line in lines if line.startswith("from ragstone.stores.")}
    assert {name.split(".")[2] for name in stores} <= {"jsonfile", *(file.stem for file in shared)}
    roots = {line.split()[1].split(".")[0] for line in lines if line.startswith(("import ", "from "))}
    assert roots <= set(sys.stdlib_module_names) | {"ragstone"}
    assert "json" in roots
