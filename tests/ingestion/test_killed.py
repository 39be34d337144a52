"""kill -9 while files of many kinds are read: nothing committed is lost, no document is half there, nobody is left
behind, and the next run completes it."""

import random
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import ragstone
from ragstone.testing.bag_of_words import BagOfWords
from tests import forked
from tests.extraction.pdf.sheets import paragraph, pdf
from tests.extraction.sandbox.test_sandbox import told
from tests.killing import KILLS, killed_while_read
from tests.patience import HANG
from tests.processes import gone, state

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")

ROOT = Path(__file__).parents[2]
KINDS = ("pdf", "html", "pdf", "md", "pdf", "csv", "pdf", "txt")
DOCUMENTS = 16
WORKERS = ["workers"]
POINTS: list[tuple[str, int, list[str]]] = [
    ("commit.before", 3, []),
    ("commit.after", 3, WORKERS),
    ("append.written", 1, WORKERS),
    ("append.synced", 1, []),
    ("seal.renamed", 1, WORKERS),
]
HELD = """
import os, sys
sys.path.insert(0, sys.argv[4])
import ragstone, ragstone.ingestion.workers
from tests.held import HeldEmbedder
os.sched_getaffinity = lambda _pid: {0, 1}
ragstone.ingestion.workers.MIN_POOL_BYTES = int(sys.argv[3])
with ragstone.open(sys.argv[2], embedder=HeldEmbedder()) as kb:
    kb.ingest(sys.argv[1])
"""


def parts(i: int, number: int) -> list[str]:
    """What document i says at a number: how many parts it has follows from both."""
    return [f"part{k} of document{i} says alpha{number} in so many words" for k in range(1 + (number + i) % 3)]


def write(folder: Path, number: int) -> None:
    """Every document at a number."""
    folder.mkdir(exist_ok=True)
    for i in range(DOCUMENTS):
        kind = KINDS[i % len(KINDS)]
        said = parts(i, number)
        if kind == "pdf":
            filler = ["and so on, as before and ever after"] * 8
            data = pdf([paragraph(50, 90, [text, *filler]) for text in said])
        elif kind == "html":
            data = "".join(["<html>", *(f"<p>{text}</p>" for text in said)]).encode()
        elif kind == "csv":
            data = "\n".join(["What,Why", *(f"{text},x" for text in said)]).encode()
        else:
            data = "\n\n".join(said).encode()
        (folder / f"{i}.{kind}").write_bytes(data)


def whole(kb: ragstone.Knowledge, number: int) -> int:
    """Each document is entirely at `number` or entirely at the one before; how many are at `number`."""
    seen: dict[str, list[str]] = {}
    for hit in kb.search("alpha1 alpha2 alpha3", mode="keyword", top_k=500, fold=False).hits:
        seen.setdefault(hit.chunk.document.path, []).append(hit.chunk.text)
    now = 0
    for path, texts in seen.items():
        i = int(path.partition(".")[0])
        found = sorted(re.findall(r"part\d+ of document\d+ says alpha\d+ in so many words", "\n".join(texts)))
        assert found in (sorted(parts(i, number)), sorted(parts(i, number - 1))), path
        now += found == sorted(parts(i, number))
    return now


def completed(folder: Path, store: Path, number: int) -> None:
    """The next run brings everything to `number`, and the doctor finds nothing."""
    with ragstone.open(store, embedder=BagOfWords()) as kb:
        [run] = kb.ingest(folder, allow_removals=True)
        assert run.stats["skipped"] == []
        assert whole(kb, number) == DOCUMENTS
        assert kb.info().pending_vectors == 0
        assert kb.doctor() == []


def start(folder: Path, store: Path, *options: str) -> forked.Forked:
    """An ingesting process, in a session of its own."""
    return forked.start("tests.victim", folder, store, *options, session=True)


def left(session: int) -> Iterator[int]:
    """The processes of a session that are at work: what a killed process started stays in its session."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and state(int(entry.name)) not in ("", "Z"):
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == session:
                yield int(entry.name)


def alone(session: int) -> bool:
    """Whether all of a killed process's children end."""
    return all(gone(pid) for pid in list(left(session)))


@pytest.mark.parametrize(("point", "nth", "where"), POINTS)
def test_killed_at_a_fault_point(tmp_path: Path, point: str, nth: int, where: list[str]) -> None:
    folder, store = tmp_path / "docs", tmp_path / "store"
    write(folder, 1)
    child = start(folder, store, point, str(nth), *where)
    child.communicate(timeout=HANG)
    assert child.returncode == -signal.SIGKILL
    assert alone(child.pid)
    completed(folder, store, 1)


@pytest.mark.parametrize("round_", range(KILLS))
def test_killed_at_random_while_another_process_reads(tmp_path: Path, round_: int) -> None:
    chance = random.Random(round_)
    folder, store = tmp_path / "docs", tmp_path / "store"
    write(folder, 1)
    completed(folder, store, 1)
    write(folder, 2)
    child = start(folder, store, *(WORKERS if round_ % 2 else []))
    with ragstone.open(store, embedder=BagOfWords()) as reader:
        most = killed_while_read(child, lambda: whole(reader, 2), seconds=chance.uniform(0.1, 2.0))
        assert alone(child.pid)
        assert whole(reader, 2) >= most
    completed(folder, store, 2)


@pytest.mark.parametrize("worth", [0, 10**9])
def test_who_is_deep_in_a_document_ends_with_its_parent_and_its_parents_parent(tmp_path: Path, worth: int) -> None:
    folder, file = tmp_path / "docs", tmp_path / "held"
    folder.mkdir()
    (folder / "page.html").write_text(f"<html>\n{file}\n", encoding="utf-8")
    command = [sys.executable, "-c", HELD, str(folder), str(tmp_path / "store"), str(worth), str(ROOT)]
    child = subprocess.Popen(command, start_new_session=True)
    pid = int(told(file))
    assert len(list(left(child.pid))) == (3 if worth == 0 else 2)
    child.kill()
    child.wait()
    assert gone(pid)
    assert alone(child.pid)
