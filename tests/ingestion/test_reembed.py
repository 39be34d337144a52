"""A new model fills in beside the old one, is switched to at once, and there is a way back."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ragstone
from ragstone.core.errors import StoreError, UsageError
from ragstone.testing.bag_of_words import BagOfWords
from tests import forked
from tests.reembed_victim import NEW
from tests.stores.postgres.server import shared
from tests.stores.qdrant.engine import Engine
from tests.stores.qdrant.server import Recorder
from tests.stores.qdrant.server import serving as recording

ROOT = Path(__file__).parents[2]
OLD = 64
QUESTIONS = ["pump valve", "which relay has a fuse", "cable 7", "gauge of the tank"]
WORDS = "pump valve filter seal motor gauge pipe tank sensor relay fuse cable".split()


def write(folder: Path, *numbers: int) -> None:
    folder.mkdir(exist_ok=True)
    for n in numbers:
        words = [" ".join(WORDS[(n * k + i) % 12] for i in range(9)) for k in range(1, 4)]
        sections = "\n\n".join(f"## Part {k}\n\n{text} {n}" for k, text in enumerate(words))
        (folder / f"{n}.md").write_text(f"# Machine {n}\n\n{sections}\n", encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "docs", *range(30))
    return tmp_path / "docs"


@pytest.fixture(params=["embedded", "postgresql", "qdrant"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of an empty store of each kind that can hold two models."""
    if request.param == "embedded":
        yield f"embedded:{tmp_path / 'store'}"
    elif request.param == "qdrant":
        engine = Engine(tmp_path / "engine")
        with recording(recorder=Recorder(inner=engine)) as recorder:
            yield recorder.url(tmp_path / "ledger")
        engine.close()
    else:
        server = shared()
        with server.database() as name:
            yield server.url(name)


def opened(place: str, dimension: int, **more: Any) -> ragstone.Knowledge:
    return ragstone.open(place, embedder=BagOfWords(dimension), **more)


def found(place: str, dimension: int, **more: Any) -> list[Any]:
    """What questions find with a model: chunks by place, with their signals."""
    with opened(place, dimension, **more) as kb:
        hits = [kb.search(text, mode="semantic", fold=False) for text in QUESTIONS]
        assert [note for one in hits for note in one.notes] == []
        return [[(h.chunk.document.path, h.chunk.ordinal, h.score, h.signals) for h in one.hits] for one in hits]


def standing(kb: ragstone.Knowledge) -> list[tuple[int, str, int]]:
    return [(held.dimension, held.state, held.pending) for held in kb.models()]


def test_the_new_model_answers_as_if_it_had_always_been_there(place: str, folder: Path, tmp_path: Path) -> None:
    with opened(place, OLD) as kb:
        kb.ingest(folder)
    before = found(place, OLD)
    with opened(place, NEW) as new:
        new.reembed()
        assert [state for _, state, _ in standing(new)] == ["active", "ready"]
        assert found(place, OLD) == before
        write(folder, 30, 31)
        with opened(place, OLD) as kb:
            kb.ingest(folder)
            assert kb.info().pending_vectors == 0
        with pytest.raises(UsageError, match=r"2 chunks have no vector of the second model yet.*reembed fill"):
            new.switch_model()
        assert new.reembed().stats["embedded"] == 2
        assert standing(new) == [(OLD, "active", 0), (NEW, "ready", 0)]
        second = new.models()[1]
        new.switch_model(second)
        assert standing(new) == [(NEW, "active", 0), (OLD, "kept", 0)]
        with pytest.raises(UsageError, match="is no longer the second model"):
            new.switch_model(second)
    elsewhere = f"embedded:{tmp_path / 'fresh'}"
    with opened(elsewhere, NEW) as fresh:
        fresh.ingest(folder)
    assert found(place, NEW) == found(elsewhere, NEW)
    with opened(place, NEW) as kb:
        [again] = kb.ingest(folder)
        assert (again.stats["documents"]["unchanged"], again.stats["embedded"]) == (32, 0)
        assert kb.doctor() == []


def test_the_way_back_fills_in_what_came_since(place: str, folder: Path) -> None:
    with opened(place, OLD) as kb:
        kb.ingest(folder)
    with opened(place, NEW) as new:
        new.reembed()
        new.switch_model()
        write(folder, 50)
        new.ingest(folder)
        assert standing(new) == [(NEW, "active", 0), (OLD, "kept", 1)]
    with opened(place, OLD) as kb:
        kb.reembed()
        kb.switch_model()
        assert standing(kb) == [(OLD, "active", 0), (NEW, "kept", 0)]
        kb.drop_model()
        assert standing(kb) == [(OLD, "active", 0)]
        assert kb.doctor() == []
    assert "50.md" in {path for hits in found(place, OLD) for path, *_ in hits}


def test_the_model_of_before_is_named_where_it_is_asked_or_ingested_with(place: str, folder: Path) -> None:
    with opened(place, OLD) as kb:
        kb.ingest(folder)
    with opened(place, NEW) as new:
        new.reembed()
        new.switch_model()
    with opened(place, OLD) as kb:
        asked = kb.search("pump valve")
        assert asked.hits
        assert [note.code for note in asked.notes] == ["model_changed"]
        with pytest.raises(UsageError, match=r"holds vectors of bag-of-words crc32\+title \(32\)"):
            kb.ingest(folder)


def test_what_cannot_be_is_said(place: str, folder: Path, tmp_path: Path) -> None:
    with opened(place, OLD) as kb:
        kb.ingest(folder)
        with pytest.raises(UsageError, match="already: nothing to do"):
            kb.reembed()
        for verb in (kb.switch_model, kb.drop_model):
            with pytest.raises(UsageError, match=r"no second model.*reembed start"):
                verb()
    with (
        ragstone.open(place, embedder=BagOfWords(NEW), embed={"prefix": "path"}) as kb,
        pytest.raises(UsageError, match=r"embeds with prefix 'title', the new model would embed with 'path'"),
    ):
        kb.reembed()
    with (
        ragstone.open(f"json:{tmp_path / 'x.json'}", embedder=BagOfWords(NEW)) as kb,
        pytest.raises(UsageError, match="a store of kind 'json' holds vectors of one model"),
    ):
        kb.reembed()


POINTS = [
    *(("commit.before", nth) for nth in (1, 8, 9)),
    *(("commit.after", nth) for nth in (1, 8)),
    ("append.written", 2),
]


@pytest.mark.parametrize(("point", "nth"), POINTS)
def test_killed_between_any_two_steps_it_stays_whole(folder: Path, tmp_path: Path, point: str, nth: int) -> None:
    killed(f"embedded:{tmp_path / 'store'}", folder, point, nth)


@pytest.mark.parametrize("place", ["qdrant"], indirect=True)
@pytest.mark.parametrize("nth", [5])
def test_killed_after_any_step_of_the_ledger_qdrant_stays_whole(folder: Path, place: str, nth: int) -> None:
    killed(place, folder, "commit.after", nth)


# Of its transactions: batches are put, the models change places.
IN_POSTGRES = [("after", 12), ("before", 20), ("after", 20)]


@pytest.mark.parametrize("place", ["postgresql"], indirect=True)
@pytest.mark.parametrize(("point", "nth"), IN_POSTGRES)
def test_killed_around_any_transaction_postgres_stays_whole_and_becomes_the_same(
    folder: Path, place: str, tmp_path: Path, point: str, nth: int
) -> None:
    killed(place, folder, f"commit.{point}", nth)
    undisturbed = f"embedded:{tmp_path / 'undisturbed'}"
    with opened(undisturbed, OLD) as kb:
        kb.ingest(folder)
    with opened(undisturbed, NEW) as new:
        new.reembed()
        new.switch_model()
    with opened(place, NEW) as one, opened(undisturbed, NEW) as other:
        [ours], [theirs] = (kb.copy(str(tmp_path / name)) for kb, name in ((one, "ours"), (other, "theirs")))
    assert ours.source == theirs.source
    assert (ours.differing, ours.source.counts["vectors"]) == (0, 30)


def killed(place: str, folder: Path, point: str, nth: int) -> None:
    """Whatever the moment, one model is active and whole, and the same commands go on from there."""
    with opened(place, OLD) as kb:
        kb.ingest(folder)
    before = found(place, OLD)
    assert forked.run("tests.reembed_victim", place, point, nth) == -9
    with opened(place, OLD) as kb:
        active = kb.models()[0].dimension
        assert all("remains of an interrupted write" in problem for problem in kb.doctor())
        assert kb.info().pending_vectors == 0
    if active == OLD:
        assert found(place, OLD) == before
    else:
        with opened(place, NEW) as new:
            new.switch_model()
    with opened(place, NEW) as new:
        new.reembed()
        new.switch_model()
        assert standing(new) == [(NEW, "active", 0), (OLD, "kept", 0)]
        assert new.doctor() == []
    assert found(place, NEW)[0]


def test_a_copy_has_the_active_model_alone(folder: Path, tmp_path: Path) -> None:
    place, target = f"embedded:{tmp_path / 'store'}", f"embedded:{tmp_path / 'target'}"
    with opened(place, OLD) as kb:
        kb.ingest(folder)
    with opened(place, NEW) as new:
        new.reembed()
        new.switch_model()
        [done] = new.copy(target)
        assert (done.differing, done.source) == (0, done.target)
        assert done.notes == ("the vectors of the second model bag-of-words were not copied",)
    assert found(target, NEW) == found(place, NEW)
    with opened(target, NEW) as kb:
        assert standing(kb) == [(NEW, "active", 0)]


def test_an_embedder_that_fails_leaves_what_was_filled(folder: Path, tmp_path: Path, monkeypatch: Any) -> None:
    class Failing(BagOfWords):
        calls = 0

        async def embed(self, *args: Any, **more: Any) -> Any:
            self.calls += 1
            if self.calls > 2:
                raise StoreError("the model went away")
            return await super().embed(*args, **more)

    monkeypatch.setattr("ragstone.ingestion.vectors.EMBED_AT_ONCE", 8)
    place = f"embedded:{tmp_path / 'store'}"
    with opened(place, OLD) as kb:
        kb.ingest(folder)
    with ragstone.open(place, embedder=Failing(NEW)) as new, pytest.raises(StoreError, match="the model went away"):
        new.reembed()
    with opened(place, NEW) as new:
        assert standing(new) == [(OLD, "active", 0), (NEW, "filling", 14)]
        assert new.runs(1)[0].status == "failed"
        assert new.reembed().stats["embedded"] == 14
