"""`keywords=ts_rank_cd`: the server's own ranking, by its index, for the tenant alone; other stores refuse it."""

from collections.abc import AsyncIterator

import pytest

from ragstone.core.errors import UsageError
from ragstone.core.filters import Condition, Where
from ragstone.core.ports import Store
from ragstone.core.types import Scope
from ragstone.retrieval.question import Question
from ragstone.retrieval.search import search
from ragstone.retrieval.search_context import SearchContext
from ragstone.stores import open_store
from ragstone.testing.bag_of_words import BagOfWords
from ragstone.testing.stores import EVERYTHING, SCOPE, make_revision, search_texts, write_revisions
from tests.patience import until
from tests.stores.postgres.server import Server
from tests.stores.postgres.test_reader import HOSTILE

TEXTS = [
    "an apple and a pear",
    "apples, pears, apples and pears",
    "apple " + "plum " * 40 + "pear",
    "a pear alone",
    "an apple alone",
]
DIRECT = """SELECT c.text, round(ts_rank_cd(to_tsvector('english', c.text), q)::numeric, 6)::float8
    FROM ragstone.chunks c, websearch_to_tsquery('english', '{}') q
    WHERE to_tsvector('english', c.text) @@ q ORDER BY 2 DESC, c.ordinal"""


@pytest.fixture
async def store(server: Server, database: str) -> AsyncIterator[Store]:
    opened = open_store(server.url(database, keywords="ts_rank_cd"))
    yield opened
    await opened.close()


@pytest.mark.parametrize("query", ["apple pear", "apple or pear", "pear -apple", '"apple and pear"', "the"])
async def test_words_are_ranked_as_the_server_ranks_them(
    server: Server, database: str, store: Store, query: str
) -> None:
    await write_revisions(store, make_revision("a.md", TEXTS))
    wanted = server.run(DIRECT.format(query), database)
    assert bool(wanted) == (query != "the")
    async with store.reader(SCOPE) as reader:
        found = await reader.matching(query, where=EVERYTHING, limit=50)
        texts = [chunk.text for chunk in await reader.chunks([candidate.id for candidate in found])]
        assert list(zip(texts, [candidate.score for candidate in found], strict=True)) == wanted
        assert await reader.matching(query, where=EVERYTHING, limit=1) == found[:1]


async def test_a_search_is_ordered_by_it_and_tells_both_signals(store: Store) -> None:
    embedder = BagOfWords(8)
    await store.admin.create(SCOPE, model=embedder.model, variant=embedder.variant, dimension=8)
    async with store.writer(SCOPE) as writer:
        await writer.replace([make_revision("a.md", TEXTS)])
        wanted = await writer.find_unembedded(9)
        vectors = await embedder.embed([chunk.text for chunk in wanted])
        await writer.put({chunk.vector_key: row for chunk, row in zip(wanted, vectors, strict=True)})
    context = SearchContext.of_collection(store, SCOPE, embedder)
    words = await search(context, Question("apple pear", mode="keyword", fold=False))
    assert [hit.chunk.ordinal for hit in words.hits] == [1, 0, 2]
    assert all(hit.score == hit.signals["ts_rank_cd"] and hit.signals["bm25"] > 0 for hit in words.hits)
    for fusion in ("minmax", "rrf"):
        both = await search(context, Question("apple pear", fusion=fusion, fold=False, cosine_weight=0.0001))
        assert [hit.chunk.ordinal for hit in both.hits][:3] == [1, 0, 2]
        assert {"bm25", "cosine", "ts_rank_cd"} == set(both.hits[-1].signals)
        assert both.hits[-1].signals["ts_rank_cd"] == 0
        assert both.notes == ()


async def test_filters_tenants_and_collections_hold_there_too(server: Server, database: str, store: Store) -> None:
    secret = {"confidentiality": ["restricted"]}
    await write_revisions(
        store, make_revision("a.md", TEXTS, meta={"tags": ["a"]}), make_revision("s.md", TEXTS, meta=secret)
    )
    for scope in (Scope("rival", SCOPE.collection), Scope(SCOPE.tenant, "other")):
        await write_revisions(store, make_revision("a.md", ["apple"], scope=scope), scope=scope)
        assert await search_texts(store, "apple", scope) == ["apple"]
    tagged = Where(tags=("a",), conditions=(Condition("ordinal", ">", 0),))
    assert len(await search_texts(store, "apple")) == 8
    assert len(await search_texts(store, "apple", where=Where())) == 4
    assert len(await search_texts(store, "apple", where=tagged)) == 3
    asked = (
        "SELECT set_config('ragstone.tenant', 'rival', false), (SELECT count(*) FROM ragstone.ts_ranked({}, 'apple'))"
    )
    [(ours,)] = server.run(
        f"SELECT collection_id FROM ragstone.collections WHERE tenant_id = '{SCOPE.tenant}' LIMIT 1", database
    )
    assert server.run(asked.format(ours), database)[0][1] == 0


async def test_what_was_replaced_is_not_found(store: Store) -> None:
    await write_revisions(store, make_revision("a.md", TEXTS))
    await write_revisions(store, make_revision("a.md", ["a pear"], revision=2))
    assert await search_texts(store, "apple") == []
    assert await search_texts(store, "pear") == ["a pear"]


async def test_the_index_is_used_though_rows_are_secured(server: Server, database: str, store: Store) -> None:
    server.run(f"ALTER DATABASE {database} SET enable_seqscan = off")
    await write_revisions(store, make_revision("a.md", TEXTS))
    assert len(await search_texts(store, "apple")) == 4
    await store.close()
    used = "SELECT sum(idx_scan) FROM pg_stat_user_indexes WHERE indexrelname = 'chunk_fts_tsv'"
    server.run("SELECT pg_stat_clear_snapshot()", database)
    until(lambda: server.run(used, database) != [(0,)])  # the server counts with a delay


async def test_hostile_words_find_nothing_and_break_nothing(store: Store) -> None:
    await write_revisions(store, make_revision("a.md", ["apple"]))
    async with store.reader(SCOPE) as reader:
        for word in (*HOSTILE, '- or - " ( | & ! :* <->', "!!" * 999, "\x011", "(" * 5_000, "-" * 5_000):
            assert await reader.matching(f"quince {word}", where=EVERYTHING, limit=5) == []
            assert await reader.rate([word], vector=None, query=word) == {}


@pytest.mark.parametrize(
    "url", ["embedded:store?keywords=ts_rank_cd", "json:x.json?keywords=ts_rank_cd", "x?keywords=bm25"]
)
def test_a_store_without_it_refuses_it(url: str) -> None:
    with pytest.raises(UsageError, match="only PostgreSQL ranks words in another way"):
        open_store(url)


def test_other_rankings_are_named() -> None:
    with pytest.raises(UsageError, match="expected one of these for keywords: bm25 or ts_rank_cd"):
        open_store("postgresql://a@b/c?keywords=bm26")
    with pytest.raises(UsageError, match="'keywords' is an unknown parameter"):
        open_store("qdrant://a?keywords=ts_rank_cd")


@pytest.mark.parametrize(
    "broken",
    [
        "DELETE FROM ragstone.chunk_fts WHERE ctid IN (SELECT ctid FROM ragstone.chunk_fts LIMIT 1)",
        "UPDATE ragstone.chunk_fts SET tsv = to_tsvector('english', 'apple pear')",
    ],
)
async def test_a_repair_makes_it_whole_again(server: Server, database: str, store: Store, broken: str) -> None:
    await write_revisions(store, make_revision("a.md", TEXTS))
    wanted = server.run(DIRECT.format("apple pear"), database)
    server.run(broken, database)
    assert any("websearch_to_tsquery" in one for one in await store.admin.check(SCOPE))
    await store.admin.check(SCOPE, repair=True)
    assert await store.admin.check(SCOPE) == []
    async with store.reader(SCOPE) as reader:
        found = await reader.matching("apple pear", where=EVERYTHING, limit=50)
        texts = [chunk.text for chunk in await reader.chunks([candidate.id for candidate in found])]
    assert list(zip(texts, [candidate.score for candidate in found], strict=True)) == wanted
