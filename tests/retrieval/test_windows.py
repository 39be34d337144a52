"""A sentence is found by itself and read with those around it, each of them once."""

from collections.abc import Callable
from pathlib import Path

import pytest

import ragstone
from ragstone.chunking import Characters, make_chunker
from ragstone.config.settings import ChunkSettings, PipelineSettings, Settings
from ragstone.core.types import Chunk, Hit, join_slices
from ragstone.retrieval.windows import widen
from ragstone.testing.bag_of_words import BagOfWords
from ragstone.testing.chunkers import outline_document
from tests.answering.made import document
from tests.scripted import Scripted

TEXT = "# Tides\n\n" + " ".join(f"Sentence number {n} speaks of topic{n}." for n in range(20))
QUESTION = "What does the sentence with topic9 speak of?"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    pipeline = PipelineSettings("p", collections=("default",), token_budget=40)
    return Settings(str(tmp_path / "store"), chunk=ChunkSettings("sentence-window"), pipelines=(pipeline,))


@pytest.fixture
def asked(settings: Settings, tmp_path: Path) -> Callable[..., ragstone.Knowledge]:
    (tmp_path / "tides.md").write_text(TEXT, encoding="utf-8")

    def make_(model: Scripted | None = None) -> ragstone.Knowledge:
        kb = ragstone.open(settings=settings, embedder=BagOfWords(), completion=model)
        kb.ingest(tmp_path / "tides.md")
        return kb

    return make_


def named(*numbers: int) -> str:
    return " ".join(f"Sentence number {n} speaks of topic{n}." for n in numbers)


def test_each_sentence_is_a_chunk_and_its_window_the_context(asked: Callable[..., ragstone.Knowledge]) -> None:
    with asked() as kb:
        found = kb.search(QUESTION, top_k=1)
        assert [one.chunk.text for one in found.hits] == [named(9)]
        assert named(6, 7, 8, 9, 10, 11, 12) in kb.context(QUESTION, top_k=1)
        within = kb.pipeline("p").context(QUESTION, top_k=1)
        assert named(6, 7, 8) in within
        assert "topic12" not in within


def test_a_model_is_shown_the_window_and_cites_the_very_sentence(asked: Callable[..., ragstone.Knowledge]) -> None:
    model = Scripted(lambda _: f"{named(9)} [1] {named(11)} [1] {named(2)} [1]")
    with asked(model) as kb:
        answer = kb.ask(QUESTION, top_k=1)
        found = kb.search(QUESTION, top_k=1).hits[0].chunk
        assert named(6, 7, 8, 9, 10, 11, 12) in model.prompts[0].messages[-1].text
        assert "topic13" not in model.prompts[0].messages[-1].text
        assert [sentence.status for sentence in answer.sentences] == ["verified", "verified", "unverified"]
        [citation] = answer.citations
        _, record = kb.record("tides.md")
        assert citation.quote == join_slices(record, citation.spans) == f"{named(9)}\n{named(11)}"
        assert citation.chunk == found.id


def test_what_is_quoted_has_its_place_in_the_text_of_record(asked: Callable[..., ragstone.Knowledge]) -> None:
    with asked() as kb:
        answer = kb.ask(QUESTION)
        _, record = kb.record("tides.md")
        assert named(9) in answer.text
        assert all(join_slices(record, citation.spans) == citation.quote for citation in answer.citations)


def chunks(text: str, **options: int) -> list[Hit]:
    pieces = make_chunker("sentence-window", tokenizer=Characters(), options=options).cut(outline_document(text))
    return [
        Hit(Chunk(f"c{p.ordinal}", document(), p.ordinal, p.text, p.spans, metadata={"window": p.window}), 1.0)
        for p in pieces
    ]


def test_no_sentence_stands_in_two_windows() -> None:
    every = chunks(TEXT)
    best = [every[9], every[11], every[14], every[0]]
    shown = widen(best, [one.chunk for one in every], {every[0].chunk.document.id: TEXT})
    assert [one.chunk.text for one in shown] == [
        named(6, 7, 8, 9, 10, 11, 12),
        named(13, 14, 15, 16, 17),
        "# Tides\n\n" + named(0, 1, 2, 3),
    ]
    assert all(join_slices(TEXT, one.chunk.spans) == one.chunk.text for one in shown)


def test_a_window_without_its_neighbours_is_the_sentence() -> None:
    every = chunks(TEXT, window=1)
    known = {every[0].chunk.document.id: TEXT}
    assert widen([every[5]], [every[6].chunk], known)[0].chunk.text == named(5, 6)
    assert widen([every[5]], [], known) == [every[5]]
    assert widen([every[5]], [every[6].chunk], {}) == [every[5]]
