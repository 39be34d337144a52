"""The contract of a store for searches: total order, exact signals, filters as `Where` means them."""

import math
import random

import pytest

from ragstone.core.filter_matching import collect_facts, matches
from ragstone.core.filters import Condition, Where
from ragstone.core.ports import Store, word_signal
from ragstone.core.types import total_order
from ragstone.testing.stores.actions import search_texts, write_revisions
from ragstone.testing.stores.fixtures import StoreFixtures
from ragstone.testing.stores.random_data import random_revisions, random_where
from ragstone.testing.stores.samples import EVERYTHING, SCOPE, make_revision, make_vector

RANDOM_FILTERS = 250  # filters, enough for every operator to meet every kind of column


class SearchContract(StoreFixtures):
    """Words, neighbours, filters."""

    async def test_ties_are_broken_by_place(self, store: Store) -> None:
        places = [("b.md", "s"), ("a.md", "t"), ("a.md", "s"), ("Ü.md", "s"), ("c.md", "s")]
        await write_revisions(
            store, *(make_revision(path, ["same words", "same words"], source=s) for path, s in places)
        )
        wanted = sorted((path, source, ordinal) for path, source in places for ordinal in (0, 1))
        async with store.reader(SCOPE) as reader:
            for limit in (1, 3, 10):
                found = await reader.matching("same", where=Where(), limit=limit)
                assert [candidate.place for candidate in found] == wanted[:limit]
                if "dense" in store.capabilities:
                    found = await reader.nearest(make_vector("same words"), where=Where(), limit=limit)
                    assert [candidate.place for candidate in found] == wanted[:limit]

    async def test_results_stand_in_total_order(self, store: Store) -> None:
        revisions = random_revisions(random.Random(11), 25)  # noqa: S311 - reproducible, not secret
        await write_revisions(store, *revisions)
        async with store.reader(SCOPE) as reader:
            rankings = [await reader.matching("apple plum red", where=EVERYTHING, limit=40)]
            rankings.append(await reader.nearest(make_vector("apple"), where=EVERYTHING, limit=40))
        assert rankings[0]
        for found in rankings:
            keys = [total_order(candidate.score, candidate.place) for candidate in found]
            assert keys == sorted(keys)
            assert len({candidate.id for candidate in found}) == len(found)

    async def test_signals_agree_with_the_legs(self, store: Store) -> None:
        await write_revisions(store, *random_revisions(random.Random(12), 20))  # noqa: S311 - reproducible, not secret
        vector = make_vector("some question")
        async with store.reader(SCOPE) as reader:
            words = await reader.matching("apple plum", where=EVERYTHING, limit=100)
            near = await reader.nearest(vector, where=EVERYTHING, limit=100)
            ids = [candidate.id for candidate in (*words, *near)]
            rated = await reader.rate([*ids, "unknown"], vector=vector, query="apple plum")
        assert set(rated) == set(ids)
        assert all(rated[c.id][word_signal(reader)] == c.score for c in words)
        assert all(rated[c.id]["cosine"] == c.score for c in near)

    async def test_a_query_without_terms_matches_nothing(self, store: Store) -> None:
        await write_revisions(store, make_revision("a.md", ["apple"]))
        for query in ("", "?!", "zebra", "\ud800"):
            assert await search_texts(store, query) == []

    async def test_rare_terms_weigh_more(self, store: Store) -> None:
        await write_revisions(store, make_revision("a.md", ["pear fig", "pear plum", "pear"]))
        async with store.reader(SCOPE) as reader:
            idf = await reader.idf("pear plum pear")
            assert len(await reader.matching("pear plum pear", where=EVERYTHING, limit=9)) == 3
            assert list((await reader.idf("pear plum pear")).items()) == list(idf.items())
            unseen = (await reader.idf("pear zebra"))["zebra"]
            chunks = (await reader.info()).chunks
        assert unseen == pytest.approx(math.log(2 * chunks + 2)), "by this a word is known to be in no passage"
        assert list(idf) == ["pear", "plum"]
        assert idf["plum"] > idf["pear"] > 0

    async def test_a_word_is_found_in_the_forms_of_its_language(self, store: Store) -> None:
        texts = [
            "Die Proben werden im Keller gelagert.",
            "Samples are stored in the cellar.",
            "Пробы хранятся в подвале.",
        ]
        await write_revisions(store, make_revision("a.md", texts))
        async with store.reader(SCOPE) as reader:
            if word_signal(reader) != "bm25":
                return  # counts of words as they are written
            asked = (("Wo ist die Probe?", 0), ("Kellerraum", 0), ("sample", 1), ("хранение пробы", 2))  # one compound
            for query, found in asked:
                hits = await reader.matching(query, where=EVERYTHING, limit=9)
                assert [hit.place[2] for hit in hits] == [found], query
            assert list(await reader.idf("Wo ist die Probe?")) == ["wo", "ist", "die", "probe"]

    async def test_a_word_is_found_in_the_names_of_a_file_and_its_folders(self, store: Store) -> None:
        paths = ("ACME/terms.pdf", "Umbrella/terms.pdf", "Umbrella/2023 report.pdf")
        revisions = [make_revision(path, ["Either side may end it."], title="Terms") for path in paths]
        meta = {"mail_subject": "Terms of Globex"}
        revisions.append(make_revision("17.eml/a.md", ["Either side may end it."], title="Terms", meta=meta))
        await write_revisions(store, *revisions)
        async with store.reader(SCOPE) as reader:
            if word_signal(reader) != "bm25":
                return  # counts of words of the text
            for query, found in (
                ("acme", paths[:1]),
                ("umbrella", paths[1:]),
                ("2023", paths[2:]),
                ("globex", ["17.eml/a.md"]),
            ):
                hits = await reader.matching(query, where=EVERYTHING, limit=9)
                assert [hit.place[0] for hit in hits] == list(found), query  # the shorter one first
                rated = await reader.rate([hits[0].id], vector=None, query=query)
                assert rated[hits[0].id]["bm25"] == hits[0].score

    async def test_filters_mean_what_where_says(self, store: Store) -> None:
        chance = random.Random(13)  # noqa: S311 - reproducible, not secret
        revisions = random_revisions(chance, 30)
        await write_revisions(store, *revisions)
        every = [chunk for revision in revisions for chunk in revision.chunks]
        telling = 0
        async with store.reader(SCOPE) as reader:
            for _ in range(RANDOM_FILTERS):
                where = random_where(chance, [revision.document.version for revision in revisions])
                wanted = {chunk.id for chunk in every if matches(where, collect_facts(chunk))}
                words = await reader.matching("apple pear plum", where=where, limit=1000)
                assert {candidate.id for candidate in words} == wanted, where
                if "dense" in store.capabilities:
                    near = await reader.nearest(make_vector("x"), where=where, limit=1000)
                    assert {candidate.id for candidate in near} == wanted, where
                telling += 0 < len(wanted) < len(every)
        assert telling > RANDOM_FILTERS // 3

    async def test_true_and_one_are_different_filters(self, store: Store) -> None:
        await write_revisions(store, make_revision("a.md", ["apple"], meta={"n": 1}))
        for value, count in ((1, 1), (True, 0), (1.0, 1)):
            where = Where(conditions=(Condition("n", "=", value),))
            assert len(await search_texts(store, "apple", where=where)) == count

    async def test_restricted_documents_are_not_found_without_the_permission(self, store: Store) -> None:
        await write_revisions(store, make_revision("a.md", ["apple"], meta={"confidentiality": "Restricted"}))
        assert await search_texts(store, "apple", where=Where()) == []
        assert await search_texts(store, "apple", where=EVERYTHING) == ["apple"]
