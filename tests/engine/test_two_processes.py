"""A collection that was opened before a fork, or is closed while it works: one clear sentence."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import HANG

ROOT = Path(__file__).parents[2]
OPEN = """
import asyncio, os, sys, threading, time
import ragstone
from ragstone.testing.bag_of_words import BagOfWords
store, docs = sys.argv[1:]
"""
CALLS = {
    "blocking": """
kb = ragstone.open(store, embedder=BagOfWords())
kb.ingest(docs)
def use():
    with kb:
        kb.search("retention")
def close():
    kb.close()
""",
    "a stream": """
kb = ragstone.open(store, embedder=BagOfWords())
kb.ingest(docs)
def use():
    with kb:
        list(kb.events("retention?"))
def close():
    kb.close()
""",
    "async": """
engine = ragstone.open_async(store, embedder=BagOfWords())
asyncio.run(engine.ingest(docs))
def use():
    async def go():
        async with engine:
            await engine.search("retention")
    asyncio.run(go())
def close():
    asyncio.run(engine.close())
""",
}
FORK = """
if child := os.fork():
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    close()
    print("child", status)
else:
    try:
        use()
    except ragstone.UsageError as error:
        print(error, flush=True)
        os._exit(2)
    os._exit(0)
"""
CLOSE = """
class Slow(BagOfWords):
    async def embed(self, texts, *, kind="document"):
        embedding.set()
        await asyncio.sleep(600)
embedding = threading.Event()
kb = ragstone.open(store, embedder=Slow())
def ingest():
    try:
        kb.ingest(docs)
    except ragstone.UsageError as error:
        print(error, flush=True)
thread = threading.Thread(target=ingest)
thread.start()
embedding.wait()
kb.close()
thread.join()
with ragstone.open(store, embedder=BagOfWords()) as again:
    print([run.status for run in again.runs()])
    print(len(again.ingest(docs)))
"""


def said(code: str, store: Path, docs: Path) -> tuple[str, str]:
    """What a program prints on both of its streams."""
    words = [sys.executable, "-W", "ignore", "-c", OPEN + code, str(store), str(docs)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=HANG, check=False)
    return done.stdout, done.stderr


@pytest.mark.parametrize("opened", CALLS.values(), ids=CALLS.keys())
def test_a_fork_is_told_to_open_the_collection_anew(docs: Path, tmp_path: Path, opened: str) -> None:
    out, err = said(opened + FORK, tmp_path / "kb", docs)
    assert out.splitlines() == [
        "this collection was opened before a fork: open it anew in the child process",
        "child 2",
    ], err


def test_closing_during_an_ingestion_ends_it_with_a_sentence(docs: Path, tmp_path: Path) -> None:
    out, err = said(CLOSE, tmp_path / "kb", docs)
    assert out.splitlines() == ["this collection was closed meanwhile: open it again", "['interrupted']", "1"]
    assert err == ""
