"""A watched folder: what changes in it is found soon, what is put off is flushed, and nothing is lost by an end."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

import ragstone
from ragstone.config.settings import Settings
from ragstone.core.answers import Event
from ragstone.core.errors import UsageError
from ragstone.engine import Engine
from ragstone.ingestion.watch import changes
from ragstone.stores.embedded import collection as embedded_collection
from ragstone.stores.embedded import mirror_updates
from ragstone.testing.bag_of_words import BagOfWords
from tests import forked
from tests.ingestion.test_file_stamps import opener
from tests.patience import HANG

__all__ = ["opener"]

SOON = 0.05  # seconds; how long a test waits, events say
NEVER = 3600.0


class Watching:
    """A running watch, and the events that it told."""

    def __init__(self, engine: Engine, *paths: Path, **options: Any) -> None:
        self._queue: asyncio.Queue[Event] = asyncio.Queue()
        options = {"reindex_after": SOON, "flush_after": NEVER, **options}
        self.task = asyncio.create_task(engine.watch(*paths, tell=self._queue.put_nowait, **options))

    async def until(self, name: str) -> Event:
        """The next event of this name; fails when the watch ends before."""
        while True:
            coming = asyncio.ensure_future(self._queue.get())
            await asyncio.wait({coming, self.task}, timeout=HANG, return_when=asyncio.FIRST_COMPLETED)
            if not coming.done():
                coming.cancel()
                await self.task
            if (event := await coming).name == name:
                return event

    async def indexed(self) -> dict[str, int]:
        """The counts of the next run that changed something."""
        while True:
            counts: dict[str, int] = (await self.until("indexed")).data["documents"]
            if found := {name: n for name, n in counts.items() if n and name != "unchanged"}:
                return found

    async def stop(self) -> None:
        self.task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self.task


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[Engine]:
    async with Engine(Settings(store=str(tmp_path / "store")), embedder=BagOfWords()) as engine:
        yield engine


def read_all(folder: Path) -> dict[Path, str]:
    return {path: path.read_text() for path in folder.rglob("*") if path.is_file()}


async def find(engine: Engine, words: str) -> set[str]:
    """The documents with any of these words."""
    return {hit.chunk.document.path for hit in (await engine.search(words, mode="keyword")).hits}


async def test_a_change_is_found_and_a_stop_flushes(engine: Engine, docs: Path) -> None:
    watching = Watching(engine, docs)
    assert await watching.indexed() == {"added": 4}
    (docs / "notes.txt").write_text("The release manager is Wilhelmina.\n")
    assert await watching.indexed() == {"changed": 1}
    assert await find(engine, "Wilhelmina") == {"notes.txt"}
    (docs / "new").mkdir()
    (docs / "new/one.md").write_text("# One\n\nAbout zeppelins.\n")
    assert await watching.indexed() == {"added": 1}
    assert await find(engine, "zeppelins") == {"new/one.md"}
    assert await engine.is_dirty()
    await watching.stop()
    assert not await engine.is_dirty()
    assert (await engine.info()).pending_vectors == 0


async def test_after_the_longer_quiet_it_is_flushed(engine: Engine, docs: Path) -> None:
    watching = Watching(engine, docs, flush_after=SOON)
    await watching.until("flushed")
    assert not await engine.is_dirty()
    (docs / "notes.txt").write_text("Other notes.\n")
    await watching.indexed()
    await watching.until("flushed")
    assert not await engine.is_dirty()
    await watching.stop()


async def test_moves_removals_and_writing_by_rename_are_followed(engine: Engine, docs: Path) -> None:
    watching = Watching(engine, docs)
    await watching.indexed()
    (docs / "notes.txt.swp").write_text("The release manager is Wilhelmina.\n")
    os.replace(docs / "notes.txt.swp", docs / "notes.txt")
    assert (await watching.indexed())["changed"] == 1
    (docs / "storage.md").rename(docs / "guides/disk.md")
    assert await watching.indexed() == {"moved": 1}
    (docs / "page.html").unlink()
    assert await watching.indexed() == {"removed": 1}
    (docs / "guides").rename(docs / "manuals")
    assert await watching.indexed() == {"moved": 2}
    await watching.stop()
    assert {document.path for document in await engine.documents()} == {
        "manuals/alerts.md",
        "manuals/disk.md",
        "notes.txt",
    }


async def test_rights_and_foreign_files_start_no_run(engine: Engine, docs: Path) -> None:
    watching = Watching(engine, docs)
    await watching.indexed()
    (docs / "notes.txt").chmod(0o600)
    (docs / "program").write_bytes(b"\x7fELF\x02\x01\x01" + bytes(200))
    (docs / "node_modules").mkdir()
    (docs / "node_modules/readme.md").write_text("# Made\n")
    (docs / ".draft.md").write_text("# Hidden\n")
    (docs / "end.md").write_text("# End\n")
    assert await watching.indexed() == {"added": 1}
    await watching.stop()
    assert len(await engine.runs()) == 2


async def test_a_folder_that_goes_away_costs_nothing_and_is_watched_again(engine: Engine, docs: Path) -> None:
    watching = Watching(engine, docs)
    await watching.indexed()
    away = docs.with_name("away")
    os.replace(docs, away)
    assert "does not exist" in (await watching.until("problem")).data["message"]
    assert len(await engine.documents()) == 4
    (away / "notes.txt").write_text("The release manager is Wilhelmina.\n")
    os.replace(away, docs)
    assert await watching.indexed() == {"changed": 1}
    (docs / "later.md").write_text("# Later\n")
    assert await watching.indexed() == {"added": 1}
    await watching.stop()


async def test_a_mass_removal_is_a_problem_and_not_an_end(engine: Engine, docs: Path) -> None:
    watching = Watching(engine, docs)
    await watching.indexed()
    texts = read_all(docs)
    for path in texts:
        path.unlink()
    assert "--allow-removals" in (await watching.until("problem")).data["message"]
    assert len(await engine.documents()) == 4
    for path, text in texts.items():
        path.write_text(f"{text}\nMore.\n")
    assert (await watching.indexed()) == {"changed": 4}
    await watching.stop()


@pytest.mark.parametrize("lacking", ["watches", "package"])
async def test_where_the_system_cannot_watch_files_are_looked_at(
    engine: Engine, docs: Path, lacking: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError("OS file watch limit reached")

    monkeypatch.setattr(changes, "POLL_SECONDS", SOON)
    if lacking == "package":
        monkeypatch.setitem(sys.modules, "watchfiles", None)
    else:
        monkeypatch.setattr("watchfiles.awatch", refuse)
    watching = Watching(engine, docs)
    note = (await watching.until("note")).data["message"]
    assert ("limit reached" if lacking == "watches" else "pip install 'ragstone[watch]'") in note
    await watching.indexed()
    (docs / "notes.txt").write_text("The release manager is Wilhelmina.\n")
    assert await watching.indexed() == {"changed": 1}
    await watching.stop()


async def test_of_two_folders_only_the_changed_one_is_walked(engine: Engine, docs: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "x.md").write_text("# X\n")
    watching = Watching(engine, docs, other)
    assert {(await watching.until("indexed")).data["source"] for _ in range(2)} == {"docs", "other"}
    (other / "x.md").write_text("# X\n\nMore.\n")
    assert (await watching.until("indexed")).data["source"] == "other"
    await watching.stop()
    assert [run.source for run in await engine.runs()] == ["other", "other", "docs"]


async def test_a_file_alone_and_an_empty_folder_can_be_watched(engine: Engine, docs: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    watching = Watching(engine, empty)
    assert "no documents yet" in (await watching.until("note")).data["message"]
    (empty / "first.md").write_text("# First\n")
    assert await watching.indexed() == {"added": 1}
    await watching.stop()
    watching = Watching(engine, docs / "notes.txt")
    assert await watching.indexed() == {"added": 1}
    (docs / "notes.txt~").write_text("Notes, written by a rename.\n")
    os.replace(docs / "notes.txt~", docs / "notes.txt")
    assert await watching.indexed() == {"changed": 1}
    await watching.stop()


async def test_a_wrong_path_is_said_at_once(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        await engine.watch(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="only folders and files can be watched"):
        await engine.watch("https://example.org/")


async def test_what_was_put_off_is_known_to_the_next_process_and_flushed_by_it(docs: Path, tmp_path: Path) -> None:
    settings = Settings(store=str(tmp_path / "store"))
    async with Engine(settings, embedder=BagOfWords()) as first:
        assert not await first.is_dirty()
        await first.ingest(docs, flush=False)
        assert await first.is_dirty()
    async with Engine(settings, embedder=BagOfWords()) as second:
        assert await second.is_dirty()
        assert await find(second, "retention") == {"storage.md"}
        await second.flush()
        assert not await second.is_dirty()


async def test_invalidate_loads_the_index_anew(engine: Engine, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[int] = []
    load = mirror_updates.read_index

    def read_index(*arguments: Any) -> Any:
        loads.append(1)
        return load(*arguments)

    monkeypatch.setattr(embedded_collection, "read_index", read_index)
    await engine.ingest(docs)
    await find(engine, "retention")
    loads.clear()
    await find(engine, "retention")
    assert loads == []
    await engine.invalidate()
    assert await find(engine, "retention") == {"storage.md"}
    assert loads


@pytest.mark.parametrize("nth", [1, 2, 3])
async def test_a_watcher_that_is_killed_is_healed_by_the_next(docs: Path, tmp_path: Path, nth: int) -> None:
    store = tmp_path / "store"
    child = forked.start("tests.watching_victim", docs, store, "commit.before", str(nth))
    assert child.stdout is not None
    assert child.stdout.readline() == "indexed\n"
    (docs / "notes.txt").write_text("The release manager is Wilhelmina.\n")
    child.communicate(timeout=HANG)
    assert child.returncode == -signal.SIGKILL
    async with Engine(Settings(store=str(store)), embedder=BagOfWords()) as engine:
        assert await engine.is_dirty()
        watching = Watching(engine, docs)
        await watching.until("indexed")
        assert await find(engine, "Wilhelmina") == {"notes.txt"}
        await watching.stop()
        assert not await engine.is_dirty()
        assert await engine.doctor() == []


def test_every_store_follows(opener: Callable[[], ragstone.Knowledge], docs: Path) -> None:
    told: Queue[Event] = Queue()
    kb, reader = opener(), opener()

    def watch() -> None:
        with contextlib.suppress(UsageError):  # it is closed
            kb.watch(docs, reindex_after=SOON, flush_after=NEVER, tell=told.put)

    def until_indexed(**counts: int) -> None:
        while (event := told.get(timeout=HANG)).name != "indexed":
            pass
        assert {name: n for name, n in event.data["documents"].items() if n and name != "unchanged"} == counts

    thread = threading.Thread(target=watch)
    thread.start()
    until_indexed(added=4)
    (docs / "notes.txt").write_text("The release manager is Wilhelmina.\n")
    until_indexed(changed=1)
    assert [hit.chunk.document.path for hit in reader.search("Wilhelmina", mode="keyword").hits] == ["notes.txt"]
    (docs / "notes.txt").unlink()
    until_indexed(removed=1)
    assert reader.search("Wilhelmina", mode="keyword").hits == ()
    assert reader.is_dirty()
    kb.close()
    thread.join(HANG)
    assert not reader.is_dirty()
    assert reader.doctor() == []


def test_the_command_tells_in_lines_of_json_and_ends_by_a_signal(docs: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "ragstone", "watch", str(docs), "--store", str(tmp_path / "store"), "--json"]
    command += ["--embedder", "none", "--reindex-after", str(SOON)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None

        def until(name: str) -> Any:
            assert process.stdout is not None
            for line in process.stdout:
                if (found := json.loads(line))["event"] == name:
                    return found
            raise AssertionError(f"it ended before {name}")

        assert until("watching")["sources"] == [{"source": "docs", "place": str(docs)}]
        assert until("indexed")["documents"]["added"] == 4
        (docs / "notes.txt").write_text("The release manager is Wilhelmina.\n")
        assert until("indexed")["documents"]["changed"] == 1
        process.send_signal(signal.SIGTERM)
        assert [json.loads(line)["event"] for line in process.stdout][-2:] == ["flushed", "stopped"]
        assert process.wait(HANG) == 0
