"""A collection goes on with the arithmetic that its vectors were made with, whatever new collections get."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ragstone
from ragstone.engine import Engine
from ragstone.providers import MiniLM

TEXTS = {"samples.md": "Samples are kept for 15 days.", "alerts.md": "A silence mutes alerts that match it."}


def open_with(store: dict[str, Any], **embed: Any) -> Engine:
    return Engine(ragstone.load(store=store["store"], embed=embed))


def add_document(store: dict[str, Any], name: str, text: str) -> None:
    Path(store["root"], name).write_text(text, encoding="utf-8")


@pytest.fixture
async def store(tmp_path: Path) -> dict[str, Any]:
    """The settings of a collection that was made in fp32, before the setting said int8."""
    folder = tmp_path / "docs"
    folder.mkdir()
    made = {"store": f"embedded:{tmp_path / 'store'}", "root": str(folder)}
    for name, text in TEXTS.items():
        add_document(made, name, text)
    async with open_with(made, precision="fp32") as engine:
        await engine.ingest(folder)
    return made


async def test_questions_and_ingests_go_on_with_the_vectors_that_there_are(store: dict[str, Any]) -> None:
    async with open_with(store, precision="int8") as engine:
        assert engine.search_context.sources[0].model == ("all-MiniLM-L6-v2", "int8")
        found = await engine.search("how long are samples kept")
        assert [note.code for note in found.notes] == []
        assert found.hits[0].chunk.document.path == "samples.md"
        vector = (await MiniLM(precision="fp32").embed([found.hits[0].chunk.text, "samples"]))[1]
        np.testing.assert_array_equal(await engine.embed(["samples"]), vector[None])
        add_document(store, "rules.md", "Rules are evaluated every minute.")
        [run] = await engine.ingest(store["root"])
        assert "keeps its fp32 vectors, though embed.precision is int8" in "\n".join(run.stats["warnings"])
        assert (await engine.create()).variant == "fp32+title"
        info = await engine.info()
    assert (info.variant, info.chunks, info.pending_vectors) == ("fp32+title", 3, 0)


async def test_signals_do_not_depend_on_the_setting(store: dict[str, Any]) -> None:
    found: list[object] = []
    for precision in ("fp32", "int8"):
        async with open_with(store, precision=precision) as engine:
            found.append([hit.signals for hit in (await engine.search("who mutes alerts")).hits])
            answer = await engine.ask("how long are samples kept?")
            found.append([(answer.text, answer.answerability)])
    assert found[:2] == found[2:]


async def test_a_new_collection_gets_the_configured_one(tmp_path: Path) -> None:
    async with open_with({"store": f"embedded:{tmp_path / 'new'}"}, precision="int8") as engine:
        assert (await engine.create()).variant == "int8+title"


def test_a_sibling_is_made_once_and_only_where_there_is_one() -> None:
    model = MiniLM(precision="int8")
    assert model.with_variant("int8") is model
    assert (other := model.with_variant("fp32")) is not None
    assert (other.variant, other is model.with_variant("fp32"), model.with_variant("int4")) == ("fp32", True, None)
