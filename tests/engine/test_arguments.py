"""The doors of the library: what no verb can use is refused with a sentence, before anything is read or written."""

import asyncio
import os
import pickle
import signal
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import ragstone
from ragstone import UsageError
from ragstone.engine import Engine
from ragstone.testing.bag_of_words import BagOfWords
from tests.patience import HANG

Open = Callable[..., ragstone.Knowledge]
NESTED: dict[str, Any] = {}
for _ in range(100_000):
    NESTED = {"a": NESTED}

OPENED: dict[str, tuple[Callable[[], object], str]] = {
    "a number": (lambda: ragstone.open(5), "invalid path 5: expected a path"),  # type: ignore[arg-type]  # what is tested
    "bytes": (lambda: ragstone.open(b"s4"), "invalid path b's4'"),  # type: ignore[arg-type]  # what is tested
    "a list": (lambda: ragstone.open(["s4"]), "invalid path "),  # type: ignore[arg-type]  # what is tested
    "a NUL": (lambda: ragstone.open("s4\0"), "without a NUL"),
    "a lone surrogate": (lambda: ragstone.open("\ud800"), "invalid path "),
    "async": (lambda: ragstone.open_async(5), "invalid path 5"),  # type: ignore[arg-type]  # what is tested
    "a store URL": (lambda: ragstone.open(settings=ragstone.Settings(store="json:a\0")), "expected a folder"),
    "no embedder": (lambda: ragstone.open("s", embedder=5), "invalid embedder 5: expected an embedder"),  # type: ignore[arg-type]  # what is tested
    "an embedder's class": (lambda: ragstone.open("s", embedder=BagOfWords), "invalid embedder "),  # type: ignore[arg-type]  # what is tested
    "no store": (lambda: ragstone.open(store=5), "invalid store 5: expected a store"),  # type: ignore[arg-type]  # what is tested
    "no settings": (lambda: ragstone.open(settings=5), "invalid settings 5: expected settings"),  # type: ignore[arg-type]  # what is tested
    "a tenant": (lambda: Engine(ragstone.Settings(tenant=5)), "invalid tenant 5: expected a text"),  # type: ignore[arg-type]  # what is tested
    "a store's name": (lambda: Engine(ragstone.Settings(store=5)), "invalid store 5: expected a text"),  # type: ignore[arg-type]  # what is tested
}


@pytest.mark.parametrize(("attempt", "message"), OPENED.values(), ids=OPENED.keys())
def test_what_cannot_be_opened_is_named(attempt: Callable[[], object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        attempt()
    assert os.listdir() == []


ASKED: list[tuple[Callable[[Any], object], str]] = [
    (lambda kb: kb.drop(5), "invalid collection 5: expected a text"),
    (lambda kb: kb.runs(None), "invalid limit None: expected a whole number from 0 to 1000000"),
    (lambda kb: kb.runs(10**30), "invalid limit 1000"),
    (lambda kb: kb.chunk("storage.md", 10**30), "invalid ordinal 1000"),
    (lambda kb: kb.chunk("storage.md", -1), "invalid ordinal -1: expected a whole number from 0"),
    (lambda kb: kb.chunk(Path("storage.md"), 0), "expected a text"),
    (lambda kb: kb.get(5), "invalid identity 5"),
    (lambda kb: kb.record(None), "invalid path None"),
    (lambda kb: kb.record("storage.md", source=5), "invalid source 5"),
    (lambda kb: kb.documents(5), "invalid source 5"),
    (lambda kb: kb.documents(within="a\0"), "invalid within 'a.x00': expected the path of a document"),
    (lambda kb: kb.documents(within="\ud800"), "invalid within "),
    (lambda kb: kb.documents(identity="a\0"), "invalid identity 'a.x00': expected an id"),
    (lambda kb: kb.delete("\ud800"), "invalid path "),
    (lambda kb: kb.delete(["storage.md"]), "invalid path .*: expected a path, or a ragstone.Document"),
    (lambda kb: kb.delete(), "nothing was removed: name a path, a document or a source"),
    (lambda kb: kb.ask("x", history=["who?"]), "invalid message of the conversation 'who.'"),
    (pickle.dumps, "an open collection cannot be pickled: open it again in the other process"),
    (lambda kb: kb.explain("x", path=5), "invalid path 5"),
    (lambda kb: kb.ingest("d\0x"), "invalid paths .*without a NUL"),
    (lambda kb: kb.ingest("\ud800"), "invalid paths "),
    (lambda kb: kb.ingest(5), "invalid paths "),
    (lambda kb: kb.ingest("docs", name=5), "invalid name 5"),
    (lambda kb: kb.ingest("docs", name=""), "invalid name '': expected the name of a source: 1 to 120 printable"),
    (lambda kb: kb.ingest("docs", ignore=5), "invalid ignore 5: expected a glob, or a list of globs"),
    (lambda kb: kb.ingest("docs", ignore=[5]), "invalid ignore "),
    (lambda kb: kb.ingest("docs", refresh="yes"), "unknown refresh 'yes': expected true or false"),
    (lambda kb: kb.ingest("docs", version_label=5), "invalid version_label 5"),
    (lambda kb: kb.ingest("docs", tell=5), "invalid tell 5: expected a function"),
    (lambda kb: kb.ingest_source(5), "invalid source 5: expected a source: an object with walk, read"),
    (lambda kb: kb.ingest_texts("text"), "invalid texts 'text': expected documents by path"),
    (lambda kb: kb.ingest_texts({"a.md": 5}), "invalid texts {'a.md': 5}: expected documents by path"),
    (lambda kb: kb.ingest_texts({"a.md": "text"}, name=" a"), "invalid name ' a': expected the name of a source"),
    (lambda kb: kb.ingest_texts({"a.md": "text"}, name="a\n"), "invalid name 'a.n': expected the name of a source"),
    (lambda kb: kb.ingest_texts({"a.md": "text"}, name="uploads"), "the source 'uploads' holds the files"),
    (lambda kb: kb.ingest_texts({"a.md": {"txt": "x"}}), "invalid document 'a.md': expected {.text.: "),
    (lambda kb: kb.ingest_texts({"a.md": {"text": b"x"}}), "invalid document 'a.md': expected {.text.: "),
    (lambda kb: kb.ingest_texts({"a.txt": {"text": "x", "meta": {"a": 1}}}), "'a.txt' cannot have `meta`: its path"),
    (lambda kb: kb.ingest_texts({"a.md": {"text": "x", "meta": {"a": {1}}}}), "invalid `meta` .*set is not"),
    (lambda kb: kb.ingest_texts({"a.md": {"text": "\ud800"}}), "invalid document 'a.md': expected a text that UTF-8"),
    (lambda kb: kb.ingest_texts({"a.md": {"text": "x", "meta": NESTED}}), "invalid `meta` of document 'a.md': .*depth"),
    (lambda kb: kb.ingest_texts({"../a.md": "text"}), "invalid path '../a.md': expected a relative path"),
    (lambda kb: kb.extract(5), "invalid file 5: expected a path"),
    (lambda kb: kb.preview("a\0"), "invalid file "),
    (lambda kb: kb.doctor(repair=5), "unknown repair 5"),
]


def test_what_a_verb_cannot_use_is_named(kb: ragstone.Knowledge) -> None:
    before = kb.info().generation
    for attempt, message in ASKED:
        with pytest.raises(UsageError, match=message):
            attempt(kb)
    assert kb.info().generation == before


def test_what_is_left_at_its_default_is_fine(kb: ragstone.Knowledge) -> None:
    assert len(kb.documents()) == len(kb.documents(None)) == 4
    assert kb.chunk("storage.md", 0, source=None).ordinal == 0
    assert len(kb.runs()) == len(kb.runs(limit=1)) == 1
    assert kb.runs(0) == []


class Odd(BagOfWords):
    """Gives something else than vectors."""

    def __init__(self, gives: object) -> None:
        super().__init__()
        self._gives = gives

    async def embed(self, texts: Sequence[str], *, kind: Literal["document", "query"] = "document") -> Any:
        return self._gives


@pytest.mark.parametrize(
    ("gives", "named"),
    [(None, "NoneType"), ([[1.0]], "list"), (np.array(["x"]), "array of <U1"), (np.array([[1]]), "array of int64")],
)
def test_an_embedder_that_gives_no_vectors_is_named(opened: Open, docs: Path, gives: object, named: str) -> None:
    odd = opened(embedder=Odd(gives))
    with pytest.raises(UsageError, match=f"the embedder Odd gave .*{named}.*array of floats of shape"):
        odd.ingest(docs)
    assert odd.info().documents == 4, "their text is there"
    with pytest.raises(UsageError, match="the embedder Odd gave"):
        odd.search("retention")
    assert odd.search("retention", mode="keyword").hits


def test_a_document_that_is_not_there_is_named_with_the_nearest_that_is(kb: ragstone.Knowledge) -> None:
    with pytest.raises(UsageError, match=r"there is no document 'storge.md'; did you mean 'storage.md'"):
        kb.record("storge.md")
    with pytest.raises(UsageError, match=r"there is no document 'nosuch'$"):
        kb.record("nosuch")


def test_what_cannot_be_extracted_is_named_for_what_it_is(opened: Open, docs: Path) -> None:
    kb = opened()
    for file, message in (("/dev/null", "is not a regular file"), (docs, "is a folder"), ("none.md", "does not exist")):
        with pytest.raises(UsageError, match=message):
            kb.extract(file)


def test_an_interrupt_that_another_thread_was_given_is_seen(kb: ragstone.Knowledge) -> None:
    stopped = False

    async def struck() -> None:
        nonlocal stopped
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)  # nothing wakes the thread that waits
        try:
            await asyncio.sleep(HANG)
        except asyncio.CancelledError:
            stopped = True
            raise

    with pytest.raises(KeyboardInterrupt):
        kb.wait(struck())
    assert stopped


def test_who_waits_while_another_thread_closes_is_told(kb: ragstone.Knowledge) -> None:
    async def closed() -> None:
        threading.Thread(target=kb.close).start()
        await asyncio.sleep(HANG)

    with pytest.raises(UsageError, match="closed meanwhile"):
        kb.wait(closed())
