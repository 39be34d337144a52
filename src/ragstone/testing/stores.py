"""The contract of a store, in sentences: inherit `StoreContract` and give it a `store` fixture.

Parts that need vectors, versions or snapshots are skipped by what the store's `capabilities` leave out.
"""

import asyncio
import hashlib
import random
import uuid
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from ragstone.errors import Busy, NotBuilt, StoreError, UsageError
from ragstone.layout import Layout, Strip
from ragstone.ports import Reader, Store, Vectors, Writer
from ragstone.types import Candidate, Chunk, Document, Key, Revision, Run, Scope, Span, joined, total_order
from ragstone.where import CHUNK_FACTS, DOCUMENT_FACTS, OPERATORS, Condition, Where, facts, matches

SCOPE = Scope("acme", "notes")
OTHER = Scope("rival", "notes")
MODEL, VARIANT, DIMENSION = "bag-of-bytes", "plain", 8
EVERYTHING = Where(allow_restricted=True)
NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)
CAPABILITIES = frozenset({"dense", "keyword", "filter", "versions", "snapshot", "fusion"})  # those of `ports.Store`
DRAWN = 250  # filters, enough for every operator to meet every kind of column


def make_document(
    path: str,
    *,
    scope: Scope = SCOPE,
    source: str = "docs",
    revision: int = 1,
    version: str = "",
    meta: Mapping[str, Any] | None = None,
    effective_at: str | None = None,
    title: str | None = None,
) -> Document:
    """A document at a place; its id comes from the place alone."""
    identity = str(uuid.uuid5(uuid.NAMESPACE_URL, "\n".join((scope.tenant, scope.collection, source, path))))
    return Document(
        identity, source, path, revision, version, "kit-1", title=title, meta=meta or {}, effective_at=effective_at
    )


def make_revision(
    path: str,
    texts: Sequence[str],
    *,
    scope: Scope = SCOPE,
    source: str = "docs",
    revision: int = 1,
    meta: Mapping[str, Any] | None = None,
    effective_at: str | None = None,
    title: str | None = None,
    chunks: Mapping[str, Any] | None = None,
) -> Revision:
    """A document whose chunks are `texts`; `chunks` sets further fields of each of them."""
    record = "\n\n".join(texts)
    version = hashlib.sha256(record.encode()).hexdigest()
    document = make_document(
        path,
        scope=scope,
        source=source,
        revision=revision,
        version=version,
        meta=meta,
        effective_at=effective_at,
        title=title,
    )
    made, start = [], 0
    for ordinal, text in enumerate(texts):
        line = record.count("\n", 0, start) + 1
        span = Span(start, start + len(text), line, line + text.count("\n"))
        identity = str(uuid.uuid5(uuid.UUID(document.id), f"{version}/{document.recipe}/{ordinal}"))
        chunk = Chunk(identity, document, ordinal, text, (span,), tokens=len(text.split()), vector_key=key_of(text))
        made.append(replace(chunk, **(chunks or {})))
        start += len(text) + 2
    return Revision(document, tuple(made), record)


def key_of(text: str) -> str:
    """The address of a text's vector."""
    return hashlib.sha256(f"{MODEL}\n{VARIANT}\n{text}".encode()).hexdigest()


def vector_of(text: str) -> Vectors:
    """A unit vector that depends on the text alone, shape (8,)."""
    numbers = (
        np.frombuffer(hashlib.sha256(text.encode()).digest()[:DIMENSION], dtype=np.uint8).astype(np.float64) - 127.5
    )
    return (numbers / np.linalg.norm(numbers)).astype(np.float32)


async def created(store: Store, scope: Scope = SCOPE) -> None:
    """Make the collection, for vectors of `vector_of`."""
    await store.admin.create(scope, model=MODEL, variant=VARIANT, dimension=DIMENSION)


async def written(store: Store, *revisions: Revision, scope: Scope = SCOPE, vectors: bool = True) -> None:
    """Make the collection, write documents in one call, add the vectors they want."""
    await created(store, scope)
    async with store.writer(scope) as writer:
        await writer.replace(revisions)
        if vectors and "dense" in store.capabilities:
            await filled(writer)


async def filled(writer: Writer) -> int:
    """Put every wanted vector; how many there were."""
    count = 0
    while wanted := await writer.wanted(50):
        await writer.put({chunk.vector_key: vector_of(chunk.text) for chunk in wanted})
        count += len(wanted)
    return count


async def contents(store: Store, query: str, scope: Scope = SCOPE, *, where: Where = EVERYTHING) -> list[str]:
    """The texts of all chunks that match a query, best first."""
    async with store.reader(scope) as reader:
        return await texts_of(reader, await reader.matching(query, where=where, limit=100_000))


async def texts_of(reader: Reader, found: Sequence[Candidate]) -> list[str]:
    """The texts behind candidates."""
    return [chunk.text for chunk in await reader.chunks([candidate.id for candidate in found])]


def needs_keys(store: Store) -> None:
    """Skip the test when the store keeps no keys."""
    try:
        store.keys  # noqa: B018  # looking at it is the question
    except UsageError as error:
        pytest.skip(str(error))


def needs(store: Store, *capabilities: str) -> None:
    """Skip the test when the store cannot do this."""
    for capability in capabilities:
        if capability not in store.capabilities:
            pytest.skip(f"{store.provider} has no {capability}")


def make_key(identity: str, *, tenant: str = SCOPE.tenant, created: datetime = NEW_YEAR, **fields: Any) -> Key:
    """A key whose secret is its id; `fields` are those of `Key`."""
    digest = hashlib.sha256(identity.encode()).digest()
    known: dict[str, Any] = {"roles": ("read",), **fields}
    return Key(identity, tenant, f"key {identity}", created=created, digest=digest, **known)


class StoreContract:
    """Every store must pass. Override `store`; override `another` when it has versions, and `keeper` when another role
    than that of `store` makes keys."""

    @pytest.fixture
    def store(self) -> AsyncIterator[Store]:
        """An empty store, closed after the test."""
        pytest.fail("who inherits this kit gives this fixture")

    @pytest.fixture
    def keeper(self, store: Store) -> Store:
        """A store over the same data whose role may make keys."""
        return store

    def another(self, *, keep_versions: int = 1, now: Callable[[], datetime]) -> AbstractAsyncContextManager[Store]:
        """A fresh, empty store that keeps this many versions and reads this clock."""
        pytest.fail(f"this store must be made with keep_versions={keep_versions} and now={now}")

    # Collections

    async def test_capabilities_have_names_that_the_seam_knows(self, store: Store) -> None:
        assert store.capabilities <= CAPABILITIES

    async def test_a_closed_store_says_so(self, store: Store) -> None:
        await written(store, make_revision("a.md", ["apple"]))
        await store.close()
        await store.close()
        with pytest.raises(StoreError, match="closed"):
            await contents(store, "apple")
        with pytest.raises(StoreError, match="closed"):
            await store.admin.exists(SCOPE)
        with pytest.raises(StoreError, match="closed"):
            await store.ledger(SCOPE).runs()

    async def test_reading_what_was_never_built_says_so(self, store: Store) -> None:
        with pytest.raises(NotBuilt, match="ragstone ingest"):
            async with store.reader(SCOPE):
                pass
        with pytest.raises(NotBuilt):
            async with store.writer(SCOPE):
                pass
        with pytest.raises(NotBuilt):
            await store.ledger(SCOPE).documents()
        assert await store.admin.collections(SCOPE.tenant) == []
        assert not await store.admin.exists(SCOPE)
        assert not await store.admin.drop(SCOPE)

    async def test_an_empty_collection_finds_nothing_and_says_that_it_is_empty(self, store: Store) -> None:
        await created(store)
        async with store.reader(SCOPE) as reader:
            assert await reader.matching("anything", where=Where(), limit=5) == []
            assert await reader.nearest(vector_of("x"), where=Where(), limit=5) == []
            assert await reader.chunks(["none"]) == []
            assert await reader.at("a.md", 0) is None
            assert await reader.rate(["none"], vector=vector_of("x"), query="x") == {}
            info = await reader.info()
        assert (info.state, info.documents, info.chunks, info.scope) == ("empty", 0, 0, SCOPE)

    async def test_creating_twice_changes_nothing(self, store: Store) -> None:
        await written(store, make_revision("a.md", ["apple"]))
        await created(store)
        assert await contents(store, "apple") == ["apple"]

    async def test_vectors_of_another_model_are_refused(self, store: Store) -> None:
        needs(store, "dense")
        await created(store)
        with pytest.raises(UsageError, match=r"other-model.*--recreate"):
            await store.admin.create(SCOPE, model="other-model", variant=None, dimension=16)

    async def test_a_collection_without_a_model_gets_one_later(self, store: Store) -> None:
        needs(store, "dense")
        await store.admin.create(SCOPE, model=None, variant=None, dimension=None)
        await written(store, make_revision("a.md", ["apple"]))
        async with store.reader(SCOPE) as reader:
            [found] = await reader.nearest(vector_of("apple"), where=Where(), limit=1)
            info = await reader.info()
        assert found.score == 1.0
        assert (info.model, info.variant, info.dimension) == (MODEL, VARIANT, DIMENSION)

    async def test_collections_are_listed_by_name_whatever_the_name(self, store: Store) -> None:
        names = ["Notes", "notes", "a/b", "..", "žluť 水", "x" * 120, "%41", ".hidden", "水" * 120]
        for name in names:
            await created(store, Scope("t", name))
        assert await store.admin.collections("t") == sorted(names)
        assert await store.admin.collections("T") == []

    async def test_erasing_leaves_nothing(self, store: Store) -> None:
        await written(store, make_revision("a.md", ["apple"]))
        await written(store, make_revision("a.md", ["apple"], scope=OTHER), scope=OTHER)
        assert await store.admin.drop(SCOPE)
        assert not await store.admin.exists(SCOPE)
        assert await store.admin.collections(SCOPE.tenant) == []
        await created(store)
        assert await contents(store, "apple") == []
        assert await store.ledger(SCOPE).runs() == []
        assert await contents(store, "apple", OTHER) == ["apple"]

    async def test_a_tenant_never_sees_another(self, store: Store) -> None:
        await written(store, make_revision("a.md", ["our apple"]))
        await written(store, make_revision("b.md", ["their apple"], scope=OTHER), scope=OTHER)
        assert await contents(store, "apple") == ["our apple"]
        assert await contents(store, "apple", OTHER) == ["their apple"]
        [theirs] = make_revision("b.md", ["their apple"], scope=OTHER).chunks
        async with store.reader(SCOPE) as reader:
            assert await reader.chunks([theirs.id]) == []
            assert await reader.rate([theirs.id], vector=None, query="apple") == {}
            assert await reader.at("b.md", 0) is None
            assert await reader.record(theirs.document) is None
            if "dense" in store.capabilities:
                found = await reader.nearest(vector_of("their apple"), where=Where(), limit=9)
                assert await texts_of(reader, found) == ["our apple"]

    # Documents

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
        await written(store, revision, vectors=False)
        [chunk] = revision.chunks
        async with store.reader(SCOPE) as reader:
            assert await reader.chunks([chunk.id]) == [chunk]
            assert await reader.at("dir/ä b.md", 0) == chunk
            assert await reader.at("dir/ä b.md", 1) is None
            assert await reader.record(revision.document) == revision.record
        assert await store.ledger(SCOPE).documents() == [revision.document]

    async def test_chunks_come_in_the_order_asked_without_the_unknown(self, store: Store) -> None:
        revision = make_revision("a.md", ["one", "two", "three"])
        await written(store, revision)
        ids = [chunk.id for chunk in revision.chunks]
        async with store.reader(SCOPE) as reader:
            found = await reader.chunks([ids[2], "unknown", ids[0]])
        assert [chunk.id for chunk in found] == [ids[2], ids[0]]

    async def test_a_place_without_a_source_is_the_first_source_by_name(self, store: Store) -> None:
        await written(
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
        await written(store, revision)
        async with store.reader(SCOPE) as reader:
            for found in await reader.chunks([chunk.id for chunk in revision.chunks]):
                record = await reader.record(found.document)
                assert record is not None
                assert joined(record, found.spans) == found.text

    async def test_where_characters_stand_on_a_page_is_kept_with_each_revision(self, store: Store) -> None:
        layout = Layout.of([Strip(0, 3, 1, (10.0, 20.0, 40.0, 32.0), (10.0, 20.0, 30.0, 40.0))])
        first = replace(make_revision("a.pdf", ["one"]), layout=layout)
        await written(store, first, make_revision("b.md", ["two"]))
        async with store.reader(SCOPE) as reader:
            assert await reader.layout(first.document) == layout
            assert await reader.layout(make_revision("b.md", ["two"]).document) is None
        await written(store, make_revision("a.pdf", ["none"], revision=2))
        async with store.reader(SCOPE) as reader:
            assert await reader.layout(make_revision("a.pdf", ["none"], revision=2).document) is None

    async def test_documents_are_listed_by_source_and_path(self, store: Store) -> None:
        places = [("b", "z.md"), ("a", "é.md"), ("a", "Z.md"), ("b", "a.md")]
        await written(store, *(make_revision(path, ["x"], source=source) for source, path in places))
        found = await store.ledger(SCOPE).documents()
        assert [(d.source, d.path) for d in found] == sorted(places)
        assert [d.path for d in await store.ledger(SCOPE).documents("b")] == ["a.md", "z.md"]
        assert await store.ledger(SCOPE).documents("c") == []

    async def test_a_document_without_chunks_is_known_all_the_same(self, store: Store) -> None:
        await written(store, make_revision("a.md", []))
        assert [d.path for d in await store.ledger(SCOPE).documents()] == ["a.md"]

    # Replacing

    async def test_a_second_write_leaves_nothing_of_the_first(self, store: Store) -> None:
        first = make_revision("a.md", ["old apple", "old pear", "old plum"])
        await written(store, first)
        await written(store, make_revision("a.md", ["new apple"], revision=2))
        assert await contents(store, "apple pear plum old") == ["new apple"]
        async with store.reader(SCOPE) as reader:
            assert await reader.chunks([chunk.id for chunk in first.chunks]) == []
            assert await reader.at("a.md", 1) is None
            assert await reader.record(first.document) is None
            assert list((await reader.idf("old")).values()) == list((await reader.idf("unseen")).values())
            assert (await reader.info()).chunks == 1
        assert await store.admin.check(SCOPE) == []

    async def test_a_revision_that_is_not_newer_is_refused(self, store: Store) -> None:
        await written(store, make_revision("a.md", ["apple"], revision=2))
        for revision in (1, 2):
            with pytest.raises(StoreError, match=r"a\.md"):
                await written(store, make_revision("a.md", ["pear"], revision=revision))
        assert await contents(store, "apple pear") == ["apple"]

    async def test_each_document_of_a_batch_is_written_whole_or_not_at_all(self, store: Store) -> None:
        await written(store, make_revision("b.md", ["apple"], revision=5))
        whole = ["apple one", "apple two"]
        batch = [
            make_revision("a.md", whole),
            make_revision("b.md", ["pear", "apple three"], revision=1),
            make_revision("c.md", whole),
        ]
        with pytest.raises(StoreError, match=r"b\.md"):
            await written(store, *batch)
        known = [d.path for d in await store.ledger(SCOPE).documents()]
        assert "b.md" in known
        found = sorted(await contents(store, "apple pear"))
        assert found == sorted(["apple", *whole * (len(known) - 1)])
        assert await store.admin.check(SCOPE) == []

    async def test_going_back_to_an_earlier_version(self, store: Store) -> None:
        first = make_revision("a.md", ["apple"])
        again = make_revision("a.md", ["apple"], revision=3)
        assert first.chunks[0].id == again.chunks[0].id
        await written(store, first)
        await written(store, make_revision("a.md", ["pear"], revision=2))
        await written(store, again)
        assert await contents(store, "apple pear") == ["apple"]
        async with store.reader(SCOPE) as reader:
            [chunk] = await reader.chunks([first.chunks[0].id])
        assert chunk.document.revision == 3

    async def test_removed_documents_are_gone_everywhere(self, store: Store) -> None:
        gone, stays = make_revision("a.md", ["apple one"]), make_revision("b.md", ["apple two"])
        await written(store, gone, stays)
        async with store.writer(SCOPE) as writer:
            await writer.remove([gone.document.id, "unknown"])
            assert await writer.wanted(10) == []
        assert await contents(store, "apple") == ["apple two"]
        assert [d.path for d in await store.ledger(SCOPE).documents()] == ["b.md"]
        async with store.reader(SCOPE) as reader:
            assert await reader.chunks([gone.chunks[0].id]) == []
            assert await reader.at("a.md", 0) is None
            assert await reader.record(gone.document) is None
            assert (await reader.info()).documents == 1
        assert await store.admin.check(SCOPE) == []

    async def test_a_removed_document_can_come_back(self, store: Store) -> None:
        revision = make_revision("a.md", ["apple"])
        await written(store, revision)
        async with store.writer(SCOPE) as writer:
            await writer.remove([revision.document.id])
            await writer.replace([revision])
        assert await contents(store, "apple") == ["apple"]

    async def test_a_reader_keeps_its_view_while_a_writer_replaces(self, store: Store) -> None:
        needs(store, "snapshot")
        await written(store, make_revision("a.md", ["apple old"]))
        async with store.reader(SCOPE) as reader:
            before = await reader.info()
            await written(store, make_revision("a.md", ["apple new", "apple newer"], revision=2))
            found = await reader.matching("apple", where=Where(), limit=9)
            assert await texts_of(reader, found) == ["apple old"]
            if "dense" in store.capabilities:
                near = await reader.nearest(vector_of("apple new"), where=Where(), limit=9)
                assert await texts_of(reader, near) == ["apple old"]
            assert await reader.info() == replace(before, bytes=(await reader.info()).bytes)
        assert sorted(await contents(store, "apple")) == ["apple new", "apple newer"]

    async def test_settling_changes_no_result(self, store: Store) -> None:
        texts = [f"apple {word}" for word in "red green blue old new".split()]
        await written(store, *(make_revision(f"{i}.md", [text]) for i, text in enumerate(texts)))
        await written(store, make_revision("0.md", ["apple other"], revision=2))
        before = await contents(store, "apple red other")
        async with store.writer(SCOPE) as writer:
            await writer.settle()
            await writer.settle()
        assert await contents(store, "apple red other") == before
        assert await store.admin.check(SCOPE) == []

    # Versions

    async def test_a_future_effective_date_waits_for_its_day(self, store: Store) -> None:
        needs(store, "versions")
        clock = [datetime(2026, 1, 1, tzinfo=UTC)]
        async with self.another(now=lambda: clock[0]) as dated:
            await written(dated, make_revision("a.md", ["apple now"]))
            later = make_revision("a.md", ["apple later"], revision=2, effective_at="2026-02-01")
            await written(dated, later)
            assert await contents(dated, "apple") == ["apple now"]
            assert [d.revision for d in await dated.ledger(SCOPE).documents()] == [2]
            clock[0] = datetime(2026, 2, 1, tzinfo=UTC)
            assert await contents(dated, "apple") == ["apple later"]
            async with dated.reader(SCOPE) as reader:
                assert await reader.record(later.document) == later.record
                assert (await reader.info()).documents == 1
            assert await dated.admin.check(SCOPE) == []

    async def test_every_revision_that_is_there_is_listed(self, store: Store) -> None:
        needs(store, "versions")
        async with self.another(keep_versions=2, now=lambda: datetime(2026, 1, 1, tzinfo=UTC)) as keeping:
            first = [make_revision(path, ["apple"]) for path in ("b.md", "a.md")]
            newer = [make_revision("a.md", ["apple"], revision=number) for number in (2, 3)]
            for revision in (*first, *newer):
                await written(keeping, revision)
            kept = [first[0].document, *(revision.document for revision in newer)]
            assert await keeping.ledger(SCOPE).kept() == sorted(kept, key=lambda d: (d.id, d.revision))
        with pytest.raises(NotBuilt):
            await store.ledger(Scope("nobody", "nothing")).kept()

    async def test_a_first_revision_with_a_future_date_is_not_found_yet(self, store: Store) -> None:
        needs(store, "versions")
        now = datetime(2026, 1, 1, tzinfo=UTC)
        async with self.another(now=lambda: now) as dated:
            await written(dated, make_revision("a.md", ["apple"], effective_at="2026-01-01T00:00:01+00:00"))
            await written(dated, make_revision("b.md", ["apple b"], effective_at="2025-12-31"))
            assert await contents(dated, "apple") == ["apple b"]

    async def test_a_newer_revision_overtakes_one_that_waits(self, store: Store) -> None:
        needs(store, "versions")
        now = datetime(2026, 1, 1, tzinfo=UTC)
        async with self.another(now=lambda: now) as dated:
            await written(dated, make_revision("a.md", ["apple waits"], effective_at="2026-06-01"))
            await written(dated, make_revision("a.md", ["apple now"], revision=2))
            now = datetime(2026, 7, 1, tzinfo=UTC)
            assert await contents(dated, "apple") == ["apple now"]

    async def test_as_many_versions_stay_as_asked_for(self, store: Store) -> None:
        needs(store, "versions")
        states = [make_revision("a.md", [f"apple {n}"], revision=n) for n in range(1, 5)]
        async with self.another(keep_versions=2, now=lambda: datetime(2026, 1, 1, tzinfo=UTC)) as keeping:
            for state in states:
                await written(keeping, state)
            async with keeping.reader(SCOPE) as reader:
                records = [await reader.record(state.document) for state in states]
            assert records == [None, None, "apple 3", "apple 4"]
            assert await contents(keeping, "apple") == ["apple 4"]
            assert await keeping.admin.check(SCOPE) == []

    async def test_an_effective_date_that_is_none_is_the_callers_mistake(self, store: Store) -> None:
        needs(store, "versions")
        with pytest.raises(UsageError, match="effective_at 'soon'"):
            await written(store, make_revision("a.md", ["apple"], effective_at="soon"))

    # Searching

    async def test_ties_are_broken_by_place(self, store: Store) -> None:
        places = [("b.md", "s"), ("a.md", "t"), ("a.md", "s"), ("Ü.md", "s"), ("c.md", "s")]
        await written(store, *(make_revision(path, ["same words", "same words"], source=s) for path, s in places))
        wanted = sorted((path, source, ordinal) for path, source in places for ordinal in (0, 1))
        async with store.reader(SCOPE) as reader:
            for limit in (1, 3, 10):
                found = await reader.matching("same", where=Where(), limit=limit)
                assert [candidate.place for candidate in found] == wanted[:limit]
                if "dense" in store.capabilities:
                    found = await reader.nearest(vector_of("same words"), where=Where(), limit=limit)
                    assert [candidate.place for candidate in found] == wanted[:limit]

    async def test_results_stand_in_total_order(self, store: Store) -> None:
        revisions = _random_revisions(random.Random(11), 25)  # noqa: S311 - reproducible, not secret
        await written(store, *revisions)
        async with store.reader(SCOPE) as reader:
            legs = [await reader.matching("apple plum red", where=EVERYTHING, limit=40)]
            legs.append(await reader.nearest(vector_of("apple"), where=EVERYTHING, limit=40))
        assert legs[0]
        for found in legs:
            keys = [total_order(candidate.score, candidate.place) for candidate in found]
            assert keys == sorted(keys)
            assert len({candidate.id for candidate in found}) == len(found)

    async def test_signals_agree_with_the_legs(self, store: Store) -> None:
        await written(store, *_random_revisions(random.Random(12), 20))  # noqa: S311 - reproducible, not secret
        vector = vector_of("some question")
        async with store.reader(SCOPE) as reader:
            words = await reader.matching("apple plum", where=EVERYTHING, limit=100)
            near = await reader.nearest(vector, where=EVERYTHING, limit=100)
            ids = [candidate.id for candidate in (*words, *near)]
            rated = await reader.rate([*ids, "unknown"], vector=vector, query="apple plum")
        assert set(rated) == set(ids)
        assert all(rated[c.id]["bm25"] == c.score for c in words)
        assert all(rated[c.id]["cosine"] == c.score for c in near)

    async def test_a_query_without_terms_matches_nothing(self, store: Store) -> None:
        await written(store, make_revision("a.md", ["apple"]))
        for query in ("", "?!", "zebra", "\ud800"):
            assert await contents(store, query) == []

    async def test_rare_terms_weigh_more(self, store: Store) -> None:
        await written(store, make_revision("a.md", ["pear fig", "pear plum", "pear"]))
        async with store.reader(SCOPE) as reader:
            idf = await reader.idf("pear plum pear")
        assert list(idf) == ["pear", "plum"]
        assert idf["plum"] > idf["pear"] > 0

    async def test_filters_mean_what_where_says(self, store: Store) -> None:
        chance = random.Random(13)  # noqa: S311 - reproducible, not secret
        revisions = _random_revisions(chance, 30)
        await written(store, *revisions)
        every = [chunk for revision in revisions for chunk in revision.chunks]
        telling = 0
        async with store.reader(SCOPE) as reader:
            for _ in range(DRAWN):
                where = _random_where(chance, [revision.document.version for revision in revisions])
                wanted = {chunk.id for chunk in every if matches(where, facts(chunk))}
                words = await reader.matching("apple pear plum", where=where, limit=1000)
                assert {candidate.id for candidate in words} == wanted, where
                if "dense" in store.capabilities:
                    near = await reader.nearest(vector_of("x"), where=where, limit=1000)
                    assert {candidate.id for candidate in near} == wanted, where
                telling += 0 < len(wanted) < len(every)
        assert telling > DRAWN // 3

    async def test_true_and_one_are_different_filters(self, store: Store) -> None:
        await written(store, make_revision("a.md", ["apple"], meta={"n": 1}))
        for value, count in ((1, 1), (True, 0), (1.0, 1)):
            where = Where(conditions=(Condition("n", "=", value),))
            assert len(await contents(store, "apple", where=where)) == count

    async def test_restricted_documents_are_not_found_without_the_permission(self, store: Store) -> None:
        await written(store, make_revision("a.md", ["apple"], meta={"confidentiality": "Restricted"}))
        assert await contents(store, "apple", where=Where()) == []
        assert await contents(store, "apple", where=EVERYTHING) == ["apple"]

    # Vectors

    async def test_each_vector_is_wanted_once(self, store: Store) -> None:
        needs(store, "dense")
        await written(store, make_revision("a.md", ["apple", "apple", "pear"]), vectors=False)
        async with store.reader(SCOPE) as reader:
            info = await reader.info()
        assert (info.state, info.pending_vectors) == ("degraded", 3)
        async with store.writer(SCOPE) as writer:
            assert sorted(chunk.text for chunk in await writer.wanted(10)) == ["apple", "pear"]
            assert len(await writer.wanted(1)) == 1
            assert await filled(writer) == 2
            await writer.put({key_of("apple"): vector_of("apple")})
            assert await writer.wanted(10) == []
        async with store.reader(SCOPE) as reader:
            assert len(await reader.nearest(vector_of("apple"), where=Where(), limit=9)) == 3
            assert ((await reader.info()).state, (await reader.info()).pending_vectors) == ("healthy", 0)

    async def test_wanted_vectors_come_in_batches_until_all_are_there(self, store: Store) -> None:
        needs(store, "dense")
        texts = [f"text {n % 17}" for n in range(40)]
        await written(store, make_revision("a.md", texts), make_revision("b.md", ["text 3", "new"]), vectors=False)
        async with store.writer(SCOPE) as writer:
            seen: list[str] = []
            while batch := await writer.wanted(4):
                assert [chunk.id for chunk in await writer.wanted(4)] == [chunk.id for chunk in batch]
                assert len(batch) == 4 or len(seen) + len(batch) == 18
                seen += [chunk.text for chunk in batch]
                await writer.put({chunk.vector_key: vector_of(chunk.text) for chunk in batch})
                if len(seen) == 8:
                    await writer.replace([make_revision("b.md", ["text 1", "newer"], revision=2)])
        assert sorted(seen) == sorted({*texts, "newer"})

    async def test_a_chunk_without_a_vector_is_left_out_of_nearest_only(self, store: Store) -> None:
        needs(store, "dense")
        await written(store, make_revision("a.md", ["apple"]))
        await written(store, make_revision("b.md", ["apple pie"]), vectors=False)
        async with store.reader(SCOPE) as reader:
            near = await reader.nearest(vector_of("apple"), where=Where(), limit=9)
            rated = await reader.rate(
                [make_revision("b.md", ["apple pie"]).chunks[0].id], vector=vector_of("x"), query=""
            )
        assert [candidate.place for candidate in near] == [("a.md", "docs", 0)]
        assert list(rated.values()) == [{"bm25": 0.0}]
        assert len(await contents(store, "apple")) == 2

    async def test_renames_copies_and_reverts_want_no_vector(self, store: Store) -> None:
        needs(store, "dense")
        first = make_revision("a.md", ["apple", "pear"])
        await written(store, first)
        async with store.writer(SCOPE) as writer:
            await writer.replace([make_revision("b.md", ["pear", "apple"])])
            assert await writer.wanted(9) == []
            await writer.remove([first.document.id])
            await writer.replace([make_revision("b.md", ["plum"], revision=2)])
            await writer.replace([make_revision("b.md", ["apple"], revision=3)])
            assert await writer.wanted(9) == []

    async def test_cosines_are_exact(self, store: Store) -> None:
        needs(store, "dense")
        texts = [f"text number {n}" for n in range(60)]
        await written(store, make_revision("a.md", texts))
        question = vector_of("question")
        async with store.reader(SCOPE) as reader:
            found = await reader.nearest(question * 3, where=Where(), limit=60)
        wanted = [float(vector_of(text).astype(np.float64) @ question.astype(np.float64)) for text in texts]
        assert {c.place[2]: c.score for c in found} == pytest.approx(dict(enumerate(wanted)), abs=2e-6)

    async def test_a_bad_vector_is_refused_and_named(self, store: Store) -> None:
        needs(store, "dense")
        await written(store, make_revision("a.md", ["apple", "pear"]), vectors=False)
        good, key = vector_of("apple"), key_of("pear")
        bad: list[Any] = [
            good * 2,
            good * 0,
            good[:4],
            good.astype(np.float64),
            np.full(DIMENSION, np.nan, dtype=np.float32),
        ]
        async with store.writer(SCOPE) as writer:
            for vector in bad:
                with pytest.raises(StoreError, match=key):
                    await writer.put({key_of("apple"): good, key: vector})
            assert len(await writer.wanted(9)) == 2

    async def test_a_question_of_another_dimension_is_refused(self, store: Store) -> None:
        needs(store, "dense")
        await written(store, make_revision("a.md", ["apple"]))
        async with store.reader(SCOPE) as reader:
            for vector in (np.ones(3, dtype=np.float32), np.zeros(DIMENSION, dtype=np.float32)):
                with pytest.raises(UsageError):
                    await reader.nearest(vector, where=Where(), limit=1)

    # Runs

    async def test_runs_are_kept_the_latest_first(self, store: Store) -> None:
        await created(store)
        ledger = store.ledger(SCOPE)
        first = Run("1", "docs", "running", "2026-01-01T00:00:00", config={"a": [1]})
        await ledger.start(first)
        await ledger.update(replace(first, stats={"added": 1}))
        assert [run.stats for run in await ledger.runs()] == [{"added": 1}]
        done = replace(first, status="succeeded", stats={"added": 2}, finished_at="2026-01-01T00:01:00")
        await ledger.finish(done)
        second = Run("2", "docs", "running", "2026-01-02T00:00:00")
        await ledger.start(second)
        assert await ledger.runs() == [second, done]
        assert await ledger.runs(1) == [second]
        await ledger.finish(replace(second, status="failed", error="no"))
        assert (await ledger.runs())[0].error == "no"

    async def test_two_ingestions_of_one_source_do_not_run_at_once(self, store: Store) -> None:
        await created(store)
        first, second = (Run(one, "docs", "running", "2026-01-01T00:00:00") for one in "12")
        await store.ledger(SCOPE).start(first)
        with pytest.raises(Busy, match="'docs' is running"):
            await store.ledger(SCOPE).start(second)
        await store.ledger(SCOPE).start(replace(second, source="other"))
        await store.ledger(SCOPE).finish(replace(first, status="succeeded"))
        await store.ledger(SCOPE).start(replace(second, id="3"))

    # Keys

    async def test_a_key_is_found_by_its_id_as_it_was_added(self, store: Store, keeper: Store) -> None:
        needs_keys(keeper)
        key = make_key("a1", roles=("read-restricted", "write"), expires=NEW_YEAR.replace(year=2099))
        assert await store.keys.find("a1") is None
        await keeper.keys.add(key)
        assert await store.keys.find("a1") == key
        assert await store.keys.find("a") is None
        assert await store.keys.find("%") is None
        assert await store.keys.find("") is None

    async def test_a_key_is_kept_beside_what_was_and_what_will_be_written(self, store: Store, keeper: Store) -> None:
        needs_keys(keeper)
        await written(store, make_revision("a.md", ["apple"]))
        await keeper.keys.add(make_key("a1"))
        assert await store.admin.collections(SCOPE.tenant) == [SCOPE.collection]
        assert await store.admin.drop(SCOPE)
        assert await store.keys.find("a1") == make_key("a1")

    async def test_keys_are_listed_by_creation_and_of_one_tenant_alone(self, keeper: Store) -> None:
        needs_keys(keeper)
        later = NEW_YEAR.replace(month=2)
        own = [make_key("b"), make_key("c"), make_key("a", created=later)]
        for key in (own[2], make_key("d", tenant=OTHER.tenant), own[1], own[0]):
            await keeper.keys.add(key)
        assert await keeper.keys.of(SCOPE.tenant) == own
        assert [key.id for key in await keeper.keys.of(OTHER.tenant)] == ["d"]
        assert await keeper.keys.of("nobody") == []

    async def test_an_id_is_taken_once(self, store: Store, keeper: Store) -> None:
        needs_keys(keeper)
        await keeper.keys.add(make_key("a1"))
        for tenant in (SCOPE.tenant, OTHER.tenant):
            with pytest.raises(UsageError, match="a1 already"):
                await keeper.keys.add(make_key("a1", tenant=tenant))
        assert await store.keys.find("a1") == make_key("a1")

    async def test_a_key_is_revoked_once_and_by_its_tenant_alone(self, store: Store, keeper: Store) -> None:
        needs_keys(keeper)
        await keeper.keys.add(make_key("a1"))
        await keeper.keys.add(make_key("a2"))
        assert not await keeper.keys.revoke(OTHER.tenant, "a1", at=NEW_YEAR)
        assert not await keeper.keys.revoke(SCOPE.tenant, "none", at=NEW_YEAR)
        assert await store.keys.find("a1") == make_key("a1")
        assert await keeper.keys.revoke(SCOPE.tenant, "a1", at=NEW_YEAR)
        assert await keeper.keys.revoke(SCOPE.tenant, "a1", at=NEW_YEAR.replace(year=2030))
        assert [key.revoked for key in await keeper.keys.of(SCOPE.tenant)] == [NEW_YEAR, None]

    async def test_keys_of_an_erased_tenant_are_gone(self, store: Store, keeper: Store) -> None:
        needs_keys(keeper)
        assert await keeper.keys.erase(SCOPE.tenant) == 0
        for key in (make_key("a1"), make_key("a2"), make_key("r1", tenant=OTHER.tenant)):
            await keeper.keys.add(key)
        assert await keeper.keys.erase(SCOPE.tenant) == 2
        assert await store.keys.find("a1") is None
        assert await keeper.keys.of(SCOPE.tenant) == []
        assert [key.id for key in await keeper.keys.of(OTHER.tenant)] == ["r1"]

    async def test_keys_that_are_added_at_once_are_all_kept(self, keeper: Store) -> None:
        needs_keys(keeper)
        names = [f"{number:02d}" for number in range(24)]
        await asyncio.gather(*(keeper.keys.add(make_key(name)) for name in names))
        assert [key.id for key in await keeper.keys.of(SCOPE.tenant)] == names

    async def test_what_is_no_name_of_a_tenant_or_key_changes_nothing(self, store: Store, keeper: Store) -> None:
        needs_keys(keeper)
        await keeper.keys.add(make_key("a1"))
        for odd in ("' OR 1=1 --", "a1'; DELETE FROM api_keys; --", "%", "_", "\\", '"'):
            assert await store.keys.find(odd) is None
            assert await keeper.keys.of(odd) == []
            assert not await keeper.keys.revoke(odd, "a1", at=NEW_YEAR)
            assert not await keeper.keys.revoke(SCOPE.tenant, odd, at=NEW_YEAR)
        assert await keeper.keys.of(SCOPE.tenant) == [make_key("a1")]


def _random_revisions(chance: random.Random, count: int) -> list[Revision]:
    """Documents with all that filters ask about; every chunk holds a fruit."""
    made = []
    for number in range(count):
        meta = {
            "category": chance.choice(["api", "guide", None]),
            "tags": chance.sample(["red", "green", "blue"], chance.randint(0, 3)),
            "project": chance.choice(["x", "y"]),
            "doc_type": chance.choice(["spec", "note", None]),
            "date": chance.choice(["2024-05-31", "2024-06-01T10:00:00", "2023", None]),
            "confidentiality": chance.choice(["public", "Internal", "restricted", None]),
            "level": chance.choice([1, 2.5, "3", None]),
        }
        fruits = [chance.choice(["apple", "pear", "plum"]) for _ in range(chance.randint(1, 4))]
        chunks = {
            "heading_path": tuple(chance.sample(["Intro", "Usage", "100%"], chance.randint(0, 2))),
            "kind": chance.choice(["text", "table"]),
            "flags": tuple(chance.sample(["injection", "secret"], chance.randint(0, 2))),
            "risk_score": chance.choice([0.0, 0.5]),
        }
        path = chance.choice(["", "guide/", "guide/deep/"]) + f"{number}.{chance.choice(['md', 'txt'])}"
        source = chance.choice(["docs", "wiki"])
        texts = [f"{fruit} {chance.choice(['red', 'green'])} {i}" for i, fruit in enumerate(fruits)]
        made.append(make_revision(path, texts, source=source, meta=meta, chunks=chunks))
    return made


def _random_where(chance: random.Random, shas: Sequence[str]) -> Where:
    """Any filter at all: few groups at a time, so that most let something through."""

    def some(*values: str) -> tuple[str, ...]:
        return tuple(chance.sample(values, chance.randint(1, len(values)))) if chance.random() < 0.12 else ()

    restricted = chance.random() < 0.7
    dates = (_random_date(chance), _random_date(chance))
    date_from, date_to = sorted(dates, key=str) if all(dates) else dates
    return Where(
        sources=some("docs", "none", "wiki"),
        paths=tuple(_random_glob(chance) for _ in range(chance.randint(1, 3))) if chance.random() < 0.2 else (),
        headers=some("Intro", "100%", "Usage", "none"),
        shas=some(*shas),
        categories=some("api", "guide"),
        tags=some("red", "green", "blue"),
        tag_mode=chance.choice(["any", "all"]),
        projects=some("x", "y"),
        doc_types=some("spec", "note"),
        date_from=date_from,
        date_to=date_to,
        confidentiality_allow=some("public", "INTERNAL", *(["Restricted"] if restricted else [])),
        allow_restricted=restricted,
        conditions=tuple(_random_condition(chance) for _ in range(chance.choice([0, 0, 1, 1, 2, 3]))),
        logic=chance.choice(["AND", "OR"]),
    )


def _random_glob(chance: random.Random) -> str:
    names = ["guide", "deep", "*", "**", "g*", "?eep", "*.md", "*.t?t", "1*.md", "3.md", "2?.*"]
    glob = "/".join(chance.choices(names, k=chance.randint(1, 3)))
    return chance.choice(["", "", "", "/"]) + glob + chance.choice(["", "", "", "/"])


def _random_date(chance: random.Random) -> str | None:
    if chance.random() < 0.85:
        return None
    return chance.choice(["2023-12-31", "2024-05-31", "2024-06-01", "2025-01-01"])[: chance.choice([4, 7, 10])]


def _random_condition(chance: random.Random) -> Condition:
    """An operator on any column there is or is not, with a value that stands there or is of another kind."""
    columns = [*DOCUMENT_FACTS, *CHUNK_FACTS, "category", "tags", "project", "date", "confidentiality", "level", "none"]
    operator = chance.choice(OPERATORS)
    if operator in ("IN", "NOT IN"):
        value: Any = [_random_value(chance) for _ in range(chance.randint(0, 3))]
    elif operator in ("LIKE", "ILIKE"):
        value = "".join(_wild(c, chance) for c in chance.choice(["", "%", "%%"]) + str(_random_value(chance)))
    else:
        value = None if operator.startswith("IS") else _random_value(chance)
    return Condition(chance.choice(columns), operator, value)


def _random_value(chance: random.Random) -> str | float | bool:
    values: list[str | float | bool] = ["guide/1.md", "12.txt", "red", "green", "api", "x", "Usage", "100%", "docs"]
    values += ["2024-05-31", "2024", "3", "2.5", "", "true", "injection", "table", "public", "restricted", "text/plain"]
    values += [0, 1, 2, 3, 2.5, 0.5, -1, 1e300, True, False]
    return chance.choice(values)


def _wild(character: str, chance: random.Random) -> str:
    """A character of a pattern as it is, in the other case, as a wildcard, or with its meaning taken away."""
    return chance.choice([character] * 6 + [character.swapcase(), "_", "%", "\\" + character])
