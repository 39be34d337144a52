"""The contract of a store for changes: a document is replaced or removed whole, and a view stays one view."""

from dataclasses import replace

import pytest

from ragstone.core.errors import StoreError
from ragstone.core.filters import Where
from ragstone.core.ports import Store
from ragstone.testing.stores.actions import read_texts, require_capabilities, search_texts, write_revisions
from ragstone.testing.stores.fixtures import StoreFixtures
from ragstone.testing.stores.samples import SCOPE, make_revision, make_vector


class ReplaceContract(StoreFixtures):
    """Documents that change and go."""

    async def test_a_second_write_leaves_nothing_of_the_first(self, store: Store) -> None:
        first = make_revision("a.md", ["old apple", "old pear", "old plum"])
        await write_revisions(store, first)
        await write_revisions(store, make_revision("a.md", ["new apple"], revision=2))
        assert await search_texts(store, "apple pear plum old") == ["new apple"]
        async with store.reader(SCOPE) as reader:
            assert await reader.chunks([chunk.id for chunk in first.chunks]) == []
            assert await reader.at("a.md", 1) is None
            assert await reader.records([first.document]) == {}
            assert list((await reader.idf("old")).values()) == list((await reader.idf("unseen")).values())
            assert (await reader.info()).chunks == 1
        assert await store.admin.check(SCOPE) == []

    async def test_texts_of_any_language_are_sound(self, store: Store) -> None:
        """Such words have stems of their own language beside the English ones."""
        german = "Die Schlüssel wurden gestern gewechselt, und die Häuser bleiben bis zum Abend geschlossen."
        french = "Les clés ont été changées hier et les maisons resteront fermées jusqu'à demain soir."
        await write_revisions(store, make_revision("a.md", [german, french, "鍵は昨日交換されました。"]))
        assert await search_texts(store, "geschlossene Häuser") == [german]
        assert await store.admin.check(SCOPE) == []
        await write_revisions(store, make_revision("a.md", [french], revision=2))
        assert await store.admin.check(SCOPE) == []

    async def test_a_revision_that_is_not_newer_is_refused(self, store: Store) -> None:
        await write_revisions(store, make_revision("a.md", ["apple"], revision=2))
        for revision in (1, 2):
            with pytest.raises(StoreError, match=r"a\.md"):
                await write_revisions(store, make_revision("a.md", ["pear"], revision=revision))
        assert await search_texts(store, "apple pear") == ["apple"]

    async def test_each_document_of_a_batch_is_written_whole_or_not_at_all(self, store: Store) -> None:
        await write_revisions(store, make_revision("b.md", ["apple"], revision=5))
        whole = ["apple one", "apple two"]
        batch = [
            make_revision("a.md", whole),
            make_revision("b.md", ["pear", "apple three"], revision=1),
            make_revision("c.md", whole),
        ]
        with pytest.raises(StoreError, match=r"b\.md"):
            await write_revisions(store, *batch)
        known = [d.path for d in await store.ledger(SCOPE).documents()]
        assert "b.md" in known
        found = sorted(await search_texts(store, "apple pear"))
        assert found == sorted(["apple", *whole * (len(known) - 1)])
        assert await store.admin.check(SCOPE) == []

    async def test_going_back_to_an_earlier_version(self, store: Store) -> None:
        first = make_revision("a.md", ["apple"])
        again = make_revision("a.md", ["apple"], revision=3)
        assert first.chunks[0].id == again.chunks[0].id
        await write_revisions(store, first)
        await write_revisions(store, make_revision("a.md", ["pear"], revision=2))
        await write_revisions(store, again)
        assert await search_texts(store, "apple pear") == ["apple"]
        async with store.reader(SCOPE) as reader:
            [chunk] = await reader.chunks([first.chunks[0].id])
        assert chunk.document.revision == 3

    async def test_removed_documents_are_gone_everywhere(self, store: Store) -> None:
        gone, stays = make_revision("a.md", ["apple one"]), make_revision("b.md", ["apple two"])
        await write_revisions(store, gone, stays)
        async with store.writer(SCOPE) as writer:
            await writer.remove([gone.document.id, "unknown"])
            assert await writer.find_unembedded(10) == []
        assert await search_texts(store, "apple") == ["apple two"]
        assert [d.path for d in await store.ledger(SCOPE).documents()] == ["b.md"]
        async with store.reader(SCOPE) as reader:
            assert await reader.chunks([gone.chunks[0].id]) == []
            assert await reader.at("a.md", 0) is None
            assert await reader.records([gone.document]) == {}
            assert (await reader.info()).documents == 1
        assert await store.admin.check(SCOPE) == []

    async def test_a_removed_document_can_come_back(self, store: Store) -> None:
        revision = make_revision("a.md", ["apple"])
        await write_revisions(store, revision)
        async with store.writer(SCOPE) as writer:
            await writer.remove([revision.document.id])
            await writer.replace([revision])
        assert await search_texts(store, "apple") == ["apple"]

    async def test_a_reader_keeps_its_view_while_a_writer_replaces(self, store: Store) -> None:
        require_capabilities(store, "snapshot")
        await write_revisions(store, make_revision("a.md", ["apple old"]))
        async with store.reader(SCOPE) as reader:
            before = await reader.info()
            await write_revisions(store, make_revision("a.md", ["apple new", "apple newer"], revision=2))
            found = await reader.matching("apple", where=Where(), limit=9)
            assert await read_texts(reader, found) == ["apple old"]
            if "dense" in store.capabilities:
                near = await reader.nearest(make_vector("apple new"), where=Where(), limit=9)
                assert await read_texts(reader, near) == ["apple old"]
            assert await reader.info() == replace(before, bytes=(await reader.info()).bytes)
        assert sorted(await search_texts(store, "apple")) == ["apple new", "apple newer"]

    async def test_settling_changes_no_result(self, store: Store) -> None:
        texts = [f"apple {word}" for word in "red green blue old new".split()]
        await write_revisions(store, *(make_revision(f"{i}.md", [text]) for i, text in enumerate(texts)))
        await write_revisions(store, make_revision("0.md", ["apple other"], revision=2))
        before = await search_texts(store, "apple red other")
        async with store.writer(SCOPE) as writer:
            await writer.settle()
            await writer.settle()
        assert await search_texts(store, "apple red other") == before
        assert await store.admin.check(SCOPE) == []
