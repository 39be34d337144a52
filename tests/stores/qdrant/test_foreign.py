"""Collections that other programs made, searched before anything was ingested: nothing is written to them."""

import hashlib
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from qdrant_client import models

import ragstone
from ragstone.core.errors import NotBuilt, StoreError, UsageError
from ragstone.core.filters import Where
from ragstone.core.types import Scope, join_slices
from ragstone.stores import open_store
from ragstone.testing.stores import DIMENSION, make_revision, make_vector, write_revisions
from tests.stores.qdrant.server import Recorder

HOME = Scope("default", "default")
READING = {"CollectionExists", "Count", "Scroll", "Get", "Query", "HealthCheck"}
TEXTS = ("The gate valve leaks oil.", "The pressure gauge shows seven bar.")


def put_md5(either: Recorder, path: str, texts: tuple[str, ...], **more: Any) -> None:
    """Points as the program writes them that calls them by MD5."""
    if not either.inner.collection_exists("docs"):
        params = models.VectorParams(size=DIMENSION, distance=models.Distance.COSINE)
        either.inner.create_collection("docs", vectors_config=params, sparse_vectors_config={})
    points = [
        models.PointStruct(
            id=str(uuid.UUID(hashlib.md5(f"{path}:{n}:{text[:100]}".encode()).hexdigest())),
            vector={"": make_vector(text).tolist()},
            payload={"text": text, "source": path, "section": "Part", "category": "guide", "chunk_index": n, **more},
        )
        for n, text in enumerate(texts)
    ]
    either.inner.upsert("docs", points)


def put_uuid5(either: Recorder, payloads: list[Mapping[str, Any]]) -> None:
    """Points of the other one, whose ids come from lines; its vectors have a name."""
    params = {"content": models.VectorParams(size=DIMENSION, distance=models.Distance.COSINE)}
    either.inner.create_collection("notes", vectors_config=params, sparse_vectors_config={})
    made = [
        models.PointStruct(
            id=str(uuid.uuid5(uuid.NAMESPACE_URL, repr(payload))),
            vector={"content": make_vector(str(payload["text"])).tolist()},
            payload=dict(payload),
        )
        for payload in payloads
    ]
    either.inner.upsert("notes", made)


def list_ids(either: Recorder, name: str) -> set[str]:
    records, _ = either.inner.scroll(
        name, scroll_filter=None, limit=100, offset=None, order_by=None, with_payload=False, with_vectors=False
    )
    return {str(record.id) for record in records}


async def test_it_is_searched_by_words_and_by_vectors_and_nothing_is_written(either: Recorder, tmp_path: Path) -> None:
    put_md5(either, "b.md", TEXTS)
    put_md5(either, "a.md", ("Seven bar is too much.",))
    before = list_ids(either, "docs")
    store = open_store(either.url(tmp_path / "ledger", "&collection=docs&ids=md5"))
    async with store.reader(HOME) as reader:
        info = await reader.info()
        assert (info.documents, info.chunks, info.dimension, info.unchecked) == (2, 3, DIMENSION, True)
        words = await reader.matching("seven bar", where=Where(), limit=5)
        assert [one.place for one in words] == [("a.md", "docs", 0), ("b.md", "docs", 1)]
        near = await reader.nearest(make_vector(TEXTS[1]), where=Where(), limit=1)
        assert (near[0].place, near[0].score) == (("b.md", "docs", 1), 1.0)
        assert await reader.nearest(make_vector(TEXTS[1]), where=Where(paths=("a.md",)), limit=1) != near
        rated = await reader.rate([one.id for one in words], vector=make_vector(TEXTS[1]), query="seven bar")
        assert [rated[one.id]["bm25"] for one in words] == [one.score for one in words]
        assert rated[words[1].id]["cosine"] == 1.0
        [chunk] = await reader.chunks([words[1].id])
        assert (chunk.heading_path, chunk.document.meta) == (("Part",), {"category": "guide"})
        assert await reader.at("b.md", 1) == chunk
        records = await reader.records([chunk.document])
        assert join_slices(records[chunk.document.id], chunk.spans) == chunk.text
        assert list(await reader.idf("seven")) == ["seven"]
    assert await store.admin.collections("default") == ["default"]
    assert await store.admin.check(HOME) == []
    assert [one.path for one in await store.ledger(HOME).documents()] == ["a.md", "b.md"]
    with pytest.raises(UsageError, match="written by another program: erase it there"):
        await store.admin.drop(HOME)
    await store.close()
    assert list_ids(either, "docs") == before
    assert not {"Create", "Upsert", "Delete", "UpdateBatch", "CreateFieldIndex"} & {
        method.rpartition("/")[2] for method in either.methods()
    }


async def test_lines_are_those_that_the_payload_names(either: Recorder, tmp_path: Path) -> None:
    about = {"file_path": "dir/a.md", "header": "Fruit", "window_text": "", "source_sha": "f" * 40}
    second = {**about, "text": "two\npears", "line_start": 7, "chunk_index": 1}
    put_uuid5(
        either,
        [
            second,
            {**about, "text": "one apple", "line_start": 3, "chunk_index": 0},
            {**second, "window_text": "the same passage, stored a second time"},
            {**about, "text": " ", "line_start": 9, "chunk_index": 2},
        ],
    )
    store = open_store(either.url(tmp_path / "ledger", "&collection=notes&ids=uuid5"))
    async with store.reader(Scope("default", "notes")) as reader:
        [candidate] = await reader.matching("pears", where=Where(headers=("Fruit",)), limit=5)
        [chunk] = await reader.chunks([candidate.id])
        assert [(span.line_start, span.line_end) for span in chunk.spans] == [(7, 8)]
        [record] = (await reader.records([chunk.document])).values()
        assert record.split("\n")[6:] == ["two", "pears"]
        assert (chunk.document.version, chunk.ordinal) == ("f" * 40, 1)
        near = await reader.nearest(make_vector("one apple"), where=Where(), limit=5)
        assert [one.place for one in near] == [("dir/a.md", "notes", 0), ("dir/a.md", "notes", 1)]
    assert await store.admin.check(HOME) == [
        "1 point in 'notes' of Qdrant without a text or the field 'file_path', which nobody finds; is ids=uuid5 right?"
    ]
    await store.close()


async def test_no_other_tenant_and_no_other_name_finds_it(either: Recorder, tmp_path: Path) -> None:
    put_md5(either, "a.md", TEXTS)
    store = open_store(either.url(tmp_path / "ledger", "&collection=docs&ids=md5"))
    for scope in (Scope("acme", "default"), Scope("acme", "docs"), Scope("default", "other")):
        with pytest.raises(NotBuilt):
            async with store.reader(scope):
                pass
    assert await store.admin.collections("acme") == []
    await store.close()


async def test_an_ingestion_takes_over_and_says_what_is_left(either: Recorder, tmp_path: Path) -> None:
    put_md5(either, "a.md", TEXTS)
    put_md5(either, "b.md", ("untouched",))
    store = open_store(either.url(tmp_path / "ledger", "&collection=docs&ids=md5"))
    async with store.reader(HOME) as reader:
        assert len(await reader.matching("gauge", where=Where(), limit=5)) == 1
    await write_revisions(store, make_revision("a.md", list(TEXTS), scope=HOME), scope=HOME)
    async with store.reader(HOME) as reader:
        assert len(await reader.matching("gauge", where=Where(), limit=5)) == 1
        assert not (await reader.info()).unchecked
    [said] = await store.admin.check(HOME)
    assert said.startswith("1 point of another program in 'docs' of Qdrant")
    await store.close()


async def test_a_question_is_answered_with_a_note_that_names_what_is_not_checked(
    either: Recorder, tmp_path: Path
) -> None:
    put_md5(either, "valves.md", (*TEXTS, "The password of the pump is hunter2-Xk9!q."))
    url = either.url(tmp_path / "ledger", "&collection=docs&ids=md5")
    async with ragstone.open_async(url, embed__model="none", answer__abstain="never") as kb:
        answer = await kb.ask("What does the pressure gauge show?")
        assert "seven bar" in answer.text
        assert [citation.status for citation in answer.citations] == ["verified"]
        assert "no_record" in {note.code for note in answer.notes}
        found = await kb.search("password of the pump", top_k=1)
        assert found.hits[0].chunk.secrets
        assert [info.documents for info in await kb.collections()] == [1]
        assert await kb.doctor() == []


@pytest.mark.parametrize("more", ["", "&collection=docs&ids=md5"])
async def test_an_empty_ledger_does_not_hide_that_the_server_is_away(tmp_path: Path, more: str) -> None:
    store = open_store(f"qdrant://127.0.0.1:1?ledger=embedded:{tmp_path / 'ledger'}{more}")
    with pytest.raises(StoreError, match="does not answer"):
        async with store.reader(HOME):
            pass
    with pytest.raises(StoreError, match="does not answer"):
        await store.admin.collections("default")
    with pytest.raises(StoreError, match="does not answer"):
        await store.admin.check(HOME)
    await store.close()
