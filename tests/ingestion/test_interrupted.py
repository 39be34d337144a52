"""Whatever ends an ingestion, nothing committed is lost, no document is half there, and the next run completes it."""

import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import ragstone
from ragstone.testing.bag_of_words import BagOfWords
from tests import forked
from tests.killing import KILLS, killed_while_read
from tests.patience import HANG

ROOT = Path(__file__).parents[2]
DOCUMENTS = 30
POINTS = [("commit.before", 3), ("commit.after", 3), ("append.written", 1), ("append.synced", 1), ("seal.renamed", 1)]


def write_state(folder: Path, number: int) -> None:
    """Every document at a number: its chunks all say which, and how many there are follows from it."""
    folder.mkdir(exist_ok=True)
    for i in range(DOCUMENTS):
        sections = [
            f"## Part {k}\n\ndocument{i} says alpha{number} {'word ' * 120}" for k in range(1 + (number + i) % 3)
        ]
        (folder / f"{i}.md").write_text(f"# Document {i}\n\n" + "\n\n".join(sections), encoding="utf-8")


def whole(kb: ragstone.Knowledge, number: int) -> int:
    """Each document is entirely at `number` or entirely at the one before; how many are at `number`."""
    at: dict[str, set[str]] = {}
    chunks: dict[str, int] = {}
    for hit in kb.search("alpha1 alpha2 alpha3", mode="keyword", top_k=500, fold=False).hits:
        path = hit.chunk.document.path
        at.setdefault(path, set()).update(word for word in hit.chunk.text.split() if word.startswith("alpha"))
        chunks[path] = chunks.get(path, 0) + 1
    for path, seen in at.items():
        assert len(seen) == 1, f"{path} is a mixture: {seen}"
        n = int(next(iter(seen)).removeprefix("alpha"))
        assert n in (number - 1, number)
        assert chunks[path] == 1 + (n + int(path.removesuffix(".md"))) % 3
    return sum(seen == {f"alpha{number}"} for seen in at.values())


def start(folder: Path, store: Path, *fault: str) -> forked.Forked:
    """An ingesting process."""
    return forked.start("tests.victim", folder, store, *fault)


def completed(folder: Path, store: Path, number: int) -> None:
    """The next run brings everything to `number`, and the doctor finds nothing."""
    with ragstone.open(store, embedder=BagOfWords()) as kb:
        kb.ingest(folder, allow_removals=True)
        assert whole(kb, number) == DOCUMENTS
        assert kb.info().pending_vectors == 0
        assert kb.doctor() == []
        assert kb.runs(1)[0].status == "succeeded"


@pytest.mark.parametrize(("point", "nth"), POINTS)
def test_killed_at_a_fault_point_during_a_first_and_a_replacing_run(tmp_path: Path, point: str, nth: int) -> None:
    folder, store = tmp_path / "docs", tmp_path / "store"
    for number in (1, 2):
        write_state(folder, number)
        child = start(folder, store, point, str(nth))
        child.communicate(timeout=HANG)
        assert child.returncode == -signal.SIGKILL
        completed(folder, store, number)


@pytest.mark.parametrize("round_", range(KILLS))
def test_killed_at_random_while_another_process_reads(tmp_path: Path, round_: int) -> None:
    chance = random.Random(round_)
    folder, store = tmp_path / "docs", tmp_path / "store"
    write_state(folder, 1)
    completed(folder, store, 1)
    write_state(folder, 2)
    child = start(folder, store)
    with ragstone.open(store, embedder=BagOfWords()) as reader:
        most = killed_while_read(child, lambda: whole(reader, 2), seconds=chance.uniform(0.1, 1.5))
        assert whole(reader, 2) >= most
        statuses = {run.status for run in reader.runs(2)}
        assert statuses <= {"succeeded", "interrupted"}
    completed(folder, store, 2)


def test_ctrl_c_leaves_a_store_that_the_next_run_completes(tmp_path: Path, docs: Path) -> None:
    for i in range(400):
        (docs / f"{i}.md").write_text(
            f"# Title {i}\n\n" + f"Sentence number {i} of this document. " * 40, encoding="utf-8"
        )
    command = [sys.executable, "-m", "ragstone", "ingest", str(docs), "--store", str(tmp_path / "store"), "--json"]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout is not None
    first = child.stdout.readline()
    assert '"event"' in first
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=HANG)
    assert child.returncode == 130
    assert "interrupted: finished work is kept" in err
    assert "Traceback" not in err
    with ragstone.open(tmp_path / "store", embed__model="none") as kb:
        assert kb.runs(1)[0].status == "interrupted"
        assert kb.engine.settings.embed.model == "none"
        assert kb.search("sentence number", mode="keyword").hits
        assert kb.doctor() == []
    with ragstone.open(tmp_path / "store") as kb:
        waiting = kb.info().pending_vectors > 0
        assert any("no vector yet; run: ragstone ingest" in one for one in kb.doctor()) is waiting


def texts(kb: ragstone.Knowledge) -> list[tuple[str, float, str]]:
    """Everything that searches give: place, score, text."""
    out: list[tuple[str, float, str]] = []
    for question in ("alpha beta gamma", "delta epsilon", "document words"):
        hits = kb.search(question, top_k=200, fold=False).hits
        out += [(f"{hit.chunk.document.path}#{hit.chunk.ordinal}", hit.score, hit.chunk.text) for hit in hits]
    return out


@pytest.mark.parametrize("seed", range(6))
def test_any_sequence_of_edits_renames_and_removals_ends_as_a_fresh_ingestion(
    tmp_path: Path, opened: Callable[..., ragstone.Knowledge], seed: int
) -> None:
    chance = random.Random(seed)
    words = "alpha beta gamma delta epsilon document words river stone".split()
    folder = tmp_path / "docs"
    folder.mkdir()

    def text() -> str:
        return "\n\n".join(
            f"## {chance.choice(words)}\n\n" + " ".join(chance.choices(words, k=chance.randrange(3, 300)))
            for _ in range(chance.randrange(1, 4))
        )

    for i in range(8):
        (folder / f"{i}.md").write_text(text(), encoding="utf-8")
    kb = opened()
    kb.ingest(folder)
    for step in range(12):
        for _ in range(chance.randrange(1, 4)):
            files = sorted(folder.iterdir())
            action = chance.choice(["edit", "add", "remove", "rename", "swap"]) if len(files) > 2 else "add"
            file = chance.choice(files)
            if action == "edit":
                file.write_text(
                    file.read_text(encoding="utf-8") + f"\n\nadded {chance.choice(words)}", encoding="utf-8"
                )
            elif action == "add":
                (folder / f"new{step}-{chance.randrange(99)}.md").write_text(text(), encoding="utf-8")
            elif action == "remove":
                file.unlink()
            elif action == "rename":
                file.rename(folder / f"moved{step}-{chance.randrange(999)}.md")
            else:
                other = chance.choice(files)
                one, two = file.read_bytes(), other.read_bytes()
                file.write_bytes(two)
                other.write_bytes(one)
        kb.ingest(folder, allow_removals=True)
    fresh = opened("fresh")
    fresh.ingest(folder)
    assert texts(kb) == texts(fresh)
    assert kb.doctor() == []


def test_a_disk_that_takes_no_more_loses_nothing(tmp_path: Path) -> None:
    """The child's files may not grow beyond 300 KB (a real full disk: tests/stores)."""
    folder, store = tmp_path / "docs", tmp_path / "store"
    write_state(folder, 1)
    completed(folder, store, 1)
    write_state(folder, 2)
    for i in range(300):
        (folder / f"big{i}.txt").write_text(f"big {i} " + " ".join(f"w{i}x{k}" for k in range(900)), encoding="utf-8")
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000));"
        "from tests.victim import ingest; ingest(*sys.argv[1:])"
    )
    command = [sys.executable, "-c", code, str(folder), str(store)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode != 0
    assert "disk" in done.stderr.splitlines()[-1]
    with ragstone.open(store, embedder=BagOfWords()) as kb:
        whole(kb, 2)
        assert all("have no vector yet" in problem for problem in kb.doctor())  # the run broke off before them
