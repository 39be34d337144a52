"""Collections and tables answered from together: one model by score, several by rank."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import ragstone
from ragstone.config.settings import PipelineSettings, Settings, TableSettings
from ragstone.core.ports import Vectors
from ragstone.engine import Engine
from ragstone.engine.blocking import Knowledge
from ragstone.engine.pipeline import Pipeline
from ragstone.retrieval.question import QuestionDefaults
from ragstone.testing.bag_of_words import BagOfWords
from tests.stores.tables.conftest import DIMENSION, DOCS, Data


class Other(BagOfWords):
    """Another model: the same vectors turned, so that no cosine between the two means anything."""

    model = "other"

    async def embed(self, texts: Sequence[str], *, kind: Literal["document", "query"] = "document") -> Vectors:
        return (await super().embed(texts, kind=kind))[:, ::-1].copy()


def settings(data: Data, store: Path, *collections: str, tables: tuple[TableSettings, ...] = (DOCS,)) -> Settings:
    pipeline = PipelineSettings("all", "everything", None, collections, data.url if tables else None, tables)
    return Settings(store=str(store), pipelines=(pipeline,))


async def filled(given: Settings, docs: Path, collection: str, embedder: BagOfWords) -> None:
    async with Engine(replace(given, collection=collection), embedder=embedder) as kb:
        await kb.ingest(docs)


async def test_a_collection_and_a_table_of_one_model_are_one_ranking(data: Data, docs: Path, tmp_path: Path) -> None:
    given, model = settings(data, tmp_path / "s", "manuals"), BagOfWords(DIMENSION)
    await filled(given, docs, "manuals", model)
    async with Engine(given, embedder=model) as kb:
        line = kb.pipeline("all")
        found = await line.search("How long are samples kept by default?")
        answer = await line.ask("Who is the release manager for version 3.1?")
        quoted = await line.ask("How long are samples kept by default?")
    sources = {hit.chunk.document.source for hit in found.hits}
    assert sources == {"docs", "public.docs"}
    assert all(0 <= hit.score <= 1.05 and "cosine" in hit.signals for hit in found.hits)
    assert max(hit.score for hit in found.hits) > 0.5
    assert "Dana" in answer.text
    assert {citation.status for citation in (*answer.citations, *quoted.citations)} == {"verified"}


async def test_models_that_differ_are_fused_by_rank(data: Data, docs: Path, tmp_path: Path) -> None:
    given = settings(data, tmp_path / "s", "manuals")
    await filled(given, docs, "manuals", Other(DIMENSION))
    async with Engine(given, embedder=BagOfWords(DIMENSION)) as kb:
        made = kb.pipeline("all")
        context, defaults = made.search_context, QuestionDefaults(given.search)
        sources = [one if one.is_table else replace(one, embedder=Other(DIMENSION)) for one in context.sources]
        line = Pipeline(given.pipelines[0], defaults, replace(context, sources=tuple(sources)), kb.authenticator)
        found = await line.search("How long are samples kept by default?", top_k=6)
        alone = [
            await Pipeline(given.pipelines[0], defaults, replace(context, sources=(one,)), kb.authenticator).search(
                "samples kept", top_k=3
            )
            for one in sources
        ]
        both = await line.search("samples kept", top_k=20)
    assert found.notes == ()
    assert {hit.chunk.document.source for hit in found.hits[:2]} == {"docs", "public.docs"}
    assert max(hit.score for hit in found.hits) <= round(1 / 61, 6)
    order = [hit.chunk.id for hit in both.hits]
    for one in alone:
        places = [order.index(hit.chunk.id) for hit in one.hits if hit.chunk.id in order]
        assert places == sorted(places)


async def test_a_collection_that_was_never_built_is_a_note_beside_one_that_was(
    data: Data, docs: Path, tmp_path: Path
) -> None:
    given = settings(data, tmp_path / "s", "manuals", "missing", tables=())
    await filled(given, docs, "manuals", BagOfWords(DIMENSION))
    async with Engine(given, embedder=BagOfWords(DIMENSION)) as kb:
        found = await kb.pipeline("all").search("samples kept")
    assert found.hits
    assert [(note.code, note.message.split()[0]) for note in found.notes] == [("part_failed", "missing")]


async def test_a_pipeline_may_have_a_store_of_its_own(data: Data, docs: Path, tmp_path: Path) -> None:
    given, model = settings(data, tmp_path / "s", "manuals", tables=()), BagOfWords(DIMENSION)
    await filled(given, docs, "manuals", model)
    elsewhere = PipelineSettings("far", store=str(tmp_path / "s"), collections=("manuals",))
    async with Engine(Settings(store=str(tmp_path / "other"), pipelines=(elsewhere,)), embedder=model) as kb:
        assert (await kb.pipeline("far").search("samples kept")).hits


async def test_without_a_model_everything_is_found_by_words_and_that_is_said(
    data: Data, docs: Path, tmp_path: Path
) -> None:
    given = settings(data, tmp_path / "s", "manuals")
    await filled(given, docs, "manuals", BagOfWords(DIMENSION))
    bare = replace(given, embed=replace(given.embed, model="none"))
    async with Engine(bare) as kb:
        found = await kb.pipeline("all").search("samples kept")
    assert {hit.chunk.document.source for hit in found.hits} == {"docs", "public.docs"}
    assert [note.code for note in found.notes] == ["semantic_unavailable"]
    assert {frozenset(hit.signals) for hit in found.hits} == {frozenset({"bm25"})}


def test_the_waiting_twin_has_the_same_verbs(data: Data, tmp_path: Path) -> None:
    with Knowledge(Engine(settings(data, tmp_path / "s"), embedder=BagOfWords(DIMENSION))) as kb:
        [info] = kb.pipelines()
        assert (info.name, info.description, info.reads) == ("all", "everything", ("docs.content",))
        line = kb.pipeline("all")
        assert line.check() == []
        found = line.search("samples kept", top_k=2)
        assert isinstance(found, ragstone.Found)
        assert len(found.hits) == 2
        events = list(line.events("How long are samples kept by default?"))
        assert events[-1].data["answer"].text == line.ask("How long are samples kept by default?").text
        assert line.context("samples").startswith("<retrieved_context>")
