"""A stage that is late is left out with a note, and nothing hangs."""

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ragstone
from ragstone import providers
from ragstone.config.deadlines import Deadlines
from ragstone.config.settings import PipelineSettings, Settings
from ragstone.core.answers import Answer
from ragstone.core.errors import ConfigError, StoreError
from ragstone.core.ports import CompletionResult, Prompt, Vectors
from ragstone.engine import Engine
from ragstone.stores.embedded.reader import EmbeddedReader
from ragstone.testing.bag_of_words import BagOfWords
from tests.scripted import Scripted

QUESTION = "For how long are samples kept by default?"
KEPT = "Samples are kept for 15 days by default."
AT_ONCE = 0.05  # seconds: for what never answers
SOON = 3.0  # seconds: in half of them a busy machine does what is not late


async def never(*_: Any, **__: Any) -> Any:
    await asyncio.Event().wait()


class Slow(BagOfWords):
    """An embedder that answers until it is told not to: from its embedding with this number on."""

    def __init__(self, after: int = 1_000_000) -> None:
        super().__init__()
        self.left = after

    async def embed(self, texts: Sequence[str], **options: Any) -> Vectors:
        self.left -= 1
        return await never() if self.left < 0 else await super().embed(texts, **options)


@pytest.fixture
async def asked(docs: Path, tmp_path: Path) -> Callable[..., Any]:
    """Asks a collection over the documents, under these deadlines."""
    settings = Settings(str(tmp_path / "store"))
    async with Engine(settings, embedder=BagOfWords()) as kb:
        await kb.ingest(docs)

    async def ask(*, after: int = 1_000_000, model: Scripted | None = None, verb: str = "ask", **late: Any) -> Any:
        limited = replace(settings, deadlines=Deadlines(**{k: v for k, v in late.items() if k != "history"}))
        async with Engine(limited, embedder=Slow(after), completion=model) as kb:
            history = {"history": late["history"]} if "history" in late else {}
            return await getattr(kb, verb)(QUESTION, **history)

    return ask


def codes(answer: Answer) -> list[str]:
    return [note.code for note in answer.notes]


async def test_a_late_vector_leaves_the_words(asked: Callable[..., Any]) -> None:
    found = await asked(after=0, embed=AT_ONCE, verb="search")
    assert found.hits
    assert [note.code for note in found.notes] == ["embedding_failed", "semantic_unavailable"]
    assert found.notes[0].message == "embedding failed and was left out: it took longer than 0.05 s"


async def test_late_vectors_of_sentences_leave_the_words(asked: Callable[..., Any]) -> None:
    answer = await asked(after=1, check=AT_ONCE)
    assert KEPT in answer.text
    assert codes(answer) == ["similarity_failed"]


async def test_late_vectors_leave_the_check_of_what_a_model_wrote_to_words(
    asked: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(providers, "find_builtin_embedder", lambda *_: ("taken for the built-in one", ""))
    reworded = "Samples are held for 15 days by default [1][2][3][4]."
    answer = await asked(after=1, check=AT_ONCE, model=Scripted(lambda _: reworded))
    assert [sentence.status for sentence in answer.sentences] == ["verified"]
    assert "comparing_failed" in codes(answer)
    assert {"model", "check", "comparing", "total"} <= set(answer.timings)


async def test_a_late_leg_leaves_the_other(asked: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EmbeddedReader, "nearest", never)
    found = await asked(search=SOON, verb="search")
    assert found.hits
    assert [note.code for note in found.notes] == ["cosine_failed"]


@pytest.mark.parametrize("verb", ["chunks", "records"])
async def test_a_store_that_is_late_is_an_error(
    asked: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    monkeypatch.setattr(EmbeddedReader, verb, never)
    with pytest.raises(StoreError, match=r"did not answer within 3 s \(deadlines\.search\)"):
        await asked(search=SOON, check=AT_ONCE)


async def test_a_late_rewriting_says_the_last_question_along(asked: Callable[..., Any]) -> None:
    class Pondering(Scripted):
        async def complete(self, prompt: Prompt) -> CompletionResult:
            done: CompletionResult = await never(prompt)
            return done

    history = [{"role": "user", "content": "How are samples kept?"}]
    answer = await asked(rewrite=AT_ONCE, history=history, model=Pondering(lambda _: KEPT))
    assert "standalone_failed" in codes(answer)
    assert KEPT in answer.text


def test_a_late_part_of_a_pipeline_leaves_the_others(
    docs: Path, tmp_path: Path, opened: Callable[..., ragstone.Knowledge], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        opened(collection=name).ingest(docs)
    pipeline = PipelineSettings("p", collections=("one", "two"))
    settings = Settings(str(tmp_path / "store"), deadlines=Deadlines(search=SOON), pipelines=(pipeline,))
    chunks, slow = EmbeddedReader.chunks, []

    async def once(self: EmbeddedReader, ids: Sequence[str]) -> Any:
        slow.append(self)
        return await (never() if len(slow) == 1 else chunks(self, ids))

    monkeypatch.setattr(EmbeddedReader, "chunks", once)
    with ragstone.open(settings=settings, embedder=BagOfWords()) as kb:
        found = kb.pipeline("p").search(QUESTION)
    assert found.hits
    assert [note.code for note in found.notes] == ["part_failed"]
    assert "did not answer within 3 s" in found.notes[0].message


def test_parts_that_fail_are_named_in_their_order_whichever_failed_first(
    docs: Path, tmp_path: Path, opened: Callable[..., ragstone.Knowledge], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        opened(collection=name).ingest(docs)
    settings = Settings(str(tmp_path / "store"), pipelines=(PipelineSettings("p", collections=("one", "two")),))
    failed: list[str] = []
    other = asyncio.Event()

    async def fail(self: EmbeddedReader, _: Sequence[str]) -> Any:
        name = self._collection.scope.collection
        await (other.wait() if name == "one" else asyncio.sleep(0))
        failed.append(name)
        other.set()
        raise StoreError(f"{name} is away")

    monkeypatch.setattr(EmbeddedReader, "chunks", fail)
    with ragstone.open(settings=settings, embedder=BagOfWords()) as kb, pytest.raises(StoreError) as raised:
        kb.pipeline("p").search(QUESTION)
    assert failed == ["two", "one"]
    assert re.search("one is away.*two is away", str(raised.value))


def test_a_deadline_that_is_none_is_said() -> None:
    with pytest.raises(ConfigError, match=r"invalid search 0: expected a number from 0\.01"):
        Deadlines(search=0)
