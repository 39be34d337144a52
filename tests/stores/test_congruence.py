"""The same corpus, edited in the same way, gives the same results in the same order on every store."""

import asyncio
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import pytest_asyncio

from ragstone.config.deadlines import Deadlines
from ragstone.core.filters import Condition, Where
from ragstone.core.ports import Prompt, Store, Writer
from ragstone.core.types import Hit, Revision, Scope
from ragstone.retrieval import semantic_cache
from ragstone.retrieval.question import Question
from ragstone.retrieval.search import search
from ragstone.retrieval.search_context import SearchContext
from ragstone.stores import open_store
from ragstone.testing.bag_of_words import BagOfWords
from ragstone.testing.stores import fill_sparse, make_revision, search_sparse
from tests.scripted import Scripted
from tests.stores.postgres.server import shared
from tests.stores.qdrant.engine import Engine
from tests.stores.qdrant.server import Recorder
from tests.stores.qdrant.server import serving as recording

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

SCOPE = Scope("acme", "congruence")
BESIDE = Scope("rival", "congruence")
DOCUMENTS, EDITS, SINGLY = 620, 320, 120
TOGETHER = 10  # edits that come in one batch, after those that come singly
FEWEST = 5_000  # chunks after all edits
EMBEDDER = BagOfWords(64)
PATIENT = Deadlines(search=600.0)  # on a busy machine a leg that is left out would make two answers
WORDS = [a + b for a in "ka lo mi tur sen ve da rin".split() for b in "po gal nes tik bu ra mol zet fi wan".split()]
SENTENCES = ["error code E42 on startup", "see chapter three", "restart the server and try again"]

FILTERS = {
    "none": Where(),
    "everything": Where(allow_restricted=True),
    "one tag": Where(tags=("red",)),
    "all tags": Where(tags=("red", "blue"), tag_mode="all"),
    "folder": Where(paths=("guide/**",)),
    "one document": Where(paths=("guide/6.md", "notes/10.md", "notes/22.md"), allow_restricted=True),
    "glob and source": Where(paths=("*.txt", "notes/1?.md"), sources=("wiki",)),
    "category": Where(categories=("api", "guide")),
    "dates": Where(date_from="2024-03", date_to="2024-09"),
    "cleared": Where(confidentiality_allow=("public", "restricted"), allow_restricted=True),
    "headings": Where(headers=("Usage",)),
    "level": Where(conditions=(Condition("level", ">=", 3), Condition("category", "!=", "api"))),
    "either": Where(conditions=(Condition("level", "=", 1), Condition("ordinal", "<", 2)), logic="OR"),
    "like": Where(conditions=(Condition("path", "ILIKE", "%GUIDE/1__.MD"),)),
    "nothing": Where(tags=("none",)),
}


def context_of(store: Store, **options: Any) -> SearchContext:
    """The context of the tests' collection."""
    return SearchContext.of_collection(store, SCOPE, EMBEDDER, **options)


def some_text(chance: random.Random) -> str:
    """Words of which a few are frequent; now and then one of three sentences alone, so that there are many ties."""
    if chance.random() < 0.12:
        return chance.choice(SENTENCES)
    words = [WORDS[min(int(chance.expovariate(0.08)), len(WORDS) - 1)] for _ in range(chance.randint(4, 30))]
    return " ".join(words)


def some_revision(chance: random.Random, number: int, revision: int = 1) -> Revision:
    path = f"{['guide', 'notes', 'guide/deep'][number % 3]}/{number}.{['md', 'md', 'md', 'txt'][number % 4]}"
    texts = [some_text(chance) for _ in range(chance.randint(4, 14))]
    if number % 10 == 9:  # a copy under another name
        texts = [some_text(random.Random(number // 100)) for _ in range(9)]
    meta = {
        "tags": [tag for tag in ("red", "green", "blue") if chance.random() < 0.4],
        "category": chance.choice(["api", "guide", None]),
        "date": f"2024-{chance.randint(1, 12):02}-10",
        "confidentiality": chance.choice(["public", "internal", "Restricted", None]),
        "level": chance.choice([1, 2, 3.5, "4", None]),
    }
    more = {"heading_path": chance.choice([(), ("Usage",), ("Intro", "Usage")])}
    source = "wiki" if number % 5 == 0 else "docs"
    title = f"Title {number % 7}"
    return make_revision(
        path, texts, scope=SCOPE, source=source, revision=revision, meta=meta, chunks=more, title=title
    )


def history() -> Iterator[list[Revision] | str]:
    """What happens to the collection: batches of revisions, also empty ones, and ids of documents that go."""
    chance = random.Random(20)
    batch = []
    for number in range(DOCUMENTS):
        batch.append(some_revision(chance, number))
        if len(batch) == 40:
            yield batch
            batch = []
    yield batch
    state = dict.fromkeys(range(DOCUMENTS), 1)
    batch = []
    for edit in range(EDITS):
        number = chance.randrange(DOCUMENTS)
        if chance.random() < 0.15 and len(state) > DOCUMENTS - 60 and number in state:
            del state[number]
            yield batch
            batch = []
            yield some_revision(random.Random(0), number).document.id
        else:
            state[number] = state.get(number, 0) + 1 if number in state else 1
            batch.append(some_revision(chance, number, state[number]))
        if edit < SINGLY or len(batch) == TOGETHER:
            yield batch
            batch = []
    yield batch


async def embedded_all(writer: Writer) -> None:
    while wanted := await writer.find_unembedded(500):
        vectors = await EMBEDDER.embed([chunk.text for chunk in wanted])
        await writer.put({chunk.vector_key: row for chunk, row in zip(wanted, vectors, strict=True)})


async def build(url: str) -> None:
    """Live through the history; a second collection beside it, to be in the way."""
    store = open_store(url)
    try:
        for scope in (SCOPE, BESIDE):
            await store.admin.create(scope, model=EMBEDDER.model, variant=EMBEDDER.variant, dimension=64)
        async with store.writer(BESIDE) as writer:
            await writer.replace([make_revision(f"{n}.md", SENTENCES, scope=BESIDE) for n in range(5)])
            await embedded_all(writer)
        async with store.writer(SCOPE) as writer:
            for number, step in enumerate(history()):
                await (writer.remove([step]) if isinstance(step, str) else writer.replace(step))
                if number % 200 == 100:
                    await embedded_all(writer)
                    await fill_sparse(store, SCOPE, at_once=300, settle=False)
                    await writer.settle()
            await embedded_all(writer)
        await fill_sparse(store, SCOPE, at_once=300)
    finally:
        await store.close()


@contextmanager
def in_postgres() -> Iterator[str]:
    """The URL of a fresh database, for a role that owns nothing; without its approximate index."""
    server = shared()
    with server.database() as name:
        yield server.url(name, exact="true")


@contextmanager
def in_qdrant() -> Iterator[str]:
    """The URL of an exact Qdrant store: its engine behind a gRPC server, an embedded ledger beside it."""
    with TemporaryDirectory() as folder:
        engine = Engine(Path(folder) / "engine")
        with recording(recorder=Recorder(inner=engine)) as server:
            yield server.url(Path(folder) / "ledger", "&exact=true")
        engine.close()


OTHERS: Mapping[str, Callable[[], AbstractContextManager[str]]] = {"postgresql": in_postgres, "qdrant": in_qdrant}


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> str:
    url = f"embedded:{tmp_path_factory.mktemp('congruence') / 'store'}"
    asyncio.run(build(url))
    return url


@pytest.fixture(scope="module", params=list(OTHERS))
def other(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of another store that lived through the same."""
    with ExitStack() as stack:
        url = stack.enter_context(OTHERS[request.param]())
        asyncio.run(build(url))
        yield url


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def both(embedded: str, other: str) -> Any:
    """Two open stores. Opened for each test, the embedded one would read its index a hundred times."""
    stores = [open_store(embedded), open_store(other)]
    yield stores
    for store in stores:
        await store.close()


def questions() -> list[str]:
    chance = random.Random(21)
    return [*SENTENCES, "E42", "titl 3 usage", *(" ".join(chance.sample(WORDS[:40], 4)) for _ in range(3))]


def told(hits: Sequence[Hit]) -> list[tuple[Any, ...]]:
    return [(hit.chunk.id, hit.score, dict(hit.signals), hit.chunk.text, hit.duplicates) for hit in hits]


async def test_the_corpus_is_as_large_and_as_edited_as_it_should_be(both: list[Store]) -> None:
    infos = []
    for store in both:
        async with store.reader(SCOPE) as reader:
            infos.append(await reader.info())
        assert await store.admin.check(SCOPE) == []
    assert infos[0].chunks >= FEWEST
    for name in ("documents", "chunks", "pending_vectors", "state", "recipes", "dimension", "model", "variant"):
        assert getattr(infos[0], name) == getattr(infos[1], name), name


@pytest.mark.parametrize(
    ("name", "mode"), [*((name, "hybrid") for name in FILTERS), ("none", "keyword"), ("none", "semantic")]
)
async def test_a_question_finds_the_same_in_the_same_order(both: list[Store], name: str, mode: Any) -> None:
    found_any = False
    for text in questions() if name in ("none", "everything") else questions()[::2]:
        question = Question(text, mode=mode, where=FILTERS[name], fold=False)
        first, second = [await search(context_of(store, deadlines=PATIENT), question) for store in both]
        assert told(first.hits) == told(second.hits), text
        assert first.notes == second.notes
        found_any = found_any or bool(first.hits)
    assert found_any == (name != "nothing")


@pytest.mark.parametrize("name", FILTERS)
async def test_each_leg_nominates_the_same_with_the_same_scores(both: list[Store], name: str) -> None:
    where = FILTERS[name]
    for number, text in enumerate(questions()):
        vector = (await EMBEDDER.embed([text]))[0]
        most = (1, 10, 60)[number % 3]
        legs = []
        for store in both:
            async with store.reader(SCOPE) as reader:
                near = await reader.nearest(vector, where=where, limit=most)
                words = [await reader.matching(text, where=where, limit=limit) for limit in (1, 10, 60, 10_000)]
                ids = [candidate.id for candidate in (*near, *words[-2])]
                legs.append((near, words, await reader.rate(ids, vector=vector, query=text), await reader.idf(text)))
        assert legs[0] == legs[1], text


@pytest.mark.parametrize("name", FILTERS)
async def test_sparse_vectors_give_the_same_candidates_with_the_same_scores(both: list[Store], name: str) -> None:
    found_any = False
    for number, text in enumerate(questions()):
        for limit in (1, 10, 60, 10_000)[number % 2 :: 2]:
            first, second = [
                await search_sparse(store, text, SCOPE, where=FILTERS[name], limit=limit) for store in both
            ]
            assert first == second, text
            found_any = found_any or bool(first)
    assert found_any == (name != "nothing")


async def test_rankings_of_the_same_questions_fold_and_fuse_the_same(both: list[Store]) -> None:
    for text in questions():
        for fusion in ("minmax", "rrf"):
            question = Question(text, fusion=fusion, top_k=25, per_document=3)
            first, second = [await search(context_of(store, deadlines=PATIENT), question) for store in both]
            assert told(first.hits) == told(second.hits), text


async def test_feedback_orders_the_same(both: list[Store]) -> None:
    """It is on by default; here with a weight that shows."""
    changed = 0
    for text in questions():
        question = Question(text, feedback=3.0, fold=False)
        first, second = [await search(context_of(store, deadlines=PATIENT), question) for store in both]
        assert told(first.hits) == told(second.hits), text
        plain = await search(context_of(both[0], deadlines=PATIENT), replace(question, feedback=0.0))
        changed += told(plain.hits) != told(first.hits)
    assert changed >= 3


async def test_everything_is_found_again_by_its_place(both: list[Store]) -> None:
    for number in range(0, DOCUMENTS, 40):
        document = some_revision(random.Random(0), number).document
        for ordinal in (0, 3, 13):
            first, second = [await _at(store, document.path, ordinal) for store in both]
            assert first == second


async def _at(store: Store, path: str, ordinal: int) -> Any:
    async with store.reader(SCOPE) as reader:
        chunk = await reader.at(path, ordinal)
        return None if chunk is None else (chunk, await reader.records([chunk.document]))


@pytest.mark.parametrize(
    "options", [{"hyde": "multi"}, {"multi_query": 2}, {"filter": True, "hyde": "standard"}], ids=str
)
async def test_a_models_help_brings_the_same_everywhere(both: list[Store], options: dict[str, Any]) -> None:
    def says(prompt: Prompt) -> str:
        return "[0.1, 1, 1, 0, 1]" if prompt.schema else f"{SENTENCES[0]} {WORDS[3]}\n{WORDS[5]} {WORDS[7]}"

    asked = Question(f"{WORDS[1]} {WORDS[2]}", top_k=5, **options)
    found = [await search(context_of(store, deadlines=PATIENT, model=lambda: Scripted(says)), asked) for store in both]
    assert told(found[0].hits) == told(found[1].hits)
    assert found[0].steps == found[1].steps
    assert len(found[0].hits) == (3 if "filter" in options else 5)


async def test_a_question_that_asks_the_same_is_served_on_every_store(both: list[Store]) -> None:
    for store in both[1:]:  # the embedded one stands there for both others, and keeps what it was asked
        context, text = context_of(store, deadlines=PATIENT), f"{WORDS[1]} {WORDS[2]}"
        first = await semantic_cache.search_with_cache(context, Question(text, cache=True))
        again = await semantic_cache.search_with_cache(context, Question(f"  {text.capitalize()}?", cache=True))
        assert told(again.hits) == told(first.hits)
        assert again.notes[0].message.startswith("cache hit")
        other = await semantic_cache.search_with_cache(context, Question(f"not {text}", cache=True, cache_cosine=0.85))
        assert other.notes == ()
