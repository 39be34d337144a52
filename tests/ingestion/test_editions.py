"""A stemmer that stems otherwise, or a guard with other rules, is seen; stored documents follow without embedding."""

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import ragstone
from ragstone.core import analyzer, analyzer_edition
from ragstone.core.records import Run
from ragstone.core.types import Revision, Scope
from ragstone.guard import edition, injection
from ragstone.ingestion import outdated_editions
from ragstone.stores.embedded import EmbeddedStore
from ragstone.stores.embedded.collection import Collection
from ragstone.stores.embedded.reader import EmbeddedReader
from ragstone.testing.bag_of_words import BagOfWords
from tests.engine.transfer.test_copy import in_folder, in_postgres, in_qdrant

TEXT = "The internal interval is evening.\n"


@contextmanager
def in_file() -> Iterator[str]:
    with TemporaryDirectory() as folder:
        yield f"json:{folder}/store.json"


STORES: dict[str, Callable[[], AbstractContextManager[str]]] = {
    "embedded": in_folder,
    "postgresql": in_postgres,
    "qdrant": in_qdrant,
    "json": in_file,
}


@pytest.fixture(params=list(STORES))
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    with STORES[request.param]() as found:
        yield found


OLD_STEMS = {"internal": "intern", "interval": "interv", "evening": "even"}


class OldStemmer:
    """Stems as PyStemmer 2.2 did where that differs."""

    def __init__(self) -> None:
        self._present = analyzer._stemmer("english")

    def stemWord(self, word: str) -> str:  # noqa: N802
        stem: str = OLD_STEMS.get(word) or self._present.stemWord(word)
        return stem

    def stemWords(self, words: list[str]) -> list[str]:  # noqa: N802
        return [self.stemWord(word) for word in words]


def forget_editions() -> None:
    analyzer._terms_by_language.cache_clear()
    analyzer_edition.analyzer_edition.cache_clear()
    edition.current_edition.cache_clear()


@contextmanager
def old_stemmer() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        stemmer = OldStemmer()
        patch.setattr(analyzer, "_stemmer", lambda _language: stemmer)
        forget_editions()
        yield
    forget_editions()


@contextmanager
def other_guard() -> Iterator[None]:
    """A guard of other rules: it flags whatever says "evening"."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edition, "_hash_rules", lambda: "0" * 8)
        patch.setattr(
            injection, "assess_injection", lambda text: (("instruction_like",), 0.5) if "evening" in text else ((), 0.0)
        )
        forget_editions()
        yield
    forget_editions()


@contextmanager
def source_held(root: Path, source: str) -> Iterator[None]:
    """A run of the source goes on meanwhile."""
    store = EmbeddedStore(root)
    ledger = store.ledger(Scope("default", "default"))
    asyncio.run(ledger.start(Run("1", source, "running", "2026-01-01T00:00:00")))
    yield
    asyncio.run(store.close())


def open_at(url: str) -> ragstone.Knowledge:
    return ragstone.open(url, embedder=BagOfWords())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "docs"
    made.mkdir()
    (made / "a.txt").write_text(TEXT)
    (made / "b.txt").write_text("Something else.\n")
    return made


def find(kb: ragstone.Knowledge) -> tuple[list[str], set[str]]:
    found = kb.search("internal evening", mode="keyword")
    return [hit.chunk.document.path for hit in found.hits], {note.code for note in found.notes}


def test_words_are_found_again_and_nothing_is_embedded(url: str, folder: Path) -> None:
    with old_stemmer(), open_at(url) as kb:
        kb.ingest(folder)
        assert find(kb) == (["a.txt"], set())
        before = kb.chunk("a.txt", 0)
    counts_words = url.startswith("json")
    with open_at(url) as kb:
        assert find(kb) == ((["a.txt"], set()) if counts_words else ([], {"terms_outdated"}))
        told = [problem for problem in kb.doctor() if "another version of analyser" in problem]
        assert len(told) == (0 if counts_words else 1)
        [run] = kb.ingest(folder)
        assert (run.stats["renewed"], run.stats["embedded"]) == (2, 0)
        assert run.stats["documents"]["unchanged"] == 2
        assert find(kb) == (["a.txt"], set())
        assert not any("another version" in problem for problem in kb.doctor())
        after = kb.chunk("a.txt", 0)
        assert (after.id, after.vector_key) == (before.id, before.vector_key)
        assert kb.info().pending_vectors == 0
        assert [hit.chunk.document.path for hit in kb.search(TEXT, mode="semantic", top_k=1).hits] == ["a.txt"]
        [again] = kb.ingest(folder)
        assert again.stats["renewed"] == 0


def test_flags_follow_the_guard(url: str, folder: Path) -> None:
    with open_at(url) as kb:
        kb.ingest(folder)
        assert kb.chunk("a.txt", 0).flags == ()
    with other_guard(), open_at(url) as kb:
        assert any("another version of analyser or guard" in problem for problem in kb.doctor())
        assert "terms_outdated" not in find(kb)[1]
        [run] = kb.ingest(folder)
        assert (run.stats["renewed"], run.stats["embedded"]) == (2, 0)
        assert kb.chunk("a.txt", 0).flags == ("instruction_like",)
        assert kb.chunk("a.txt", 0).risk_score == 0.5
        assert kb.doctor() == []


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """A second source."""
    made = tmp_path / "other"
    made.mkdir()
    (made / "c.txt").write_text("Another internal evening.\n")
    return made


def outdated(kb: ragstone.Knowledge) -> list[str]:
    return [problem for problem in kb.doctor() if "another version of analyser or guard" in problem]


def test_a_run_that_is_refused_derives_nothing_and_a_changed_document_is_derived_once(
    tmp_path: Path, folder: Path
) -> None:
    """A wrong folder was refused only after the words of the whole collection had been derived: for minutes."""
    with old_stemmer(), open_at(str(tmp_path / "store")) as kb:
        kb.ingest(folder)
    wrong = tmp_path / "elsewhere" / "docs"
    wrong.mkdir(parents=True)
    (wrong / "a.txt").write_text(TEXT)
    with open_at(str(tmp_path / "store")) as kb:
        with pytest.raises(ragstone.UsageError, match="is the same source in a new place"):
            kb.ingest(wrong)
        assert len(outdated(kb)) == 1
        (folder / "b.txt").write_text("Something changed.\n")
        [run] = kb.ingest(folder)
        assert (run.stats["documents"]["changed"], run.stats["renewed"], outdated(kb)) == (1, 1, [])


def test_no_view_is_open_while_texts_are_derived(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database with `idle_in_transaction_session_timeout` ended the one view of the whole work."""
    with old_stemmer(), open_at(str(tmp_path / "store")) as kb:
        kb.ingest(folder)
    views: list[EmbeddedReader] = []
    seen: list[tuple[int, int]] = []
    derive, open_reader, close = outdated_editions._derive_all, EmbeddedStore._open_reader, EmbeddedReader.close

    def open_counted(store: EmbeddedStore, collection: Collection) -> EmbeddedReader:
        views.append(open_reader(store, collection))
        return views[-1]

    def close_counted(reader: EmbeddedReader) -> None:
        close(reader)
        views.remove(reader)

    def derive_seen(revisions: Sequence[Revision], edition: str) -> list[Revision]:
        seen.append((len(revisions), len(views)))
        return derive(revisions, edition)

    with monkeypatch.context() as patch, open_at(str(tmp_path / "store")) as kb:
        patch.setattr(outdated_editions, "MAX_REVISIONS", 1)
        patch.setattr(outdated_editions, "_derive_all", derive_seen)
        patch.setattr(EmbeddedStore, "_open_reader", open_counted)
        patch.setattr(EmbeddedReader, "close", close_counted)
        kb.doctor(repair=True)
        assert seen == [(1, 0), (1, 0)]
        assert outdated(kb) == []


@pytest.mark.parametrize("way", ["ingest of one source", "doctor --repair"])
def test_all_sources_follow_at_once_without_embedding(url: str, folder: Path, other: Path, way: str) -> None:
    with old_stemmer(), other_guard(), open_at(url) as kb:
        kb.ingest(folder, other)
    with open_at(url) as kb:
        assert [problem.partition(" have ")[0] for problem in outdated(kb)] == [
            "2 documents of source 'docs'",
            "1 documents of source 'other'",
        ]
        assert all("doctor --repair" in problem for problem in outdated(kb))
        if way == "doctor --repair":
            kb.doctor(repair=True)
        else:
            kb.ingest(folder)
        assert outdated(kb) == []
        assert find(kb) == (["a.txt", "c.txt"], set())
        assert kb.info().pending_vectors == 0
        assert {run.source: run.stats["renewed"] for run in kb.runs(2)} == {"docs": 2, "other": 1}
        assert [run.stats["embedded"] for run in kb.runs(2)] == [0, 0]
        kb.ingest(folder, other)
        assert [run.stats["documents"]["unchanged"] for run in kb.runs(2)] == [1, 2]


def test_a_source_that_is_being_ingested_is_left_to_its_run(tmp_path: Path, folder: Path, other: Path) -> None:
    with old_stemmer(), open_at(str(tmp_path / "store")) as kb:
        kb.ingest(folder, other)
    with open_at(str(tmp_path / "store")) as kb, source_held(tmp_path / "store", "other"):
        problems = kb.doctor(repair=True)
        assert [problem.partition(":")[0] for problem in problems] == [
            "documents of source 'other' could not be brought up to date now",
            "1 documents of source 'other' have terms and flags of another version of analyser or guard",
        ]


def test_a_store_of_an_earlier_format_is_brought_up_to_date(tmp_path: Path, folder: Path) -> None:
    path = tmp_path / "store.json"
    with open_at(f"json:{path}") as kb:
        kb.ingest(folder)
    data = json.loads(path.read_text())
    for revision in data["collections"][0]["revisions"]:
        del revision["document"]["edition"]
    path.write_text(json.dumps(data))
    with open_at(f"json:{path}") as kb:
        assert len(kb.doctor()) == 1
        [run] = kb.ingest(folder)
        assert run.stats["renewed"] == 2
        assert kb.doctor() == []


def test_the_edition_shows_every_word_that_two_releases_of_the_stemmer_stem_differently() -> None:
    now = analyzer_edition.analyzer_edition()
    with old_stemmer():
        assert analyzer_edition.analyzer_edition() != now
    assert analyzer_edition.analyzer_edition() == now
