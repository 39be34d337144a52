"""A collection goes on with the arithmetic that its vectors were made with, whatever new collections get."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import ragstone
from ragstone.engine import Engine
from ragstone.providers import MiniLM
from ragstone.stores.embedded import EmbeddedStore
from tests.engine.transfer.test_copy import STORES

TEXTS = {"samples.md": "Samples are kept for 15 days.", "alerts.md": "A silence mutes alerts that match it."}
KEPT = "how long are samples kept"


def open_with(store: str, **settings: Any) -> Engine:
    return Engine(ragstone.load(store=store, **settings))


@pytest.fixture(params=STORES)
def place(request: pytest.FixtureRequest) -> Iterator[str]:
    """Each store in turn."""
    with STORES[request.param]() as url:
        yield url


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "docs"
    made.mkdir()
    for name, text in TEXTS.items():
        (made / name).write_text(text, encoding="utf-8")
    return made


async def ingest_in(store: str, folder: Path, precision: str, collection: str = "default") -> None:
    async with open_with(store, embed={"precision": precision}, collection=collection) as engine:
        await engine.ingest(folder)


async def test_questions_and_ingests_go_on_with_the_vectors_that_there_are(place: str, folder: Path) -> None:
    await ingest_in(place, folder, "fp32")
    async with open_with(place) as engine:
        assert engine.search_context.sources[0].model == ("all-MiniLM-L6-v2", "int8")
        found = await engine.search(KEPT)
        assert [note.code for note in found.notes] == []
        assert found.hits[0].chunk.document.path == "samples.md"
        vector = (await MiniLM(precision="fp32").embed(["text", "samples"]))[1]
        np.testing.assert_array_equal(await engine.embed(["samples"]), vector[None])
        (folder / "rules.md").write_text("Rules are evaluated every minute.", encoding="utf-8")
        [run] = await engine.ingest(folder)
        assert "keeps its fp32 vectors, though embed.precision is int8" in "\n".join(run.stats["warnings"])
        assert (await engine.create()).variant == "fp32+title"
        info = await engine.info()
    assert (info.variant, info.chunks, info.pending_vectors) == ("fp32+title", 3, 0)


async def test_signals_do_not_depend_on_the_setting(place: str, folder: Path) -> None:
    await ingest_in(place, folder, "fp32")
    found: list[object] = []
    for precision in ("fp32", "int8"):
        async with open_with(place, embed={"precision": precision}) as engine:
            found.append([hit.signals for hit in (await engine.search("who mutes alerts")).hits])
            answer = await engine.ask(f"{KEPT}?")
            found.append([(answer.text, answer.answerability)])
            found.append((await engine.explain(KEPT, path="samples.md")).signals)
    assert found[:3] == found[3:]


@pytest.mark.parametrize("mode", ["keyword", "semantic", "hybrid"])
async def test_every_mode_and_every_verb_works_with_the_vectors_that_are_there(
    mode: Literal["keyword", "semantic", "hybrid"], tmp_path: Path, folder: Path
) -> None:
    store = f"embedded:{tmp_path / 'store'}"
    await ingest_in(store, folder, "fp32")
    async with open_with(store, pipelines=[{"name": "one", "collections": ["default"]}]) as engine:
        for target in (engine, engine.pipeline("one")):
            found = await target.search(KEPT, mode=mode)
            answer = await target.ask(f"{KEPT}?", mode=mode)
            fate = await target.explain(KEPT, path="samples.md", mode=mode)
            assert found.hits[0].chunk.document.path == "samples.md"
            assert "15 days" in await target.context(KEPT, mode=mode)
            assert fate.stage == "found"
            assert [note.code for note in (*found.notes, *answer.notes) if note.code == "model_changed"] == []


async def test_an_open_collection_follows_when_it_goes_over_to_other_vectors(place: str, folder: Path) -> None:
    """The vectors of the other arithmetic are made and switched to by somebody else, between two questions."""
    await ingest_in(place, folder, "fp32")
    async with open_with(place, embed={"precision": "fp32"}) as asking, open_with(place) as other:
        before = await asking.search(KEPT, mode="semantic")
        await other.reembed()
        await other.switch_model()
        after = await asking.search(KEPT, mode="semantic")
        again = await asking.search(KEPT, mode="semantic")
        answer = await asking.ask(f"{KEPT}?", mode="semantic")
    assert [note.code for found in (before, after, again, answer) for note in found.notes] == []
    cosines = [found.hits[0].signals["cosine"] for found in (before, after, again)]
    assert cosines[1] == cosines[2] != cosines[0]


async def test_a_pipeline_asks_each_collection_with_its_own_vectors(tmp_path: Path, folder: Path) -> None:
    store = f"embedded:{tmp_path / 'store'}"
    alone = {}
    for precision, name in (("fp32", "samples.md"), ("int8", "alerts.md")):
        await ingest_in(store, folder / name, precision, precision)
        async with open_with(store, collection=precision) as engine:
            alone[name] = (await engine.search(KEPT, mode="semantic")).hits[0].signals["cosine"]
    pipelines = [{"name": "both", "collections": ["fp32", "int8"]}]
    async with open_with(store, pipelines=pipelines) as engine:
        found = await engine.pipeline("both").search(KEPT, mode="semantic")
    assert [note.code for note in found.notes] == []
    assert {hit.chunk.document.path: hit.signals["cosine"] for hit in found.hits} == alone


async def test_a_new_collection_gets_the_configured_one(tmp_path: Path) -> None:
    async with open_with(f"embedded:{tmp_path / 'new'}") as engine:
        assert (await engine.create()).variant == "int8+title"
    async with open_with(f"embedded:{tmp_path / 'other'}", embed={"precision": "fp32"}) as engine:
        assert (await engine.create()).variant == "fp32+title"


def test_a_sibling_is_made_once_and_only_where_there_is_one() -> None:
    model = MiniLM()
    assert model.with_variant("int8") is model
    assert (other := model.with_variant("fp32")) is not None
    assert (other.variant, other is model.with_variant("fp32"), model.with_variant("int4")) == ("fp32", True, None)
    assert other.with_variant("int8") is model


async def test_a_store_that_cannot_be_remembered_is_read_for_each_question(tmp_path: Path, folder: Path) -> None:
    """Such as a class of the caller's own that is compared by value."""

    class Valued(EmbeddedStore):
        __hash__ = None  # type: ignore[assignment]  # as a dataclass without `frozen`

    store = f"embedded:{tmp_path / 'store'}"
    await ingest_in(store, folder, "fp32")
    async with Engine(ragstone.load(), store=Valued(tmp_path / "store")) as engine:
        assert [note.code for note in (await engine.search(KEPT)).notes] == []
