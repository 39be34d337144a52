"""Searching with a reranker: what it reads, the order that it makes, what is left without it."""

import asyncio
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ragstone
from ragstone.config.model_settings import AnswerSettings, ExternalSettings, RerankSettings
from ragstone.config.settings import ChunkSettings, PipelineSettings, SearchSettings
from ragstone.core.answers import Found
from ragstone.core.errors import ConfigError, Unavailable, UsageError
from ragstone.core.ports import Prompt
from ragstone.core.query_log import COLLECTED, QueryRecord
from ragstone.evaluation.run_description import describe_run
from ragstone.testing.bag_of_words import BagOfWords
from tests.conftest import DOCUMENTS
from tests.providers import tiny_onnx
from tests.providers.serving import backends
from tests.providers.serving.between import standing
from tests.scripted import Scripted

QUESTION = "How long are samples kept?"
Score = Callable[[str], float]
MORE = {
    f"more/{animal}.md": f"# About the {animal}\n\nSamples of the {animal} are kept {'very ' * place}cold.\n"
    for place, animal in enumerate(("llama", "zebra", "otter", "heron", "gecko", "tapir", "moose", "viper"))
}
Open = Callable[..., ragstone.Knowledge]


class Scoring:
    """A reranker that scores as it is told to; see `ragstone.core.ports.Reranker`."""

    model = "tests/scoring"

    def __init__(self, score: Score) -> None:
        self._score = score
        self.asked: list[tuple[str, list[str]]] = []

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        self.asked.append((question, list(texts)))
        return [self._score(text) for text in texts]

    async def check(self) -> list[str]:
        return []

    async def close(self) -> None:
        return None


class Giving(Scoring):
    """A reranker that gives the same, or raises it, whatever it is asked."""

    def __init__(self, given: Any) -> None:
        super().__init__(lambda _: 0.0)
        self._given = given

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        if isinstance(self._given, Exception):
            raise self._given
        given: list[float] = self._given(texts) if callable(self._given) else self._given
        return given


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The documents, ingested once: nothing here changes them."""
    root = tmp_path_factory.mktemp("reranked")
    for path, text in {**DOCUMENTS, **MORE}.items():
        (root / "docs" / path).parent.mkdir(parents=True, exist_ok=True)
        (root / "docs" / path).write_text(text, encoding="utf-8")
    with ragstone.open(root / "store", embedder=BagOfWords()) as kb:
        kb.ingest(root / "docs")
    return root / "store"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cross-encoder that counts the question's words in the passage."""
    return tiny_onnx.write_folder(tmp_path_factory.mktemp("cross"), tiny_onnx.cross_encoder())


@pytest.fixture
def engine(store: Path) -> Iterator[Open]:
    """Opens them with a reranker and settings."""
    made: list[ragstone.Knowledge] = []

    def make(reranker: Scoring | None = None, *, completion: Any = None, **settings: Any) -> ragstone.Knowledge:
        wanted = replace(ragstone.load(store=str(store)), **settings)
        parts = {"embedder": BagOfWords(), "completion": completion, "reranker": reranker}
        made.append(ragstone.Knowledge(ragstone.Engine(wanted, **parts)))
        return made[-1]

    yield make
    for kb in made:
        kb.close()


def ids(found: Found) -> list[str]:
    return [hit.chunk.id for hit in found.hits]


def notes(found: Found) -> list[str]:
    return [note.message for note in found.notes]


def by_length(text: str) -> float:
    """Long passages first."""
    return len(text) / (1 + len(text))


def test_results_stand_in_the_order_of_the_reranker(engine: Open) -> None:
    reranker = Scoring(by_length)
    plain = engine().search(QUESTION, top_k=3)
    found = engine(reranker).search(QUESTION, top_k=3)
    [(asked, texts)] = reranker.asked
    assert asked == QUESTION
    assert len(texts) == 6  # twice as many as are wanted
    assert [hit.signals["rerank"] for hit in found.hits] == sorted(round(by_length(t), 8) for t in texts)[::-1][:3]
    assert [hit.score for hit in found.hits] == [hit.signals["rerank"] for hit in found.hits]
    assert ids(found) != ids(plain)
    assert all("bm25" in hit.signals and "cosine" in hit.signals for hit in found.hits)
    assert notes(found) == []
    assert found.counts["reranked"] == 6
    assert found.timings["rerank"] > 0


def test_it_reads_where_a_passage_stands_and_no_secret(tmp_path: Path) -> None:
    secret = "AKIAQ7ZK3M5N8P2R4T6V"
    (tmp_path / "a.md").write_text(f"# Keys\n\n## Backup\n\nThe key of the backup is {secret}.\n", encoding="utf-8")
    reranker = Scoring(by_length)
    with ragstone.open(tmp_path / "store", embedder=BagOfWords(), reranker=reranker) as kb:
        kb.ingest(tmp_path / "a.md")
        kb.search(f"backup {secret}")
    [(asked, [text])] = reranker.asked
    assert text.startswith("Keys > ")
    assert secret not in asked + text
    assert "[masked:" in asked
    assert "[masked:" in text


def test_a_sentence_is_read_in_its_window_also_where_a_better_one_has_it(tmp_path: Path) -> None:
    sentences = [f"Sentence {name} is about llamas." for name in ("one", "two", "three", "four")]
    (tmp_path / "a.md").write_text(" ".join(sentences), encoding="utf-8")
    reranker = Scoring(by_length)
    settings = replace(ragstone.load(store=str(tmp_path / "store")), chunk=ChunkSettings("sentence-window"))
    with ragstone.open(settings=settings, embedder=BagOfWords(), reranker=reranker) as kb:
        kb.ingest(tmp_path / "a.md")
        kb.search("llamas", top_k=4, fold=False)
    [(_, texts)] = reranker.asked
    assert len(texts) == 4
    assert all(text.endswith(" ".join(sentences)) for text in texts)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (lambda texts: [0.5] * (len(texts) + 1), "tests/scoring gave 5 scores for 4 passages"),
        (lambda texts: [0.5], "gave 1 scores for 4 passages"),
        (lambda texts: [math.nan] * len(texts), "gave the score nan, expected 0 to 1"),
        (lambda texts: [7.0] * len(texts), "gave the score 7, expected 0 to 1"),
        (lambda texts: ["high"] * len(texts), "could not convert"),
        (Unavailable("cohere cannot be reached"), "cohere cannot be reached"),
        (UsageError("cohere needs a key"), "cohere needs a key"),
        (RuntimeError("out of memory"), "out of memory"),
    ],
)
def test_a_reranker_that_fails_leaves_the_order_and_a_note(engine: Open, given: Any, said: str) -> None:
    plain = engine().search(QUESTION, top_k=2)
    found = engine(Giving(given)).search(QUESTION, top_k=2)
    assert ids(found) == ids(plain)
    [note] = found.notes
    assert note.code == ("rerank_refused" if isinstance(given, UsageError) else "rerank_failed")
    assert note.message.startswith("rerank failed and was left out: ")
    assert said in note.message
    assert all("rerank" not in hit.signals for hit in found.hits)


def test_one_that_is_too_slow_is_left_out(engine: Open) -> None:
    class Slow(Scoring):
        cancelled = False

        async def score(self, question: str, texts: Sequence[str]) -> list[float]:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.cancelled = True
                raise
            return []

    reranker = Slow(by_length)
    deadlines = replace(ragstone.load().deadlines, rerank=0.05)
    found = engine(reranker, deadlines=deadlines).search(QUESTION)
    assert notes(found) == ["rerank failed and was left out: it took longer than 0.05 s"]
    assert len(found.hits) > 2
    assert reranker.cancelled


@pytest.mark.parametrize(("wanted", "runs"), [(None, True), (True, True), ("on", True), (False, False), ("off", False)])
def test_a_question_switches_it(engine: Open, wanted: Any, runs: bool) -> None:
    reranker = Scoring(by_length)
    found = engine(reranker).search(QUESTION, rerank=wanted)
    assert bool(reranker.asked) == runs
    assert ("rerank" in found.hits[0].signals) == runs


def test_nothing_is_reranked_by_default_and_on_without_one_is_a_note(engine: Open) -> None:
    assert notes(engine().search(QUESTION)) == []
    [note] = engine().search(QUESTION, rerank=True).notes
    assert note.code == "rerank_refused"
    assert "no reranker is configured: set rerank.model" in note.message


def test_a_typo_in_a_name_is_the_callers_mistake(engine: Open) -> None:
    with pytest.raises(ConfigError, match="rerank 'cohre/x': unknown vendor 'cohre'; did you mean 'cohere'"):
        engine().search(QUESTION, rerank="cohre/x")
    with pytest.raises(ConfigError, match="unknown vendor 'cohre'"):
        SearchSettings(rerank="cohre/x")


def test_options_hold_after_it_too(engine: Open) -> None:
    found = engine(Scoring(by_length)).search(QUESTION, per_document=1, top_k=10)
    paths = [hit.chunk.document.path for hit in found.hits]
    assert len(paths) == len(set(paths)) > 2
    boosted = engine(Scoring(lambda _: 0.5)).search(QUESTION, keyword_boost=True)
    assert boosted.hits[0].score > 0.5
    assert boosted.hits[0].signals["rerank"] == 0.5


def test_what_is_not_scored_stands_behind_in_its_order(engine: Open) -> None:
    settings = {"rerank": RerankSettings(documents=2)}
    plain = engine().search(QUESTION, top_k=6)
    reranker = Scoring(by_length)
    found = engine(reranker, **settings).search(QUESTION, top_k=6)
    assert len(reranker.asked[0][1]) == 2
    assert ids(found)[2:] == ids(plain)[2:]
    assert set(ids(found)[:2]) == set(ids(plain)[:2])
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)


def test_a_model_in_a_folder_reranks_by_settings_and_by_name(engine: Open, folder: Path) -> None:
    by_settings = engine(rerank=RerankSettings("onnx/counting", folder=str(folder))).search(QUESTION)
    by_name = engine().search(QUESTION, rerank=f"onnx/{folder}")
    assert notes(by_settings) == notes(by_name) == []
    assert ids(by_settings) == ids(by_name)
    assert by_settings.hits[0].signals["rerank"] > 0.5
    [note] = engine().search(QUESTION, rerank="onnx/nowhere").notes
    assert "rerank.folder nowhere does not exist" in note.message


def test_a_language_model_reranks(engine: Open) -> None:
    def says(prompt: Prompt) -> str:
        count = int(prompt.messages[1].text.rpartition("Scores for the ")[2].split()[0])
        return str([round(place / count, 2) for place in range(count)])

    plain = engine().search(QUESTION, top_k=4)
    found = engine(completion=Scripted(says), rerank=RerankSettings("llm")).search(QUESTION, top_k=4)
    assert found.hits[0].signals["rerank"] > found.hits[3].signals["rerank"]
    assert ids(found) != ids(plain)
    confused = engine(completion=Scripted(lambda _: "[1]"), rerank=RerankSettings("llm")).search(QUESTION, top_k=4)
    assert ids(confused) == ids(plain)
    assert "scripted/script did not give 8 numbers from 0 to 1" in notes(confused)[0]
    [note] = engine().search(QUESTION, rerank="llm").notes
    assert "no language model is configured" in note.message


def test_passages_leave_the_machine_only_where_that_is_allowed(engine: Open) -> None:
    outside = RerankSettings("cohere/rerank-v3.5", api_key="k", base_url="http://10.255.255.1")
    [note] = engine(rerank=outside).search(QUESTION).notes
    assert note.code == "rerank_refused"
    assert "would send questions and passages to 10.255.255.1: set external.rerank to true" in note.message
    allowed = {"external": ExternalSettings(rerank=True)}
    [note] = engine(rerank=outside, offline=True, **allowed).search(QUESTION).notes
    assert "is at 10.255.255.1, and offline is true" in note.message


def test_a_vendor_reranks_by_settings(engine: Open) -> None:
    with standing(backends.jina) as between:
        found = engine(rerank=RerankSettings("infinity/any", base_url=between.url)).search(QUESTION)
        assert notes(found) == []
        assert found.hits[0].signals["rerank"] > 0.5
        assert between.requests[0].json["query"] == QUESTION


def test_the_doctor_asks_it_for_a_score(engine: Open, folder: Path) -> None:
    assert engine(rerank=RerankSettings("onnx/counting", folder=str(folder))).doctor() == []
    assert "lacks model.onnx" in engine(rerank=RerankSettings("onnx/x", folder=str(folder.parent))).doctor()[0]
    assert (
        "COHERE_API_KEY"
        in engine(rerank=RerankSettings("cohere/rerank-v3.5"), external=ExternalSettings(rerank=True)).doctor()[0]
    )
    assert "unknown vendor 'cohre'" in engine(rerank=RerankSettings("cohre/x")).doctor()[0]


def test_thresholds_judge_the_rerankers_score(engine: Open) -> None:
    rule = {"answer": AnswerSettings(abstain="thresholds")}
    assert engine(Scoring(lambda _: 0.14), **rule).ask(QUESTION).abstained
    assert not engine(Scoring(lambda _: 0.16), **rule).ask(QUESTION).abstained


def test_explain_shows_where_the_reranker_put_a_document(engine: Open) -> None:
    plain = engine().search(QUESTION, top_k=3)
    path = plain.hits[0].chunk.document.path
    reranker = Scoring(lambda text: 0.01 if path in text or "llama" in text else 0.9)
    lost = engine(reranker).explain(QUESTION, path=path, top_k=1)
    assert lost.stage == "reranked"
    assert lost.message.startswith("the reranker scored it 0.0100: ranked ")
    assert lost.signals["rerank"] == 0.01
    assert lost.cut["rerank"] == 0.9
    kept = engine(Scoring(lambda text: 0.9 if "llama" in text else 0.1)).explain(QUESTION, path=path, top_k=3)
    assert kept.stage == "found"
    assert kept.signals["rerank"] == 0.9


def test_a_cached_search_is_of_the_same_reranker_alone(engine: Open) -> None:
    def search(reranker: Scoring | None) -> Found:
        return engine(reranker).search("samples kept default", cache=True)

    class Other(Scoring):
        model = "tests/other"

    first = search(Scoring(by_length))
    again = Scoring(by_length)
    served = search(again)
    assert again.asked == []
    assert served.counts == {}
    assert [hit.signals["rerank"] for hit in served.hits] == [hit.signals["rerank"] for hit in first.hits]
    other = Other(by_length)
    search(other)
    assert other.asked
    assert "rerank" not in search(None).hits[0].signals


def test_a_pipeline_has_its_own(engine: Open, folder: Path) -> None:
    own = PipelineSettings("p", collections=("default",), rerank=RerankSettings("onnx/counting", folder=str(folder)))
    kb = engine(pipelines=(own, replace(own, name="plain", rerank=None)))
    assert "rerank" in kb.pipeline("p").search(QUESTION).hits[0].signals
    assert "rerank" not in kb.pipeline("plain").search(QUESTION).hits[0].signals
    assert kb.pipeline("p").check() == []
    assert "rerank" in kb.pipeline("p").explain(QUESTION, path="storage.md").signals


def test_the_record_of_a_query_tells_of_it(engine: Open) -> None:
    records: list[QueryRecord] = []
    token = COLLECTED.set(records)
    try:
        engine(Scoring(by_length)).search(QUESTION, top_k=3)
        engine(Giving([])).search(QUESTION)
        engine().search(QUESTION)
    finally:
        COLLECTED.reset(token)
    used, failed, none = records
    assert (used.reranker_used, used.reranker_skipped, used.k_rerank) == (True, False, 6)
    assert used.reranker_latency_ms == used.latency_ms_rerank > 0
    assert (failed.reranker_used, failed.reranker_skipped, failed.k_rerank) == (False, True, 0)
    assert (none.reranker_used, none.reranker_skipped) == (False, False)


def test_an_evaluation_names_it_and_may_leave_it_out(engine: Open) -> None:
    def describe(kb: ragstone.Knowledge, **options: Any) -> Any:
        return kb.wait(describe_run(kb.engine, options, answers=False, judge=None))["rerank"]

    kb = engine(Scoring(by_length))
    assert describe(kb) == "tests/scoring"
    assert describe(kb, rerank=False) is None
    with pytest.raises(UsageError, match="no reranker is configured"):
        describe(engine(), rerank=True)
