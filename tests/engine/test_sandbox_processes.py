"""Engines of one process read in processes of their own: what ends one engine ends nothing of another."""

import asyncio
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import ragstone
from ragstone import extraction
from ragstone.core.errors import Refused, UsageError
from ragstone.core.records import Run
from ragstone.engine import Engine
from ragstone.extraction import SandboxedFormat, sandbox
from ragstone.extraction.media_types import HTML
from ragstone.ingestion import workers
from ragstone.testing.bag_of_words import BagOfWords
from tests import readers
from tests.extraction.pdf.sheets import pdf, shown
from tests.extraction.sandbox.test_sandbox import LINUX, PROC, told, zombies_and_children
from tests.patience import HANG, until
from tests.processes import gone, mine

pytestmark = [PROC, LINUX]


@pytest.fixture(autouse=True)
def _readers() -> None:
    """What earlier tests read with is not counted here, and engines have processes that are theirs alone."""
    sandbox.stop()
    readers.end_all()


@pytest.fixture
def holding(monkeypatch: pytest.MonkeyPatch) -> None:
    """Web pages are read by what waits until a file is taken away."""
    monkeypatch.setattr(
        extraction,
        "SANDBOXED_FORMATS",
        {**extraction.SANDBOXED_FORMATS, HTML: SandboxedFormat("html/2", "tests.extraction.sandbox.hostile:held")},
    )


def page(folder: Path, file: Path) -> Path:
    """A folder with one page that is held by a file."""
    folder.mkdir()
    (folder / "page.html").write_text(f"<html>\n{file}\n", encoding="utf-8")
    return folder


def engine(folder: Path) -> Engine:
    return Engine(ragstone.load(store=str(folder)), embedder=BagOfWords())


async def at_work(file: Path) -> int:
    """The process that holds the page, once it does."""
    return int(await asyncio.to_thread(told, file))


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


async def interrupted(one: Engine, task: "asyncio.Task[list[Run]]") -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def closed(one: Engine, task: "asyncio.Task[list[Run]]") -> None:
    await one.close()
    await asyncio.wait([task])
    assert task.exception() or [s["reason"] for s in task.result()[0].stats["skipped"]] == ["broken"]


@pytest.mark.usefixtures("holding")
@pytest.mark.parametrize("end", [interrupted, closed])
def test_what_ends_one_engine_leaves_the_other_at_its_work(tmp_path: Path, end: Callable[..., object]) -> None:
    async def both() -> None:
        files = [tmp_path / "one", tmp_path / "two"]
        folders = [page(tmp_path / f"docs{file.name}", file) for file in files]
        one, two = engine(tmp_path / "store1"), engine(tmp_path / "store2")
        async with one, two:
            runs = [asyncio.create_task(e.ingest(folder)) for e, folder in zip((one, two), folders, strict=True)]
            first, second = [await at_work(file) for file in files]
            await end(one, runs[0])  # type: ignore[misc]  # both are coroutine functions
            assert gone(first)
            assert not gone(second, seconds=0.3)
            files[1].unlink()
            [run] = await asyncio.wait_for(runs[1], HANG)
            assert run.stats["documents"] == {
                "added": 1,
                "changed": 0,
                "moved": 0,
                "unchanged": 0,
                "removed": 0,
                "skipped": 0,
            }

    asyncio.run(both())
    assert zombies_and_children() == []


@pytest.mark.usefixtures("holding")
def test_an_interrupted_run_does_not_end_what_its_own_engine_reads_beside_it(tmp_path: Path) -> None:
    async def both() -> None:
        run_file, file = tmp_path / "run", tmp_path / "single"
        async with engine(tmp_path / "store") as kb:
            run = asyncio.create_task(kb.ingest(page(tmp_path / "docs", run_file)))
            single = asyncio.create_task(asyncio.to_thread(kb.extract, page(tmp_path / "more", file) / "page.html"))
            await at_work(run_file)
            await at_work(file)
            await interrupted(kb, run)
            file.unlink()
            assert (await asyncio.wait_for(single, HANG)).record == "held"

    asyncio.run(both())


@pytest.mark.usefixtures("holding")
def test_closing_ends_what_is_read_at_once_and_for_good(tmp_path: Path) -> None:
    file = tmp_path / "single"
    place = page(tmp_path / "docs", file) / "page.html"

    async def close() -> None:
        kb = engine(tmp_path / "store")
        reading = asyncio.create_task(asyncio.to_thread(kb.extract, place))
        pid = await at_work(file)
        await kb.close()
        with pytest.raises(Refused, match="stopped"):
            await reading
        assert gone(pid)
        with pytest.raises(UsageError, match="closed"):
            kb.extract(place)

    asyncio.run(close())


@pytest.mark.usefixtures("holding")
def test_an_interrupt_ends_what_reads_for_other_processes_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table of parsers is the worker's own, so the page is read as it is; the process there ends with it."""
    monkeypatch.setattr(workers, "MIN_POOL_BYTES", 0)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {0, 1})
    folder = tmp_path / "docs"
    folder.mkdir()
    for i in range(60):
        (folder / f"{i}.html").write_text("<html>" + f"<p>Sentence {i} of a page.</p>" * 2000, encoding="utf-8")

    before = set(mine())  # a database server that other tests share

    async def interrupt() -> set[int]:
        async with engine(tmp_path / "store") as kb:
            run = asyncio.create_task(kb.ingest(folder))
            pids: set[int] = set()
            while len(pids) < 4:
                assert not run.done()
                await asyncio.sleep(0.02)
                pids = set(mine()) - before
            await interrupted(kb, run)
            return pids

    pids = asyncio.run(interrupt())
    assert all(gone(pid) for pid in pids)


def test_nothing_is_left_of_a_closed_engine(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.html").write_text("<html><p>Hello there", encoding="utf-8")
    (folder / "b.pdf").write_bytes(pdf([shown(50, 50, "Hello there")]))

    def use(number: int) -> None:
        with ragstone.open(tmp_path / f"store{number}", embedder=BagOfWords()) as kb:
            [run] = kb.ingest(folder)
            assert run.stats["documents"]["added"] == 2
            assert kb.extract(folder / "a.html").record
            assert kb.page("b.pdf", 1).startswith(b"\x89PNG")
            assert zombies_and_children() != []

    use(0)  # what stays once for all engines: a thread pool's threads, an opened library
    before = descriptors(), threading.active_count()
    for number in range(1, 4):
        use(number)
    assert zombies_and_children() == []
    assert descriptors() <= before[0]
    until(lambda: threading.active_count() <= before[1])  # a thread that a loop gave up ends by itself, not at once
