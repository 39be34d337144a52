"""The view of a collection: exact where it says so, complete where filters are hard, deaf to hostile words."""

import asyncio
import random
from collections.abc import AsyncIterator
from typing import Any

import numpy as np
import pytest

from ragstone.core.filters import Condition, Where
from ragstone.core.ports import Reader, Store
from ragstone.core.types import Candidate, total_order
from ragstone.stores import open_store
from ragstone.stores.postgres import vector_search
from ragstone.testing.stores import (
    DIMENSION,
    EVERYTHING,
    SCOPE,
    make_revision,
    make_vector,
    search_texts,
    write_revisions,
)
from tests.stores.postgres.server import Server

HOSTILE = [
    "'; DELETE FROM chunks; --",
    "%(collection)s",
    "%s",
    "$1",
    "\\",
    "a\0b",
    "\ud800",
    "水" * 5_000,
    '"}',
    "{1,2}",
    "x" * 200_000,
]


@pytest.fixture
async def store(server: Server, database: str) -> AsyncIterator[Store]:
    opened = open_store(server.url(database))
    yield opened
    await opened.close()


def exactly(texts: list[str], query: Any, limit: int) -> list[Candidate]:
    """The nearest of one document's chunks, a cosine at a time."""
    rows = np.stack([make_vector(text) for text in texts]).astype(np.float64)
    question = query.astype(np.float64) / np.linalg.norm(query.astype(np.float64))
    cosines = np.round((rows * question).sum(axis=1) / np.sqrt((rows * rows).sum(axis=1)), 6)
    chunks = make_revision("a.md", texts).chunks
    found = [
        Candidate(chunk.id, float(cosine), ("a.md", "docs", i))
        for i, (chunk, cosine) in enumerate(zip(chunks, cosines, strict=True))
    ]
    return sorted(found, key=lambda candidate: total_order(candidate.score, candidate.place))[:limit]


async def test_ties_at_the_cut_come_out_in_the_order_of_their_places(store: Store) -> None:
    chance = random.Random(1)
    texts = [f"text {chance.randrange(4)}" for _ in range(400)]
    await write_revisions(store, make_revision("a.md", texts))
    query = make_vector("text 2")
    async with store.reader(SCOPE) as reader:
        for limit in (1, 7, 99, 150, 400):
            assert await reader.nearest(query, where=Where(), limit=limit) == exactly(texts, query, limit)


async def test_the_index_finds_what_an_exact_search_finds_and_is_used(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [f"text {n}" for n in range(600)]
    await write_revisions(store, make_revision("a.md", texts, meta={"tags": ["a"]}))
    async with store.writer(SCOPE) as writer:
        await writer.settle()
    monkeypatch.setattr(vector_search, "EXACT_UP_TO", 10)
    monkeypatch.setattr(vector_search, "MAX_FEW", 100)
    used: list[str] = []
    plain = vector_search.approximate_sql

    def noted(condition: str, dimension: int) -> str:
        used.append(condition)
        return plain(condition, dimension)

    monkeypatch.setattr(vector_search, "approximate_sql", noted)
    shared = 0
    async with store.reader(SCOPE) as reader:
        for number in range(20):
            query = make_vector(f"question {number}")
            wanted = exactly(texts, query, 10)
            for where in (Where(), Where(tags=("a",))):
                found = await reader.nearest(query, where=where, limit=10)
                assert len(found) == 10
                shared += len({c.id for c in found} & {c.id for c in wanted})
                assert found == sorted(found, key=lambda c: total_order(c.score, c.place))
    assert shared >= 0.95 * 2 * 20 * 10
    assert len(used) == 2 * 20


async def test_a_filter_that_few_chunks_pass_is_answered_in_full(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_search, "EXACT_UP_TO", 10)
    revisions = [make_revision(f"{n}.md", [f"apple {n}", "pear"], meta={"rare": n % 50 == 0}) for n in range(150)]
    await write_revisions(store, *revisions)
    rare = Where(conditions=(Condition("rare", "=", True),))
    async with store.reader(SCOPE) as reader:
        for few in (vector_search.MAX_FEW, 2):  # asked for one by one, or found by widening
            monkeypatch.setattr(vector_search, "MAX_FEW", few)
            near = await reader.nearest(make_vector("pear"), where=rare, limit=4)
            words = await reader.matching("apple", where=rare, limit=9)
            assert [c.place for c in near] == [
                ("0.md", "docs", 1),
                ("100.md", "docs", 1),
                ("50.md", "docs", 1),
                near[3].place,
            ]
            assert sorted(c.place[0] for c in words) == ["0.md", "100.md", "50.md"]


async def test_hostile_words_find_nothing_and_break_nothing(store: Store) -> None:
    await write_revisions(store, make_revision("a.md", ["apple"]))
    async with store.reader(SCOPE) as reader:
        for word in HOSTILE:
            where = Where(paths=(word,), sources=(word,), tags=(word,), headers=(word,), categories=(word,))
            assert await reader.matching(f"apple {word[:99]}", where=where, limit=5) == []
            assert await reader.nearest(make_vector("apple"), where=where, limit=5) == []
            asked = Where(conditions=(Condition(word, "=", word), Condition(word, "ILIKE", word)), logic="OR")
            assert await reader.matching("apple", where=asked, limit=5) == []
            assert await reader.chunks([word]) == []
            assert await reader.rate([word], vector=None, query=word[:99]) == {}
            assert await reader.at(word, 0) is None
            assert await reader.at("a.md", 0, source=word) is None
            await reader.idf(word[:999])
    assert await search_texts(store, "apple") == ["apple"]


async def test_numbers_that_no_column_holds_find_nothing(store: Store) -> None:
    await write_revisions(store, make_revision("a.md", ["apple"]))
    async with store.reader(SCOPE) as reader:
        for ordinal in (-1, 2**31, 2**63, 10**30):
            assert await reader.at("a.md", ordinal) is None
        found = make_revision("a.md", ["apple"], revision=2**40).document
        assert await reader.records([found]) == {}
        assert await reader.layouts([found]) == {}


async def test_one_reader_answers_several_at_once(store: Store) -> None:
    await write_revisions(store, *(make_revision(f"{n}.md", [f"apple {n}"]) for n in range(20)))
    async with store.reader(SCOPE) as reader:
        alone = [await one for one in _legs(reader)]
        together = await asyncio.gather(*_legs(reader))
    assert list(together) == alone


def _legs(reader: Reader) -> list[Any]:
    tagged = Where(paths=("1*.md",))
    return [
        reader.matching("apple", where=Where(), limit=5),
        reader.nearest(make_vector("apple 3"), where=tagged, limit=5),
        reader.matching("apple 7", where=tagged, limit=5),
        reader.at("3.md", 0),
        reader.info(),
    ]


async def test_many_globs_are_answered_as_well_as_few(store: Store) -> None:
    await write_revisions(store, *(make_revision(f"dir/{n}.md", ["apple"]) for n in range(30)))
    many = Where(paths=(*(f"none/{'x' * 50}{n}*" for n in range(100)), "dir/1?.md", "dir/3.md"))
    async with store.reader(SCOPE) as reader:
        found = await reader.matching("apple", where=many, limit=50)
    assert sorted(c.place[0] for c in found) == sorted([*(f"dir/1{n}.md" for n in range(10)), "dir/3.md"])


async def test_recipes_are_told_each_once(store: Store) -> None:
    await write_revisions(store, *(make_revision(f"{n}.md", ["apple"]) for n in range(3)))
    async with store.reader(SCOPE) as reader:
        info = await reader.info()
    assert (info.recipes, info.dimension, info.documents) == (("kit-1",), DIMENSION, 3)


async def test_restricted_chunks_stay_out_of_every_leg(store: Store) -> None:
    secret = make_revision("s.md", ["apple"] * 80, meta={"confidentiality": ["Restricted"]})
    await write_revisions(store, secret, make_revision("z.md", ["apple pie"]))
    async with store.reader(SCOPE) as reader:
        for where, count in ((Where(), 1), (EVERYTHING, 81)):
            assert len(await reader.matching("apple", where=where, limit=100)) == count
            assert len(await reader.nearest(make_vector("apple"), where=where, limit=100)) == count
        assert [c.place[0] for c in await reader.matching("apple", where=Where(), limit=1)] == ["z.md"]
        assert [c.place[0] for c in await reader.nearest(make_vector("apple"), where=Where(), limit=1)] == ["z.md"]
