"""Collections that other programs made and read: written to in place, never doubled."""

import hashlib
import uuid
from pathlib import Path

import pytest
from qdrant_client import models

from ragstone.core.errors import UsageError
from ragstone.core.filters import Where
from ragstone.core.types import Revision
from ragstone.stores import open_store
from ragstone.stores.qdrant.scheme import Scheme
from ragstone.testing.stores import (
    DIMENSION,
    OTHER,
    SCOPE,
    create_collection,
    fill_vectors,
    make_revision,
    make_vector,
    read_texts,
    write_revisions,
)
from tests.stores.qdrant.server import Recorder

NAMESPACE = uuid.UUID("6f1c1c7e-0f5e-4a3e-9d5b-0c8f4f0f1a2b")
LONG = "the gate valve leaks oil " * 8


def revision(path: str, texts: list[str], number: int = 1) -> Revision:
    return make_revision(
        path, texts, revision=number, meta={"category": "guide"}, chunks={"heading_path": ("Top", "Part")}
    )


def md5_points(path: str, texts: list[str]) -> list[models.PointStruct]:
    """Points as another program writes them."""
    return [
        models.PointStruct(
            id=str(uuid.UUID(hashlib.md5(f"{path}:{n}:{text[:100]}".encode()).hexdigest())),
            vector={"": make_vector(text).tolist()},
            payload={"text": text, "source": path, "section": "Part", "category": "guide", "chunk_index": n},
        )
        for n, text in enumerate(texts)
    ]


def every(either: Recorder, name: str) -> list[models.Record]:
    records, _ = either.inner.scroll(
        name, scroll_filter=None, limit=100, offset=None, order_by=None, with_payload=True, with_vectors=False
    )
    return list(records)


async def test_a_collection_with_md5_ids_is_used_in_place(either: Recorder, tmp_path: Path) -> None:
    params = models.VectorParams(size=DIMENSION, distance=models.Distance.COSINE)
    either.inner.create_collection("docs", vectors_config=params, sparse_vectors_config={})
    texts = [LONG, "pressure gauge"]
    either.inner.upsert("docs", md5_points("a.md", texts))
    store = open_store(either.url(tmp_path / "ledger", "&collection=docs&ids=md5"))
    await write_revisions(store, revision("a.md", texts))
    records = every(either, "docs")
    assert len(records) == 2
    for record in records:
        payload = record.payload or {}
        assert {"text", "source", "section", "category", "chunk_index"} <= set(payload)
        assert (payload["source"], payload["section"], payload["category"]) == ("a.md", "Part", "guide")
    async with store.reader(SCOPE) as reader:
        near = await reader.nearest(make_vector("pressure gauge"), where=Where(sources=("docs",)), limit=5)
        assert await read_texts(reader, near[:1]) == ["pressure gauge"]
        ids = [chunk.id for chunk in revision("a.md", texts).chunks]
    async with store.reader(SCOPE) as reader:
        rated = await reader.rate(ids, vector=make_vector("pressure gauge"), query="gauge")
        assert [set(rated[one]) for one in ids] == [{"bm25", "cosine"}] * 2
        assert rated[ids[1]]["cosine"] == 1.0
    assert await store.admin.check(SCOPE) == []
    # Only the end of the first passage changes: the same id. The second is gone.
    async with store.writer(SCOPE) as writer:
        await writer.replace([revision("a.md", [LONG + "again"], 2)])
        await fill_vectors(writer)
        await writer.settle()
    assert [(record.payload or {})["text"] for record in every(either, "docs")] == [LONG + "again"]
    assert await store.admin.check(SCOPE) == []
    async with store.reader(SCOPE) as reader:
        near = await reader.nearest(make_vector(LONG + "again"), where=Where(), limit=5)
        assert [candidate.score for candidate in near] == [1.0]
        assert (await reader.info()).pending_vectors == 0
    await store.close()


async def test_points_of_another_program_that_are_cut_otherwise_go(either: Recorder, tmp_path: Path) -> None:
    params = models.VectorParams(size=DIMENSION, distance=models.Distance.COSINE)
    either.inner.create_collection("docs", vectors_config=params, sparse_vectors_config={})
    theirs = ["one\n\n\ntwo", "three", "four", "five"]  # three newlines: another text, so another id
    either.inner.upsert("docs", [*md5_points("a.md", theirs), *md5_points("b.md", ["untouched"])])
    store = open_store(either.url(tmp_path / "ledger", "&collection=docs&ids=md5"))
    await write_revisions(store, revision("a.md", ["one\n\ntwo", "three", "four and five"]))
    held = sorted((record.payload or {})["text"] for record in every(either, "docs"))
    assert held == ["four and five", "one\n\ntwo", "three", "untouched"]
    [left] = await store.admin.check(SCOPE)
    assert "another program" in left
    await store.close()


async def test_a_collection_with_uuid5_ids_is_used_in_place(either: Recorder, tmp_path: Path) -> None:
    store = open_store(either.url(tmp_path / "ledger", f"&collection=notes&ids=uuid5&namespace={NAMESPACE}"))
    await write_revisions(store, revision("dir/a.md", ["one apple", "two\npears"]))
    records = every(either, "notes")
    assert {str(record.id) for record in records} == {
        str(uuid.uuid5(NAMESPACE, "dir/a.md:1:0")),
        str(uuid.uuid5(NAMESPACE, "dir/a.md:3:1")),
    }
    payload = next(record.payload or {} for record in records if (record.payload or {})["chunk_index"] == 1)
    wanted = {
        "header": "Part",
        "window_text": "two\npears",
        "file_path": "dir/a.md",
        "line_start": 3,
        "text": "two\npears",
    }
    assert wanted.items() <= payload.items()
    assert payload["source_sha"] == revision("dir/a.md", ["one apple", "two\npears"]).document.version
    async with store.writer(SCOPE) as writer:
        await writer.replace([revision("dir/a.md", ["one apple", "three", "four"], 2)])
        await fill_vectors(writer)
    assert sorted((record.payload or {})["text"] for record in every(either, "notes")) == ["four", "one apple", "three"]
    assert await store.admin.check(SCOPE) == []
    async with store.writer(SCOPE) as writer:
        await writer.remove([revision("dir/a.md", []).document.id])
    assert every(either, "notes") == []
    await store.close()


async def test_two_collections_of_ours_never_share_such_a_one(either: Recorder, tmp_path: Path) -> None:
    store = open_store(either.url(tmp_path / "ledger", "&collection=docs&ids=md5"))
    await write_revisions(store, revision("a.md", ["apple"]))
    with pytest.raises(UsageError, match="holds points of another tenant or collection"):
        await create_collection(store, OTHER)
    await create_collection(store)
    await store.close()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("&ids=md5", "needs the collection's name"),
        ("&ids=sha1&collection=x", "expected one of these for ids: ours, md5, uuid5"),
        ("&ids=uuid5&collection=x&namespace=here", "expected a UUID for namespace"),
    ],
)
def test_a_scheme_that_cannot_be_says_what_to_write(tmp_path: Path, more: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        open_store(f"qdrant://db?ledger=embedded:{tmp_path}{more}")


def test_ours_are_the_chunks_own_ids() -> None:
    [chunk] = revision("a.md", ["apple"]).chunks
    assert Scheme().point_id(chunk) == chunk.id
    assert Scheme().build_payload(chunk) == {}
