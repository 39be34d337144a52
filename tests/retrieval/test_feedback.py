"""Feedback: the first passages order the candidates anew; a hit's signals stay those of the question."""

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ragstone
from ragstone.config.presets import PRESETS
from ragstone.core.answers import Found
from ragstone.core.errors import StoreError
from ragstone.core.ports import Vectors
from ragstone.retrieval.feedback import is_prose, move_vector
from ragstone.retrieval.feedback_words import choose_words
from ragstone.stores.embedded.reader import EmbeddedReader
from ragstone.testing.bag_of_words import BagOfWords

KEY = base64.b64encode(bytes(range(32))).decode()
QUESTION = "zebra summer"
# The last but one says what the first three say, in none of the question's words; the last has one of those.
TEXTS = {
    "first.md": "A zebra in summer grazes beside the herd on savanna grass.",
    "second.md": "Every summer the zebra follows the herd over savanna grass.",
    "third.md": "In summer savanna grass feeds a zebra and the herd.",
    "alike.md": "The herd grazes on savanna grass beside the river.",
    "word.md": "Painted lines at this zebra crossing guide people safely home.",
}
CODE = {
    name: f"{text.split()[0]} zebra(summer) = grass[{n}] + herd[{n}];" for n, (name, text) in enumerate(TEXTS.items())
}


def open_with(folder: Path, texts: dict[str, str], **settings: Any) -> ragstone.Knowledge:
    docs = folder / "docs"
    docs.mkdir(parents=True)
    for name, text in texts.items():
        (docs / name).write_text(text, encoding="utf-8")
    kb = ragstone.open(folder / "store", embedder=BagOfWords(4096), **settings)
    kb.ingest(docs)
    return kb


@pytest.fixture
def kb(tmp_path: Path) -> Any:
    with open_with(tmp_path, TEXTS) as made:
        yield made


def order(found: Found) -> list[tuple[str, float]]:
    return [(hit.chunk.document.path, hit.score) for hit in found.hits]


def paths(found: Found) -> list[str]:
    return [path for path, _ in order(found)]


def signals(found: Found) -> dict[str, dict[str, float]]:
    return {hit.chunk.document.path: dict(hit.signals) for hit in found.hits}


def test_what_the_first_passages_say_too_comes_before_a_word_alone(kb: ragstone.Knowledge) -> None:
    plain, fed = kb.search(QUESTION, feedback=0), kb.search(QUESTION, feedback=3)
    assert paths(plain)[3:] == ["word.md", "alike.md"]
    assert paths(fed)[3:] == ["alike.md", "word.md"]
    assert order(kb.search(QUESTION)) not in (order(plain), order(fed))  # it is on by default


def test_the_words_of_the_first_passages_count_without_their_vectors(tmp_path: Path) -> None:
    texts = {
        **TEXTS,
        "word.md": "Painted zebra lines guide people safely home.",
        "tie.md": "Summer herd, savanna grass.",
    }
    with open_with(tmp_path, texts, search__cosine_weight=0, search__bm25_weight=1) as kb:
        plain, fed = kb.search(QUESTION, feedback=0), kb.search(QUESTION, feedback=3)
        assert paths(plain).index("alike.md") > paths(plain).index("word.md")
        assert paths(fed).index("alike.md") < paths(fed).index("word.md")


def test_words_are_chosen_by_their_share_of_each_text() -> None:
    assert choose_words(["Cats and cats and a dog.", "Birds, a dog and a dog"], [1.0, 0.5]) == "cats dog birds"
    assert choose_words(["Die Katze und der Hund und die Sonne"], [1.0]).split() == ["hund", "katze", "sonne"]
    assert choose_words(["保存样品"], [1.0]).split() == ["保存", "存样", "样品"]
    many = " ".join(f"word{n}" for n in range(99))
    assert len(choose_words([many], [1.0]).split()) == 20
    assert choose_words(["", "the of and"], [1.0, 0.5]) == ""


def test_the_signals_stay_those_of_the_question(kb: ragstone.Knowledge) -> None:
    plain, fed = kb.search(QUESTION, feedback=0), kb.search(QUESTION, feedback=3)
    assert signals(plain) == signals(fed)
    least = signals(plain)["word.md"]["cosine"]
    assert "alike.md" not in paths(kb.search(QUESTION, feedback=3, min_cosine=least))


def test_the_moved_vector_is_the_question_and_the_weighted_mean() -> None:
    rows: Sequence[Vectors] = [np.eye(4, dtype=np.float32)[n] for n in range(4)]
    moved = move_vector(2 * rows[3], rows[:3], 1.1)
    wanted = np.array([0.6, 0.3, 0.2, 1.0])
    assert np.allclose(moved, wanted / np.linalg.norm(wanted), atol=1e-6)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Samples are kept for two weeks, in cold rooms.", True),
        ("«Die Proben» bleiben zwei Wochen, kühl gelagert.", True),
        ("Пробы хранятся две недели.", True),
        ("样品保存两周。", True),
        ("def keep(self): return [s.age for s in self.all]", False),
        ("if (n == 0) { return x[0]; }", False),
        ("", False),
    ],
)
def test_prose_is_told_from_code(text: str, verdict: bool) -> None:
    assert is_prose(text) is verdict


def test_code_among_the_first_passages_leaves_the_order(tmp_path: Path) -> None:
    with open_with(tmp_path, CODE) as kb:
        assert order(kb.search(QUESTION, feedback=3)) == order(kb.search(QUESTION, feedback=0))
        fate = kb.explain(QUESTION, path="first.md")
        assert any("is not prose" in note.message for note in fate.notes if note.code == "feedback")
        assert "feedback" not in fate.signals


def test_two_passages_leave_the_order(tmp_path: Path) -> None:
    with open_with(tmp_path, {name: TEXTS[name] for name in ("first.md", "word.md")}) as kb:
        assert order(kb.search(QUESTION, feedback=3)) == order(kb.search(QUESTION, feedback=0))
        assert "fewer than 3 passages" in kb.explain(QUESTION, path="word.md").notes[-1].message


@pytest.mark.parametrize("options", [{"fusion": "rrf"}, {"mode": "keyword"}, {"mode": "semantic"}], ids=str)
def test_only_scores_of_both_retrievers_are_ordered_anew(kb: ragstone.Knowledge, options: dict[str, Any]) -> None:
    fed = kb.search(QUESTION, feedback=3, **options)
    assert order(fed) == order(kb.search(QUESTION, feedback=0, **options))
    assert "feedback" not in fed.timings or options != {"fusion": "rrf"}


def test_without_a_model_nothing_changes(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "first.md").write_text(TEXTS["first.md"], encoding="utf-8")
    with ragstone.open(tmp_path / "store", embed__model="none") as kb:
        kb.ingest(docs)
        assert order(kb.search(QUESTION, feedback=3)) == order(kb.search(QUESTION, feedback=0))


def test_an_explanation_names_the_passages_and_the_cosine(kb: ragstone.Knowledge) -> None:
    fate = kb.explain(QUESTION, path="alike.md", feedback=3)
    assert [note.message for note in fate.notes if note.code == "feedback"] == [
        f"feedback: the candidates were ordered anew by {', '.join(f'{path}#0' for path in paths_of_first(kb))}"
    ]
    assert fate.signals["feedback"] > fate.signals["cosine"]
    assert fate.final_rank == 4
    assert kb.explain(QUESTION, path="alike.md", feedback=0).final_rank == 5


def paths_of_first(kb: ragstone.Knowledge) -> list[str]:
    return paths(kb.search(QUESTION, feedback=0))[:3]


def test_vectors_that_cannot_be_read_leave_the_order_with_a_note(
    kb: ragstone.Knowledge, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = kb.search(QUESTION, feedback=0)

    async def fail(*_: Any) -> Any:
        raise StoreError("the vectors are away")

    monkeypatch.setattr(EmbeddedReader, "vectors", fail)
    found = kb.search(QUESTION, feedback=3)
    assert order(found) == order(plain)
    assert [note.code for note in found.notes] == ["feedback_failed"]


def test_an_encrypted_store_orders_alike(kb: ragstone.Knowledge, tmp_path: Path) -> None:
    with open_with(tmp_path / "other", TEXTS, encryption__key=KEY) as locked:
        assert order(locked.search(QUESTION, feedback=3)) == order(kb.search(QUESTION, feedback=3))


def test_words_are_scaled_from_zero_or_from_the_least(kb: ragstone.Knowledge) -> None:
    def scores(**options: Any) -> list[float]:
        return [hit.score for hit in kb.search("zebra", cosine_weight=0, bm25_weight=1, feedback=0, **options).hits]

    plain = kb.search("zebra", cosine_weight=0, bm25_weight=1, feedback=0)
    words = [signal["bm25"] for signal in signals(plain).values()]
    assert scores(word_scale="best") == pytest.approx([word / words[0] for word in words], abs=1e-5)
    least, width = min(words), max(words) - min(words)
    assert scores(word_scale="range") == pytest.approx([(word - least) / width for word in words], abs=1e-5)


@pytest.mark.parametrize("name", PRESETS)
def test_no_preset_changes_the_ranking_of_its_system(name: str) -> None:
    search = ragstone.load(preset=name).search
    assert search.fusion == "rrf" or search.mode != "hybrid" or (search.feedback, search.word_scale) == (0, "range")
