"""Searching with a language model's help: what is searched then, what is told of it, what is left without it."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import ragstone
from ragstone.config.model_settings import LlmSettings
from ragstone.config.settings import PipelineSettings
from ragstone.core.answers import Found
from ragstone.core.errors import RagstoneError, Unavailable, UsageError
from ragstone.core.ports import CompletionResult, Prompt, Vectors
from ragstone.core.trace import Trace
from ragstone.retrieval import query_expansion
from ragstone.retrieval.question import Question
from ragstone.testing.bag_of_words import BagOfWords
from tests.commands import Run
from tests.conftest import DOCUMENTS
from tests.scripted import Scripted

Open = Callable[..., ragstone.Knowledge]
STORAGE = "Samples are kept for 15 days by default. Blocks of two hours are written to disk."
LONG_AGO = "xylophone"  # a word that no document has


def helper(*, documents: str = STORAGE, paraphrases: str = "samples retention", scores: str = "[]") -> Scripted:
    """A model that does each of the three by its prompt."""

    def says(prompt: Prompt) -> str | list[str | RagstoneError]:
        if prompt.schema is not None:
            return scores
        return paraphrases if "other ways to ask" in prompt.messages[0].text else documents

    return Scripted(says)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The documents, ingested once: nothing here changes them."""
    root = tmp_path_factory.mktemp("assisted")
    for path, text in DOCUMENTS.items():
        (root / "docs" / path).parent.mkdir(parents=True, exist_ok=True)
        (root / "docs" / path).write_text(text, encoding="utf-8")
    with ragstone.open(root / "store", embedder=BagOfWords()) as kb:
        kb.ingest(root / "docs")
    return root / "store"


@pytest.fixture
def engine(store: Path) -> Iterator[Callable[..., ragstone.Knowledge]]:
    """Opens them with a model and settings."""
    made: list[ragstone.Knowledge] = []

    def make(model: Scripted | None = None, **settings: Any) -> ragstone.Knowledge:
        wanted = replace(ragstone.load(store=str(store)), **settings)
        made.append(ragstone.Knowledge(ragstone.Engine(wanted, embedder=BagOfWords(), completion=model)))
        return made[-1]

    yield make
    for kb in made:
        kb.close()


@pytest.fixture
def asked(engine: Open) -> Callable[..., Found]:
    """Searches the documents with a model's help."""
    return lambda model, text, **options: engine(model).search(text, **options)


def notes(found: Found) -> list[str]:
    return [note.message for note in found.notes]


def paths(found: Found) -> list[str]:
    return [hit.chunk.document.path for hit in found.hits]


def test_imagined_answers_are_searched_for_in_place_of_the_question(asked: Callable[..., Found]) -> None:
    model = helper()
    plain = asked(model, f"{LONG_AGO} Dana", mode="semantic", top_k=3)
    helped = asked(model, f"{LONG_AGO} Dana", mode="semantic", top_k=3, hyde="standard")
    assert paths(plain)[0] == "notes.txt"
    assert paths(helped)[0] == "storage.md"
    assert notes(helped) == ["hyde: searched with the mean of 1 imagined document"]
    [step] = helped.steps
    assert (step.name, step.calls, step.texts) == ("hyde", 1, (STORAGE,))
    assert step.usage == {"prompt_tokens": 10, "completion_tokens": 5}
    assert len(model.prompts) == 1


def test_signals_stay_those_of_the_question(asked: Callable[..., Found]) -> None:
    text = "For how long are samples kept?"
    plain = {hit.chunk.id: hit.signals for hit in asked(None, text, top_k=50).hits}
    for options in ({"hyde": "multi"}, {"multi_query": 2}):
        for hit in asked(helper(), text, top_k=50, **options).hits:
            assert hit.signals == plain[hit.chunk.id]


def test_whichever_ends_first_its_notes_stand_in_one_order(asked: Callable[..., Found]) -> None:
    class Away(Scripted):
        late = False

        async def complete(self, prompt: Prompt) -> CompletionResult:
            paraphrasing = "other ways to ask" in prompt.messages[0].text
            await asyncio.sleep(0.05 if paraphrasing == self.late else 0)
            raise Unavailable("away")

    for late in (True, False):
        model = Away(lambda _: "")
        model.late = late
        found = asked(model, "samples", hyde="standard", multi_query=1)
        assert [note.code for note in found.notes] == ["hyde_failed", "multi_query_failed"]


def test_wordings_leave_the_companys_rule_the_score_of_one(engine: Open, asked: Callable[..., Found]) -> None:
    """It is the same in a pipeline, and only where ranks of two retrievers were fused."""
    two: dict[str, Any] = {"multi_query": 2, "fusion": "rrf"}
    plain = asked(None, "samples kept", fusion="rrf")
    kb = engine(helper(paraphrases="receiver\nnoon"), pipelines=(PipelineSettings("p", collections=("default",)),))
    for found in (kb.search("samples kept", **two), kb.pipeline("p").search("samples kept", **two)):
        first = next(hit for hit in found.hits if hit.chunk.id == plain.hits[0].chunk.id)
        assert first.signals["rrf"] == plain.hits[0].score == 0.016393  # first in both retrievers, each of weight 0.5
        assert first.score > first.signals["rrf"]
        assert max(hit.signals["rrf"] for hit in found.hits) <= 0.016393
    others: list[dict[str, Any]] = [{"fusion": "minmax"}, {"mode": "keyword"}, {"multi_query": 0}]
    for other in others:
        assert not any("rrf" in hit.signals for hit in kb.search("samples kept", **{**two, **other}).hits)


def test_adaptive_asks_the_model_only_where_nothing_is_near(asked: Callable[..., Found]) -> None:
    model = helper()
    near = asked(model, "Storage retention: samples are kept for 15 days by default", hyde="adaptive")
    assert model.prompts == []
    assert "not needed" in notes(near)[0]
    far = asked(model, f"{LONG_AGO} Dana", hyde="adaptive")
    assert len(model.prompts) == 1
    assert far.steps[0].name == "hyde"
    asked(model, "Samples are kept for 15 days by default", hyde="adaptive", hyde_below=1.0)
    assert len(model.prompts) == 2


def test_kinds_need_three_documents(asked: Callable[..., Found]) -> None:
    model = helper()
    asked(model, "samples", hyde="multi")
    assert len(model.prompts) == 3
    with pytest.raises(UsageError, match="invalid hyde_documents 2: expected"):
        asked(model, "samples", hyde="multi", hyde_documents=2)


def test_paraphrases_find_what_the_question_does_not(asked: Callable[..., Found]) -> None:
    model = helper(paraphrases="PagerDuty OpsGenie\nDana release\nPagerDuty OpsGenie")
    plain = asked(model, "samples kept", mode="keyword", top_k=2)
    helped = asked(model, "samples kept", mode="keyword", top_k=3, multi_query=3)
    assert set(paths(plain)) == {"storage.md"}
    assert {"storage.md", "guides/alerts.md", "notes.txt"} <= set(paths(helped))
    assert helped.steps[0].texts == ("PagerDuty OpsGenie", "Dana release")
    assert notes(helped) == []


def test_what_the_model_holds_useless_is_left_out(asked: Callable[..., Found]) -> None:
    text = "samples kept by default"
    plain = asked(None, text, top_k=3)
    helped = asked(helper(scores='{"scores": [0.9, 0.1, 0.6]}'), text, top_k=3, filter=True)
    assert helped.hits == (plain.hits[0], plain.hits[2])
    assert helped.steps[0].scores == (0.9, 0.1, 0.6)
    low = asked(helper(scores='{"scores": [0.9, 0.1, 0.6]}'), text, top_k=3, filter=True, filter_below=0.7)
    assert low.hits == plain.hits[:1]


@pytest.mark.parametrize("options", [{"hyde": "multi"}, {"multi_query": 3}, {"filter": True}])
def test_without_a_working_model_the_question_is_searched_as_it_is(
    asked: Callable[..., Found], options: dict[str, Any]
) -> None:
    text = "For how long are samples kept?"
    plain = asked(None, text)
    for model in (None, Scripted(lambda _: [Unavailable("it is away")]), Scripted(lambda _: [UsageError("wrong key")])):
        helped = asked(model, text, **options)
        assert helped.hits == plain.hits
        assert len(helped.notes) == 1
        assert "left out" in notes(helped)[0]


def test_a_vendor_that_may_not_be_reached_is_a_note(engine: Open) -> None:
    found = engine(offline=True, llm=LlmSettings("openai/gpt-x")).search("samples kept", hyde="standard")
    assert found.hits
    assert "offline is true" in notes(found)[0]


def test_no_secret_reaches_the_model(asked: Callable[..., Found]) -> None:
    key = "AKIAIOSFODNN7REALKEY"
    model = helper(scores="[1, 1, 1]")
    asked(model, f"samples kept {key}", hyde="multi", multi_query=2, filter=True, top_k=3)
    assert len(model.prompts) == 5
    assert all(key not in turn.text for prompt in model.prompts for turn in prompt.messages)


def test_an_answer_counts_what_was_asked_for_it(engine: Open) -> None:
    answer = engine(helper(scores="[1, 0, 0, 0]")).ask(
        "For how long are samples kept by default?", hyde="standard", filter=True, top_k=4
    )
    assert [step.name for step in answer.steps] == ["hyde", "filter"]
    assert len(answer.hits) == 1
    assert answer.usage["prompt_tokens"] == 30  # two steps, and the answer itself


def test_explain_shows_what_the_model_did(engine: Open) -> None:
    kb = engine(helper(scores="[0.9, 0.2]", paraphrases="Dana"))
    fates = [
        kb.explain("samples kept Dana", path=path, multi_query=1, filter=True, top_k=2, mode="keyword")
        for path in ("notes.txt", "storage.md")
    ]
    assert all([step.name for step in told.steps] == ["multi_query", "filter"] for told in fates)
    assert sorted(told.stage for told in fates) == ["found", "judged"]
    assert any("scored it 0.2, below filter_below 0.5" in told.message for told in fates)


def test_a_pipeline_takes_the_same_help(engine: Open) -> None:
    model = helper(paraphrases="PagerDuty OpsGenie", scores="[1, 1, 0]")
    line = engine(model, pipelines=(PipelineSettings("p", collections=("default",)),)).pipeline("p")
    helped = line.search(f"{LONG_AGO} Dana", mode="semantic", hyde="standard", top_k=3)
    assert paths(helped)[0] == "storage.md"
    assert "guides/alerts.md" in paths(line.search("samples kept", mode="keyword", multi_query=1, top_k=3))
    plain = line.search("samples kept by default", top_k=3)
    assert line.search("samples kept by default", top_k=3, filter=True).hits == plain.hits[:2]
    answer = line.ask("For how long are samples kept by default?", top_k=3, filter=True)
    assert len(answer.hits) == 2
    assert [step.name for step in answer.steps] == ["filter"]


def test_the_command_says_what_was_done(store: Path, run: Run) -> None:
    out = run(
        "search", "samples kept", "--mode", "keyword", "--store", store, "--multi-query", "1", "--llm-filter", "--json"
    )
    assert [note["code"] for note in out.json["notes"]] == ["multi_query_failed", "filter_failed"]
    assert out.json["hits"]
    shown = run(
        "explain", "samples", "--mode", "keyword", "--doc", "notes.txt", "--store", store, "--multi-query", "2"
    ).out
    assert "note: multi_query failed and was left out" in shown
    wrong = run("search", "samples", "--store", store, "--hyde", "deep")
    assert wrong.status == 2
    assert "unknown hyde 'deep': expected off, standard, adaptive or multi" in wrong.err


def test_off_in_a_file_is_off(tmp_path: Path) -> None:
    (tmp_path / "ragstone.yaml").write_text("search: {hyde: off}\n")
    assert ragstone.load(tmp_path / "ragstone.yaml").search.hyde == "off"


async def test_wordings_that_an_embedder_refuses_leave_the_question_itself() -> None:
    class Refusing(BagOfWords):
        async def embed(self, texts: Sequence[str], *, kind: Literal["document", "query"] = "document") -> Vectors:
            raise UsageError("vendor/m refused the request (400): input too long")

    trace = Trace()
    vector = np.ones(4, dtype=np.float32)
    said = await query_expansion.build_variants(
        Question("How long?"), vector, query_expansion.Expansion(("A.",), ("B?",)), Refusing(), trace
    )
    assert [(one.text, one.vector is vector) for one in said] == [("How long?", True)]
    assert [note.code for note in trace.notes] == ["embedding_refused"] * 2
