"""The contract of a store for documents: they come back as they went in."""

from dataclasses import replace

import pytest

from ragstone.core.errors import NotBuilt
from ragstone.core.page_layout import Layout, Strip
from ragstone.core.ports import Store
from ragstone.core.types import Scope, Span, join_slices
from ragstone.testing.stores.actions import write_revisions
from ragstone.testing.stores.fixtures import StoreFixtures
from ragstone.testing.stores.samples import SCOPE, make_revision


class DocumentContract(StoreFixtures):
    """Documents are read as they were written."""

    async def test_chunks_come_back_as_they_went_in(self, store: Store) -> None:
        span = Span(0, 5, 1, 1, page=3, bbox=(1.0, 2.5, 3.0, 4.0), sheet="Q1", rows=(1, 2), cols=(3, 4))
        more = {
            "spans": (span,),
            "heading_path": ("Top", "Below"),
            "kind": "table",
            "embedded_tokens": 3,
            "overlap": 2,
            "header": "| a | b |",
            "flags": ("injection",),
            "risk_score": 0.25,
            "metadata": {"keywords": ["x"], "n": 1, "deep": {"a": None}},
        }
        meta = {"tags": ["t"], "date": "2024-05-01", "n": 2, "free": {"x": [1, 2.5, True, None]}}
        revision = make_revision("dir/ä b.md", ["apple\r\nßtreet 水 \x00"], title="T", meta=meta, chunks=more)
        await write_revisions(store, revision, vectors=False)
        [chunk] = revision.chunks
        async with store.reader(SCOPE) as reader:
            assert await reader.chunks([chunk.id]) == [chunk]
            assert await reader.at("dir/ä b.md", 0) == chunk
            assert await reader.at("dir/ä b.md", 1) is None
            assert await reader.records([revision.document]) == {revision.document.id: revision.record}
        assert await store.ledger(SCOPE).documents() == [revision.document]

    async def test_all_documents_are_gone_through_by_path_and_source(self, store: Store) -> None:
        """In code point order, as sources list their files: this store's own order of texts may be another."""
        places = [
            (path, source) for path in ("B.md", "a/b.md", "a.md", "ä.md", "\uffee.md", "😀.md") for source in "zA"
        ]
        await write_revisions(store, *(make_revision(path, ["text"], source=source) for path, source in places))
        await write_revisions(store, make_revision("a.md", ["newer text"], source="z", revision=2))
        found = [document async for page in store.ledger(SCOPE).scan_documents() for document in page]
        assert [(one.path, one.source) for one in found] == sorted(places)
        assert [one.revision for one in found if (one.path, one.source) == ("a.md", "z")] == [2]
        assert sorted(found, key=lambda one: (one.source, one.path)) == await store.ledger(SCOPE).documents()
        with pytest.raises(NotBuilt):
            await anext(store.ledger(Scope("nobody", "nothing")).scan_documents())

    async def test_chunks_come_in_the_order_asked_without_the_unknown(self, store: Store) -> None:
        revision = make_revision("a.md", ["one", "two", "three"])
        await write_revisions(store, revision)
        ids = [chunk.id for chunk in revision.chunks]
        async with store.reader(SCOPE) as reader:
            found = await reader.chunks([ids[2], "unknown", ids[0]])
        assert [chunk.id for chunk in found] == [ids[2], ids[0]]

    async def test_a_place_without_a_source_is_the_first_source_by_name(self, store: Store) -> None:
        await write_revisions(
            store, make_revision("a.md", ["second"], source="zoo"), make_revision("a.md", ["first"], source="ant")
        )
        async with store.reader(SCOPE) as reader:
            by_name, chosen = await reader.at("a.md", 0), await reader.at("a.md", 0, source="zoo")
            assert await reader.at("a.md", 0, source="none") is None
        assert by_name is not None
        assert chosen is not None
        assert (by_name.text, chosen.text) == ("first", "second")

    async def test_the_text_of_record_gives_every_chunk(self, store: Store) -> None:
        revision = make_revision("a.md", ["one apple", "two\napples", "three"])
        await write_revisions(store, revision)
        async with store.reader(SCOPE) as reader:
            records = await reader.records([revision.document])
            for found in await reader.chunks([chunk.id for chunk in revision.chunks]):
                assert join_slices(records[found.document.id], found.spans) == found.text

    async def test_where_characters_stand_on_a_page_is_kept_with_each_revision(self, store: Store) -> None:
        layout = Layout.from_strips([Strip(0, 3, 1, (10.0, 20.0, 40.0, 32.0), (10.0, 20.0, 30.0, 40.0))])
        first, plain = replace(make_revision("a.pdf", ["one"]), layout=layout), make_revision("b.md", ["two"])
        second = replace(make_revision("c.pdf", ["three"]), layout=Layout.from_strips([]))
        await write_revisions(store, first, plain, second)
        documents = [plain.document, first.document, second.document]
        async with store.reader(SCOPE) as reader:
            assert await reader.layouts(documents) == {
                first.document.id: layout,
                second.document.id: Layout.from_strips([]),
            }
            assert await reader.records(documents) == {one.document.id: one.record for one in (first, plain, second)}
            assert (await reader.layouts([]), await reader.records([])) == ({}, {})
        later = make_revision("a.pdf", ["none"], revision=2)
        await write_revisions(store, later)
        async with store.reader(SCOPE) as reader:
            assert await reader.layouts([later.document]) == {}

    async def test_documents_are_listed_by_source_and_path(self, store: Store) -> None:
        places = [("b", "z.md"), ("a", "é.md"), ("a", "Z.md"), ("b", "a.md")]
        await write_revisions(store, *(make_revision(path, ["x"], source=source) for source, path in places))
        found = await store.ledger(SCOPE).documents()
        assert [(d.source, d.path) for d in found] == sorted(places)
        assert [d.path for d in await store.ledger(SCOPE).documents("b")] == ["a.md", "z.md"]
        assert await store.ledger(SCOPE).documents("c") == []

    async def test_documents_are_listed_at_a_path_and_below_it(self, store: Store) -> None:
        below = ["a.zip", "a.zip/b.md", "a.zip/é/c%_.md"]
        beside = ["a.zi", "a.zip-b.md", "a.zip.md", "a.zip0", "A.zip/b.md", "b/a.zip/b.md"]
        await write_revisions(store, *(make_revision(path, ["x"], source="a") for path in (*below, *beside)))
        await write_revisions(store, make_revision("a.zip/b.md", ["x"], source="b"))
        ledger = store.ledger(SCOPE)
        assert [d.path for d in await ledger.documents("a", within="a.zip")] == below
        assert [(d.source, d.path) for d in await ledger.documents(within="a.zip/b.md")] == [
            ("a", "a.zip/b.md"),
            ("b", "a.zip/b.md"),
        ]
        assert await ledger.documents("a", within="a") == []
        wanted = ["a.zip/é/c%_.md", "a.zip", "a.zip", "none.md", "A.zip/b.md"]
        assert [(d.source, d.path) for d in await ledger.find_documents("a", wanted)] == [
            ("a", "A.zip/b.md"),
            ("a", "a.zip"),
            ("a", "a.zip/é/c%_.md"),
        ]
        assert await ledger.find_documents("b", wanted) == await ledger.find_documents("a", []) == []
        first, *_ = await ledger.documents("a")
        assert await ledger.documents(identity=first.id) == await ledger.documents("a", identity=first.id) == [first]
        assert await ledger.documents("b", identity=first.id) == await ledger.documents(identity="xyz") == []

    async def test_a_document_without_chunks_is_known_all_the_same(self, store: Store) -> None:
        await write_revisions(store, make_revision("a.md", []))
        assert [d.path for d in await store.ledger(SCOPE).documents()] == ["a.md"]
