"""Documents made in child processes: the same results, and nothing of a child outlives the run or disturbs it."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import ragstone
from ragstone.core.errors import Refused
from ragstone.core.types import NO_FACTS, Chunk, Scope
from ragstone.ingestion import workers
from ragstone.ingestion.build_revision import EmbedderInfo, RevisionBuilder
from ragstone.ingestion.chunker_setup import ChunkerSetup
from ragstone.testing.bag_of_words import BagOfWords, Words
from tests import readers
from tests.patience import HANG, until

Open = Callable[..., ragstone.Knowledge]

ROOT = Path(__file__).parents[2]
FILES = 40
PROC = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="children are looked for in /proc")
SCRIPT = """
import os, sys, ragstone, ragstone.ingestion.workers
from ragstone.testing.bag_of_words import BagOfWords
ragstone.ingestion.workers.MIN_POOL_BYTES = 0
os.sched_getaffinity = lambda _pid: {0, 1}
print("started", flush=True)
with ragstone.open(sys.argv[2], embedder=BagOfWords()) as kb:
    [run] = kb.ingest(sys.argv[1])
print(run.stats["documents"]["added"], "added")
"""


class Deadly(Words):
    """Kills the child that it counts in when it meets a certain word; prints what would disturb the conversation."""

    name = "deadly"

    def count(self, texts: Sequence[str]) -> list[int]:
        print("counting", flush=True)
        if any("poison" in text for text in texts) and in_child():
            os.kill(os.getpid(), signal.SIGKILL)
        return super().count(texts)


class DeadlyEmbedder(BagOfWords):
    """Its tokenizer kills."""

    def __init__(self) -> None:
        super().__init__()
        self.tokenizer: Words = Deadly()


def in_child() -> bool:
    """Whether this is a worker."""
    return getattr(sys.modules["__main__"].__spec__, "name", "") == "ragstone.ingestion.workers.__main__"


@pytest.fixture(autouse=True)
def _readers() -> None:
    """Nothing is read by a process of earlier tests: here some cannot be started."""
    readers.end_all()


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Children are worth it for the smallest folder; lists those that were started, not what reads web pages."""
    seen: list[Any] = []
    real = subprocess.Popen

    def spy(*args: Any, **options: Any) -> Any:
        process = real(*args, **options)
        if "ragstone.ingestion.workers" in args[0]:
            seen.append(process)
        return process

    monkeypatch.setattr(subprocess, "Popen", spy)
    monkeypatch.setattr(workers, "MIN_POOL_BYTES", 0)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {0, 1})
    return seen


@pytest.fixture
def many(docs: Path) -> Path:
    """The small folder, with many more files, of which some cannot be taken in."""
    for i in range(FILES):
        sections = [f"## Part {k}\n\n" + f"Sentence {k} of document {i}: naïve. " * (5 + i) for k in range(1 + i % 4)]
        (docs / f"{i:02}.md").write_text(f"# Document {i}\n\n" + "\n\n".join(sections), encoding="utf-8")
    (docs / "picture.md").write_bytes(bytes(100))
    (docs / "empty.md").write_bytes(b"")
    return docs


def content(kb: ragstone.Knowledge) -> list[Chunk]:
    """Every chunk of every document."""
    out: list[Chunk] = []
    for document in kb.documents():
        with suppress(ragstone.UsageError):
            for ordinal in range(1000):
                out.append(kb.chunk(document.path, ordinal, source=document.source))  # noqa: PERF401  # ends by raising
    return out


def test_the_results_are_those_of_one_process(many: Path, opened: Open, started: list[Any]) -> None:
    apart = opened("apart")
    [run] = apart.ingest(many)
    assert len(started) == 2
    workers.MIN_POOL_BYTES = 10**9
    alone = opened("alone")
    [other] = alone.ingest(many)
    assert len(started) == 2
    assert content(apart) == content(alone)
    assert len(content(alone)) > FILES
    assert [apart.record(d.path) for d in apart.documents()] == [alone.record(d.path) for d in alone.documents()]
    assert {**run.stats, "seconds": 0} == {**other.stats, "seconds": 0}
    assert run.stats["documents"]["skipped"] == 2


def test_the_built_in_model_is_counted_for_in_children_too(many: Path, opened: Open, started: list[Any]) -> None:
    apart = opened("apart", embedder=None, embed__model="none")
    apart.ingest(many)
    assert len(started) == 2
    workers.MIN_POOL_BYTES = 10**9
    alone = opened("alone", embedder=None, embed__model="none")
    alone.ingest(many)
    assert content(apart) == content(alone)


def test_no_process_outlives_its_run_and_an_unchanged_run_starts_none(
    many: Path, opened: Open, started: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    (many / "picture.md").unlink()
    (many / "empty.md").unlink()
    kb = opened()
    kb.ingest(many)
    assert len(started) == 2
    assert all(process.returncode is not None for process in started)
    monkeypatch.setattr(workers, "MIN_POOL_BYTES", 1)
    [run] = kb.ingest(many)
    assert run.stats["documents"]["unchanged"] == FILES + 4
    assert len(started) == 2


def test_a_child_that_is_killed_costs_one_document_and_is_replaced(
    many: Path, opened: Open, started: list[Any]
) -> None:
    poisoned = ["03.md", "20.md", "21.md"]
    for name in poisoned:
        (many / name).write_text("This is poison.", encoding="utf-8")
    kb = opened(embedder=DeadlyEmbedder())
    [run] = kb.ingest(many)
    broken = [s for s in run.stats["skipped"] if s["reason"] == "broken"]
    assert [s["path"] for s in broken] == poisoned
    assert "was ended by SIGKILL" in broken[0]["message"]
    assert run.stats["documents"]["added"] == FILES + 4 - len(poisoned)
    assert len(started) > 2
    assert kb.doctor() == []


def test_what_cannot_be_told_to_another_process_is_done_in_this_one(
    many: Path, opened: Open, started: list[Any]
) -> None:
    class Local(Words):
        """Not to be found by its name."""

    embedder = BagOfWords()
    embedder.tokenizer = Local()
    [run] = opened(embedder=embedder).ingest(many)
    assert run.stats["documents"]["added"] == FILES + 4
    assert started == []


def test_where_no_process_can_be_started_threads_do_the_work(
    many: Path, opened: Open, started: list[Any], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name, program in (("one", "/bin/false"), ("two", "/nowhere/python")):
        monkeypatch.setattr(sys, "executable", program)
        [run] = opened(name).ingest(many)
        assert run.stats["documents"]["added"] == FILES + 3
        # What only a process under limits may read is not read.
        assert [s["path"] for s in run.stats["skipped"] if s["reason"] == "sandbox"] == ["page.html"]
    assert capfd.readouterr() == ("", "")


def test_a_shop_that_was_left_builds_nothing_more(started: list[Any]) -> None:
    builder = RevisionBuilder(Scope("t", "c"), ChunkerSetup("structure", Words()), EmbedderInfo.of(BagOfWords()))
    with workers.open_worker_pool(builder, "s", size=1) as shop:
        assert shop.build("a.md", b"# A\n\ntext", "0", None, NO_FACTS).document.path == "a.md"
    with pytest.raises(Refused, match="stopped"):
        shop.build("b.md", b"# B\n\ntext", "0", None, NO_FACTS)
    assert len(started) == 1


@pytest.fixture
def script(tmp_path: Path, many: Path) -> Iterator[Callable[[], "subprocess.Popen[str]"]]:
    """Starts a script without a main guard that ingests the folder with children."""
    file = tmp_path / "script.py"
    file.write_text(SCRIPT, encoding="utf-8")
    made: list[subprocess.Popen[str]] = []

    def start() -> "subprocess.Popen[str]":
        command = [sys.executable, str(file), str(many), str(tmp_path / "store")]
        pipe = subprocess.PIPE
        made.append(subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, start_new_session=True))
        return made[-1]

    yield start
    for process in made:
        process.kill()
        process.communicate()


def children(pid: int) -> list[int]:
    """The processes that the threads of a process have started."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):
            found += map(int, (task / "children").read_text().split())
    return found


def gone(pids: Sequence[int]) -> bool:
    """Wait until these processes have ended, and nothing is left of them."""
    return until(lambda: not any(Path(f"/proc/{pid}").is_dir() for pid in pids))


def wait_for_children(process: "subprocess.Popen[str]") -> list[int]:
    """Wait until a run has its children."""

    def both() -> list[int]:
        assert process.poll() is None, process.communicate()
        return found if len(found := children(process.pid)) == 2 else []

    return until(both, pause=0.005)


def test_a_script_without_a_main_guard_runs_once(script: Callable[[], "subprocess.Popen[str]"]) -> None:
    out, err = script().communicate(timeout=HANG)
    assert out.splitlines() == ["started", f"{FILES + 4} added"]
    assert err == ""


@PROC
@pytest.mark.parametrize("whom", ["group", "parent"])
def test_an_interrupt_leaves_no_child_and_no_trace_of_one(
    script: Callable[[], "subprocess.Popen[str]"], many: Path, whom: str
) -> None:
    big = "\n\n".join(f"## Part {k}\n\n" + f"Sentence {k} of many. " * 50 for k in range(300))
    for i in range(60):
        (many / f"big{i}.md").write_text(f"# Big {i}\n\n{big}", encoding="utf-8")
    process = script()
    pids = wait_for_children(process)
    if whom == "group":
        os.killpg(process.pid, signal.SIGINT)
    else:
        process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=HANG)
    assert gone(pids)
    assert err.count("Traceback") <= 2  # the script's own KeyboardInterrupt, and what it was waiting for
    assert "ragstone.ingestion.workers" not in err
    assert "workers/__main__" not in err
    assert err.rstrip().endswith("KeyboardInterrupt")


@PROC
def test_children_end_when_their_parent_is_killed(script: Callable[[], "subprocess.Popen[str]"], many: Path) -> None:
    for i in range(400):
        (many / f"more{i}.md").write_text(f"# More {i}\n\n" + "Some words. " * 500, encoding="utf-8")
    process = script()
    pids = wait_for_children(process)
    process.kill()
    process.communicate()
    assert gone(pids)
