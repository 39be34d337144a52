"""Profiles: the options that each sets, whose word counts, and what freshness and metadata do to the order."""

from collections.abc import Callable
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import ragstone
from ragstone.config.load import load
from ragstone.config.profiles import PROFILES, RANKING
from ragstone.config.search_options import RankingOptions, SearchOptions
from ragstone.config.settings import Settings
from ragstone.core.errors import ConfigError, UsageError
from ragstone.engine import Engine
from ragstone.retrieval.question import Question, QuestionDefaults, build_question
from ragstone.retrieval.ranking import apply_options
from ragstone.testing.bag_of_words import BagOfWords
from tests.retrieval.made import hit

NOW = datetime(2024, 6, 1, tzinfo=UTC)
# As the system that they come from defines them.
DEFINED: dict[str, dict[str, Any]] = {
    "default_research": {
        "word_scale": "range",
        "feedback": 0.0,
        "heading_weight": 0.0,
        "mode": "hybrid",
        "bm25_candidates": 120,
        "cosine_candidates": 120,
        "bm25_weight": 0.60,
        "cosine_weight": 0.35,
        "freshness_weight": 0.05,
        "per_document": 3,
    },
    "decisions_recent": {
        "word_scale": "range",
        "feedback": 0.0,
        "heading_weight": 0.0,
        "mode": "hybrid",
        "bm25_candidates": 150,
        "cosine_candidates": 80,
        "bm25_weight": 0.65,
        "cosine_weight": 0.20,
        "freshness_weight": 0.15,
        "per_document": 4,
    },
    "templates_lookup": {
        "word_scale": "range",
        "feedback": 0.0,
        "heading_weight": 0.0,
        "mode": "keyword",
        "bm25_candidates": 200,
        "cosine_candidates": 0,
        "bm25_weight": 0.90,
        "metadata_weight": 0.10,
        "per_document": 5,
    },
}


@pytest.mark.parametrize("name", DEFINED)
def test_a_profile_sets_its_numbers(name: str) -> None:
    asked = build_question("x", QuestionDefaults(SearchOptions(bm25_weight=7.0, top_k=3)), None, {"profile": name})
    assert {key: getattr(asked, key) for key in DEFINED[name]} == DEFINED[name]
    assert (asked.profile, asked.top_k) == (name, 3)


def test_the_default_profile_is_the_default_of_every_option() -> None:
    assert PROFILES[SearchOptions().profile] == RankingOptions()
    assert {one.name for one in fields(RankingOptions)} == set(RANKING)


def test_an_option_beside_a_profile_wins_over_it() -> None:
    asked = build_question("x", QuestionDefaults(), None, {"profile": "default_research", "per_document": 1})
    assert (asked.per_document, asked.bm25_weight) == (1, 0.60)


def test_each_retriever_gives_as_many_candidates_as_the_profile_says(kb: ragstone.Knowledge) -> None:
    asked = kb.engine.question("samples", profile="decisions_recent")
    assert (asked.word_depth, asked.vector_depth) == (150, 80)
    assert kb.search("samples", profile="templates_lookup").counts.keys() == {"bm25", "merged"}


@pytest.mark.parametrize(
    ("name", "most"), [("balanced", 9), ("default_research", 3), ("decisions_recent", 4), ("templates_lookup", 5)]
)
def test_no_more_passages_of_a_document_than_the_profile_allows(name: str, most: int) -> None:
    hits = [hit(f"vault {n}", ordinal=n, score=1 - n / 100) for n in range(9)]
    found = apply_options(
        [*hits, hit("harbour", path="b.md")], build_question("x", QuestionDefaults(), None, {"profile": name})
    )
    assert sum(one.chunk.document.path == "a.md" for one in found) == most


async def test_fresh_documents_come_first_by_an_injected_clock(docs: Path, tmp_path: Path) -> None:
    for name, day in (("a-old", "2019-01-01"), ("b-new", "2024-05-30")):
        text = f"---\ndate: {day}\n---\n# Decision {name}\n\nThe harbour crane is painted in one colour each year.\n"
        (docs / f"{name}.md").write_text(text, encoding="utf-8")
    settings = Settings(store=str(tmp_path / "dated"))
    asked = "which colour is the harbour crane painted"
    async with Engine(settings, embedder=BagOfWords(), clock=lambda: NOW) as engine:
        await engine.ingest(docs)
        found = await engine.search(asked, profile="decisions_recent", fold=False)
        assert [one.chunk.document.path for one in found.hits[:2]] == ["b-new.md", "a-old.md"]
        assert found.hits[0].signals["freshness"] == pytest.approx(0.5 ** (2 / 90), abs=1e-4)
        plain = await engine.search(asked, fold=False)
        assert "freshness" not in plain.hits[0].signals
    async with Engine(settings, embedder=BagOfWords(), clock=lambda: datetime(2018, 1, 1, tzinfo=UTC)) as engine:
        early = await engine.search(asked, profile="decisions_recent", fold=False)
        assert {one.signals["freshness"] for one in early.hits[:2]} == {1.0}


def test_words_in_title_and_labels_count_where_metadata_has_a_weight() -> None:
    plain = hit("an offer letter", path="a.md", score=10.0, bm25=10.0)
    named = hit("offer letter", path="templates/offer.md", score=9.8, bm25=9.8, meta={"tags": ["letter"]})
    asked = build_question("offer letter", QuestionDefaults(), None, {"profile": "templates_lookup"})
    found = apply_options([plain, named], asked)
    assert [one.chunk.document.path for one in found] == ["templates/offer.md", "a.md"]
    assert [one.signals["metadata"] for one in found] == [1.0, 0.0]
    # The best score counts as the weight of its retriever, .90: metadata add .10 of that scale.
    assert found[0].score == pytest.approx(9.8 + 10 / 0.90 * 0.10, abs=1e-4)


@pytest.mark.parametrize(
    "about",
    [{"meta": {"doc_type": "policy"}}, {"meta": {"tags": ["notes"]}}, {"path": "company/policies/travel.md"}],
)
def test_notes_and_policies_are_boosted_in_decisions(about: dict[str, Any]) -> None:
    asked = build_question("x", QuestionDefaults(), None, {"profile": "decisions_recent"})
    found = apply_options([hit(path="a.md", score=1.0), hit(**{"path": "b.md", "score": 0.95, **about})], asked)
    assert found[0].score == pytest.approx(0.95 * 1.1)


def test_thresholds_judge_rrf_without_what_age_added() -> None:
    asked = Question("x", fusion="rrf", freshness_weight=1.0, asked_at=NOW)
    [found] = apply_options([hit(score=0.03, date="2024-06-01", cosine=0.5)], asked)
    assert (found.signals["rrf"], found.score) == (0.03, 0.06)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"profile": "decision_recent"}, "unknown profile 'decision_recent'; did you mean decisions_recent?"),
        ({"profile": " "}, "unknown profile ' '; expected one of: balanced, "),
        ({"profile": "templates_lookup", "mode": "hybrid"}, "cosine_candidates 0 leaves a retriever"),
        ({"freshness_weight": -1}, "invalid freshness_weight -1"),
    ],
)
def test_what_is_wrong_is_a_sentence(options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said.replace("?", r"\?")):
        build_question("x", QuestionDefaults(), None, options)


FILE = """
profiles:
  minutes: {bm25_weight: 0.9, cosine_weight: 0.1, freshness_weight: 0.3, per_document: 2}
search: {profile: minutes, per_document: 1}
pipelines:
  - {name: p, collections: [a], search: {profile: default_research}}
"""


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        (tmp_path / "own.yaml").write_text(text, encoding="utf-8")
        return tmp_path / "own.yaml"

    return write


def test_a_profile_of_the_configuration_is_chosen_there_or_by_a_call(written: Callable[[str], Path]) -> None:
    settings = load(written(FILE))
    search = settings.search
    assert (search.profile, search.bm25_weight, search.freshness_weight, search.per_document) == (
        "minutes",
        0.9,
        0.3,
        1,
    )
    assert settings.pipelines[0].search is not None
    assert settings.pipelines[0].search.cosine_candidates == 120
    asked = build_question("x", QuestionDefaults(search, settings.profiles), None, {"profile": "minutes"})
    assert (asked.bm25_weight, asked.per_document) == (0.9, 2)
    back = build_question("x", QuestionDefaults(search, settings.profiles), None, {"profile": "balanced"})
    assert {key: getattr(back, key) for key in RANKING} == {key: getattr(RankingOptions(), key) for key in RANKING}


def test_the_environment_may_name_a_profile_of_the_file(
    written: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGSTONE_SEARCH__PROFILE", "minutes")
    assert load(written(FILE.replace("profile: minutes, ", ""))).search.freshness_weight == 0.3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("profiles: {mine: {bm25_weight: -1}}", "invalid profiles.mine.bm25_weight -1.0: expected a number from 0 to"),
        ("profiles: {mine: {bm25_wight: 1}}", "unknown key profiles.mine.bm25_wight; did you mean bm25_weight"),
        (
            "search: {profile: minutse}\nprofiles: {minutes: {}}",
            "search.profile: unknown profile 'minutse'; did you mean",
        ),
        ("pipelines: [{name: p, collections: [a], search: {profile: nope}}]", "pipelines.p.search.profile: unknown"),
    ],
)
def test_a_wrong_profile_of_the_configuration_is_named(written: Callable[[str], Path], text: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(written(text))
    assert said in str(caught.value)
    assert caught.value.exit == 2
