"""The semantic cache: what is served from it, what never is, and when it forgets."""

import base64
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ragstone
from ragstone.access import Credential, Role
from ragstone.core.answers import Found
from ragstone.core.errors import UsageError
from ragstone.core.filters import Where
from ragstone.core.ports import SealingStore
from ragstone.core.trace import Trace
from ragstone.retrieval import semantic_cache
from ragstone.retrieval.question import Question
from ragstone.retrieval.search_context import SearchContext
from ragstone.stores.embedded import EmbeddedStore
from ragstone.testing.bag_of_words import BagOfWords
from ragstone.testing.stores import SCOPE, make_revision, write_revisions
from tests.commands import Run
from tests.conftest import DOCUMENTS
from tests.scripted import Scripted

Open = Callable[..., ragstone.Knowledge]
PLACES: tuple[dict[str, Any], ...] = ({}, {"tenant": "rival"}, {"collection": "other"})
QUESTION = "How long are samples kept by default?"
OTHER_WORDS = "By default, how long are samples kept?"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the documents of two tenants and two collections, and the folder that they came from."""
    root = tmp_path_factory.mktemp("recall")
    for path in ("storage.md", "notes.txt"):
        (root / "docs").mkdir(exist_ok=True)
        (root / "docs" / path).write_text(DOCUMENTS[path], encoding="utf-8")
    secret = "---\nconfidentiality: restricted\n---\n# Samples\n\nSamples are kept for Dana.\n"
    (root / "docs" / "secret.md").write_text(secret)
    for options in PLACES:
        with ragstone.open(root / "store", embedder=BagOfWords(), **options) as kb:
            kb.ingest(root / "docs")
    return root


@pytest.fixture
def docs(made: Path, tmp_path: Path) -> Path:
    """The folder, where every run finds it as it was."""
    shutil.copytree(made / "store", tmp_path / "store")
    shutil.copytree(made / "docs", tmp_path / "docs")
    return tmp_path / "docs"


@pytest.fixture
def kb(docs: Path, opened: Open) -> ragstone.Knowledge:
    """The documents, ingested."""
    return opened()


class Renamed(BagOfWords):
    """Another model."""

    variant = "another"


def searched(found: Found) -> bool:
    """Whether the store was asked: what is served from the cache was not ranked."""
    return "rank" in found.timings


def asked(kb: ragstone.Knowledge, text: str = QUESTION, **options: Any) -> Found:
    return kb.search(text, cache=True, **options)


def kept(kb: ragstone.Knowledge) -> list[bytes]:
    """What the store keeps, whatever its key."""
    store = kb.engine.store
    assert isinstance(store, EmbeddedStore)
    [path] = store._root.glob("*/*/searches.sqlite")
    with closing(sqlite3.connect(path)) as connection, connection:
        return [row[0] for row in connection.execute("SELECT content FROM searches ORDER BY id")]


def test_a_question_that_asks_the_same_is_served_with_what_was_found(kb: ragstone.Knowledge) -> None:
    first = asked(kb)
    assert searched(first)
    again = asked(kb, OTHER_WORDS)
    assert not searched(again)
    assert again.hits == first.hits
    [note] = again.notes
    assert note.code == "cache"
    assert note.message.startswith("cache hit (cosine ")


@pytest.mark.parametrize(
    "other",
    [
        "How long are samples not kept by default?",
        "How long were samples kept by default?",
        "How long are blocks kept by default?",
        "How long are 15 samples kept by default?",
        "Why are samples kept by default?",
        "How long are samples kept by Dana?",
        "How long are samples kept by default #2?",
    ],
)
def test_a_question_that_asks_for_something_else_is_searched_however_near(kb: ragstone.Knowledge, other: str) -> None:
    asked(kb)
    found = kb.search(other, cache=True, cache_cosine=0.85)
    assert searched(found)
    assert found.notes == ()


OPTIONS: tuple[dict[str, Any], ...] = (
    {"top_k": 3},
    {"mode": "semantic"},
    {"fusion": "rrf"},
    {"min_cosine": 0.1},
    {"per_document": 1},
    {"fold": False},
    {"keyword_boost": True},
    {"risk_penalty": 0.2},
    {"bm25_weight": 0.5},
    {"word_scale": "range"},
    {"feedback": 0.0},
    {"hyde": "standard"},
    {"where": Where(paths=("storage.md",))},
    {"where": Where(allow_restricted=True)},
)


def test_nothing_is_shared_by_searches_with_other_options(docs: Path, opened: Open) -> None:
    kb = opened(completion=Scripted(lambda _: "samples"))
    for options in ({}, *OPTIONS):
        assert searched(asked(kb, **options)), options
        assert not searched(asked(kb, **options)), options


def test_nothing_is_shared_by_searches_with_another_embedder(docs: Path, opened: Open) -> None:
    asked(opened())
    assert searched(asked(opened(embedder=Renamed())))


def test_a_switch_of_models_makes_what_was_found_unusable(docs: Path, opened: Open) -> None:
    old, new = opened(), opened(embedder=Renamed())
    asked(old)
    new.reembed()
    new.switch_model()
    assert searched(asked(new))
    assert not searched(asked(new))
    left = asked(old)
    assert searched(left)
    assert "model_changed" in {note.code for note in left.notes}


def test_one_who_reads_less_is_not_served_with_what_another_found(docs: Path, tmp_path: Path) -> None:
    settings = ragstone.load(store=str(tmp_path / "store"), tenant="rival")
    every = Where(allow_restricted=True)

    def as_(*roles: Role) -> ragstone.Knowledge:
        credential = Credential("rival", roles)
        return ragstone.Knowledge(ragstone.Engine(settings, embedder=BagOfWords(), credential=credential))

    with as_(Role.ADMIN) as admin, as_(Role.READ) as reader:
        found = asked(admin, where=every)
        assert any(hit.chunk.document.path == "secret.md" for hit in found.hits)
        seen = asked(reader)
        assert searched(seen)
        assert all(hit.chunk.document.path != "secret.md" for hit in seen.hits)
        assert not searched(asked(reader))
        assert searched(asked(admin))  # not even by the same filter


def test_another_tenant_and_another_collection_share_nothing(docs: Path, opened: Open) -> None:
    for options in PLACES:
        kb = opened(**options)
        assert searched(asked(kb))
        assert not searched(asked(kb))


def test_a_changed_index_makes_what_was_found_unusable(kb: ragstone.Knowledge, docs: Path) -> None:
    asked(kb)
    (docs / "storage.md").write_text("# Storage\n\nSamples are kept for 30 days by default.\n")
    kb.ingest(docs, name="docs")
    found = asked(kb)
    assert searched(found)
    assert "30 days" in found.hits[0].chunk.text
    kb.delete("storage.md")
    after = asked(kb)
    assert searched(after)
    assert all(hit.chunk.document.path != "storage.md" for hit in after.hits)


def test_a_run_that_changed_nothing_forgets_nothing(kb: ragstone.Knowledge, docs: Path) -> None:
    first = asked(kb)
    generation = kb.info().generation
    kb.ingest(docs, name="docs")
    assert (kb.info().generation == generation) == (not searched(asked(kb)))
    assert first.hits == asked(kb).hits


def test_what_was_found_before_a_deletion_is_erased_with_it(kb: ragstone.Knowledge) -> None:
    asked(kb)
    assert len(kept(kb)) == 1
    kb.delete("storage.md")
    assert kept(kb) == []


def test_an_erased_collection_leaves_nothing(kb: ragstone.Knowledge, docs: Path, tmp_path: Path) -> None:
    asked(kb)
    kb.drop("default")
    assert not list((tmp_path / "store").rglob("searches*"))
    kb.ingest(docs)
    assert searched(asked(kb))


def test_what_is_too_old_is_not_served_and_0_hours_never_end(kb: ragstone.Knowledge) -> None:
    asked(kb)
    assert searched(asked(kb, cache_hours=1e-9))
    assert not searched(asked(kb, cache_hours=0))
    assert not searched(asked(kb, cache_hours=24))


def test_only_so_many_are_kept_and_what_was_not_used_for_longest_goes(kb: ragstone.Knowledge) -> None:
    for text in ("samples kept", "blocks of two hours"):
        asked(kb, text, cache_entries=2)
    assert not searched(asked(kb, "samples kept", cache_entries=2))
    asked(kb, "release manager", cache_entries=2)
    assert len(kept(kb)) == 2
    assert not searched(asked(kb, "samples kept", cache_entries=2))
    assert searched(asked(kb, "blocks of two hours", cache_entries=2))


def test_an_answer_is_never_served_but_what_it_found_is_kept(kb: ragstone.Knowledge) -> None:
    first = kb.ask(QUESTION, cache=True)
    assert "rank" in kb.ask(QUESTION, cache=True).timings
    found = asked(kb)
    assert not searched(found)
    assert found.hits == first.hits


def test_words_alone_are_neither_kept_nor_served(kb: ragstone.Knowledge, tmp_path: Path) -> None:
    for _ in range(2):
        assert searched(asked(kb, mode="keyword"))
    assert not list((tmp_path / "store").rglob("searches*"))


def test_without_the_setting_nothing_is_kept_or_served(kb: ragstone.Knowledge, tmp_path: Path) -> None:
    kb.search(QUESTION)
    assert not list((tmp_path / "store").rglob("searches*"))
    asked(kb)
    assert searched(kb.search(QUESTION))


def test_a_question_with_a_secret_is_not_kept(kb: ragstone.Knowledge, tmp_path: Path) -> None:
    for _ in range(2):
        assert searched(asked(kb, f"{QUESTION} AKIAIOSFODNN7REALKEY"))
    assert not list((tmp_path / "store").rglob("searches*"))


def test_what_was_found_with_something_missing_is_not_kept(docs: Path, opened: Open) -> None:
    kb = opened()
    for _ in range(2):
        found = asked(kb, hyde="standard")  # and there is no model
        assert searched(found)
        assert [note.code for note in found.notes] == ["hyde_failed"]


def test_a_hit_asks_no_model_and_says_what_was_said(docs: Path, opened: Open) -> None:
    model = Scripted(lambda _: "samples are kept")
    kb = opened(completion=model)
    first, again = (asked(kb, hyde="standard") for _ in range(2))
    assert len(model.prompts) == 1
    assert first.hits == again.hits
    assert [note.code for note in again.notes] == ["hyde", "cache"]


@pytest.mark.parametrize("damage", [b"", b"no database", None])
def test_a_damaged_file_is_begun_anew(kb: ragstone.Knowledge, tmp_path: Path, damage: bytes | None) -> None:
    asked(kb)
    [path] = (tmp_path / "store").rglob("searches.sqlite")
    if damage is None:
        data = bytearray(path.read_bytes())
        data[100:4000] = b"\xff" * 3900
        path.write_bytes(data)
    else:
        path.write_bytes(damage)
    found = asked(kb)
    assert found.hits
    assert searched(found)
    assert not searched(asked(kb)) or damage is None


def test_what_is_kept_is_encrypted_as_its_tenant_is(docs: Path, tmp_path: Path) -> None:
    key = base64.b64encode(bytes(range(32))).decode()
    settings = ragstone.load(store=str(tmp_path / "sealed"), encryption__key=key)
    with ragstone.Knowledge(ragstone.Engine(settings, embedder=BagOfWords())) as kb:
        kb.ingest(docs)
        asked(kb)
        assert not searched(asked(kb))
        [path] = (tmp_path / "sealed").rglob("searches.sqlite")
        data = path.read_bytes()
        assert b"samples" not in data
        assert not data.startswith(b"SQLite format 3")
        store = kb.engine.store
        assert isinstance(store, SealingStore)
        assert kb.wait(store.rekey("default", fresh=True)) == 1
        assert searched(asked(kb))
        assert not searched(asked(kb))


def test_explain_says_what_the_cache_has(kb: ragstone.Knowledge) -> None:
    def said(text: str) -> str:
        told = kb.explain(text, path="storage.md", cache=True)
        return next(note.message for note in told.notes if note.code == "cache")

    assert said(QUESTION) == "cache: no stored question is near enough"
    asked(kb)
    assert said(OTHER_WORDS).startswith("cache hit (cosine ")
    assert "asks something else" in said("How long are samples never kept by default?")


def test_the_command_keeps_and_serves(kb: ragstone.Knowledge, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragstone.cli.knowledge.start_embedder", lambda *_, **__: BagOfWords())
    run("search", QUESTION, "--store", "store", "--cache")
    again = run("search", OTHER_WORDS, "--store", "store", "--cache", "--json")
    assert again.json["notes"][0]["message"].startswith("cache hit (cosine ")
    assert run("search", OTHER_WORDS, "--store", "store", "--no-cache", "--json").json["notes"] == []


def test_a_threshold_outside_of_its_band_is_refused(kb: ragstone.Knowledge) -> None:
    with pytest.raises(UsageError, match=r"invalid cache_cosine 0\.5: expected a number from 0.85 to 1"):
        asked(kb, cache_cosine=0.5)


async def test_a_search_that_lacked_a_source_is_not_kept(tmp_path: Path) -> None:
    store, embedder, question = EmbeddedStore(tmp_path / "store"), BagOfWords(), Question("apple", cache=True)
    await write_revisions(store, make_revision("a.md", ["apple"]))
    one = SearchContext.of_collection(store, SCOPE, embedder)
    both, [vector] = replace(one, sources=one.sources * 2), await embedder.embed(["apple"])
    async with store.reader(SCOPE) as reader:
        info = await reader.info()
    for infos, many in (([info], 0), ([info, info], 1)):
        await semantic_cache.put(both, infos, question, vector, [], Trace())
        key = semantic_cache.make_key(both, infos, question)
        assert len(await store.search_cache(SCOPE).find_by_key(key)) == many
    await store.close()
