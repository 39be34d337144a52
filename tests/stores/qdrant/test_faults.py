"""Killed, cut off, refused: nothing is lost, nothing doubled, and the next run leaves all clean."""

import asyncio
import random
import socket
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import AsyncMock

import grpc
import pytest
from qdrant_client import models

from ragstone.core.errors import NotBuilt, RagstoneError, StoreError, UsageError
from ragstone.core.filters import Where
from ragstone.core.ports import Store
from ragstone.core.types import Scope
from ragstone.retrieval.question import Question
from ragstone.retrieval.search import search
from ragstone.retrieval.search_context import SearchContext
from ragstone.stores import fault_points, open_store, outage
from ragstone.stores.embedded import EmbeddedStore
from ragstone.stores.qdrant import QdrantStore, client, error_mapping, parse_qdrant_url
from ragstone.testing.bag_of_words import BagOfWords
from ragstone.testing.stores import (
    DIMENSION,
    SCOPE,
    create_collection,
    fill_vectors,
    make_revision,
    make_vector,
    read_texts,
    search_texts,
    write_revisions,
)
from tests import forked
from tests.patience import HANG, until_async
from tests.stores.qdrant.server import Fault, Recorder, serving
from tests.stores.qdrant.victim import step
from tests.stores.victim import PASSING, state

ROOT = Path(__file__).resolve().parents[3]
POINTS = [
    ("replace.staged", 1),
    ("replace.staged", 2),
    ("replace.staged", 5),
    ("replace.switched", 1),
    ("replace.switched", 2),
    ("replace.switched", 5),
    ("replace.activated", 1),
    ("replace.activated", 4),
    ("put.found", 1),
    ("put.found", 3),
    ("remove.switched", 1),
    ("drop.switched", 1),
]
ROUNDS = 4
UNAVAILABLE, LATE = grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED


@pytest.fixture
def server() -> Iterator[Recorder]:
    with serving() as made:
        yield made


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tries follow each other quickly, and give up soon."""
    monkeypatch.setattr(client, "RETRY_PAUSES", (0.001,))
    monkeypatch.setattr(client, "PATIENCE", 0.05)
    monkeypatch.setattr(client, "QUESTION_PATIENCE", 0.02)


async def number_seen(store: Store) -> int:
    """At which number the documents stand; fails unless both stand there whole, in both retrievers."""
    async with store.reader(SCOPE) as reader:
        found = await reader.matching("alpha", where=Where(), limit=99)
        chunks = await reader.chunks([candidate.id for candidate in found])
        numbers = {int(chunk.text.split()[1]) for chunk in chunks}
        assert len(numbers) <= 1, f"a mixture of revisions: {numbers}"
        number = numbers.pop() if numbers else 0
        wanted = {chunk.id for revision in state(number) for chunk in revision.chunks} if number else set()
        assert {chunk.id for chunk in chunks} == wanted
        near = await reader.nearest(make_vector("q"), where=Where(sources=("docs",)), limit=99)
        assert {candidate.id for candidate in near} - wanted <= {c.id for c in make_revision("x.md", []).chunks}
        assert len({candidate.id for candidate in near}) == len(near)
        return number


async def proven(url: str, committed: int) -> None:
    """After a death: what was committed is seen, and the next run completes it and leaves nothing."""
    store = open_store(url)
    await create_collection(store)
    number = await number_seen(store)
    assert committed <= number <= committed + 1
    await step(store, number + 2 - number % 2)  # an even one, which settles
    assert await number_seen(store) == number + 2 - number % 2
    assert await store.admin.check(SCOPE) == []
    async with store.reader(SCOPE) as reader:
        assert (await reader.info()).pending_vectors == 0
        near = await reader.nearest(make_vector("q"), where=Where(), limit=99)
        assert len(near) == (await reader.info()).chunks
    await store.admin.drop(PASSING)
    await write_revisions(store, make_revision("y.md", ["alpha"], scope=PASSING), scope=PASSING)
    assert await search_texts(store, "alpha", PASSING) == ["alpha"]
    assert await store.admin.check(PASSING) == []
    await store.close()


def victim(url: str, *fault: str) -> forked.Forked:
    return forked.start("tests.stores.qdrant.victim", url, *fault)


@pytest.mark.parametrize(("point", "nth"), POINTS)
def test_killed_between_two_steps(server: Recorder, tmp_path: Path, point: str, nth: int) -> None:
    url = server.url(tmp_path / "ledger")
    child = victim(url, point, str(nth))
    out, _ = child.communicate(timeout=HANG)
    assert child.returncode == -9
    asyncio.run(proven(url, max((int(line) for line in out.splitlines()), default=0)))


@pytest.mark.parametrize("round_", range(ROUNDS))
def test_killed_at_random(server: Recorder, tmp_path: Path, round_: int) -> None:
    url = server.url(tmp_path / "ledger")
    child = victim(url)
    first = int(child.stdout.readline())
    time.sleep(random.Random(round_).uniform(0.05, 0.8))
    child.kill()
    rest, _ = child.communicate()
    numbers = [int(line) for line in rest.splitlines(keepends=True) if line.endswith("\n")]
    asyncio.run(proven(url, max([first, *numbers])))


def test_without_a_hook_a_fault_point_does_nothing() -> None:
    assert fault_points.hook is None
    fault_points.reach_point("replace.staged")


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("seed", range(4))
async def test_passing_failures_are_not_noticed(
    server: Recorder, tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "PATIENCE", HANG)
    monkeypatch.setattr(client, "QUESTION_PATIENCE", HANG)
    chance = random.Random(seed)
    codes = [UNAVAILABLE, LATE, grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.ABORTED]

    def fault(method: str) -> Fault | None:
        return (chance.choice(codes), chance.random() < 0.5) if chance.random() < 0.3 else None

    server.fault = fault
    store = open_store(server.url(tmp_path / "ledger"))
    await create_collection(store)
    for number in range(1, 9):
        await step(store, number)
        assert await number_seen(store) == number
    server.fault = lambda method: None
    assert await store.admin.check(SCOPE) == []
    async with store.reader(SCOPE) as reader:
        assert (await reader.info()).pending_vectors == 0
    await store.close()


def from_call(nth: int, done: bool) -> Callable[[str], Fault | None]:
    """The server fails from its nth call on."""
    seen = 0

    def fault(method: str) -> Fault | None:
        nonlocal seen
        seen += 1
        return (UNAVAILABLE, done and seen == nth) if seen >= nth else None

    return fault


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
async def test_the_line_is_cut_at_each_call_of_a_run(server: Recorder, tmp_path: Path, done: bool) -> None:
    store = open_store(server.url(tmp_path / "ledger"))
    await create_collection(store)
    await step(store, 1)
    number, refused = 1, list[str]()
    for nth in range(1, 60):
        server.fault = from_call(nth, done)
        try:
            await step(store, number + 1)
        except StoreError as error:
            refused.append(str(error))
        else:
            break
        finally:
            server.fault = lambda method: None
        await asyncio.sleep(0.03)  # past the haste of questions
        seen = await number_seen(store)
        assert number <= seen <= number + 1
        await step(store, seen + 2 - seen % 2)
        number = seen + 2 - seen % 2
        assert await number_seen(store) == number
        assert await store.admin.check(SCOPE) == []
    assert len(refused) > 10
    assert all("does not answer" in said for said in refused)
    await store.close()


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("operations", [1, 2, 3])
async def test_a_batch_that_is_carried_out_in_part_is_completed(
    server: Recorder, tmp_path: Path, operations: int
) -> None:
    store = open_store(server.url(tmp_path / "ledger"))
    await create_collection(store)
    await step(store, 1)
    server.cut = operations
    with pytest.raises(StoreError):
        await step(store, 2)
    server.cut = None
    assert await number_seen(store) == 2
    async with store.writer(SCOPE) as writer:
        await fill_vectors(writer)
        await writer.settle()
    assert await store.admin.check(SCOPE) == []
    assert await number_seen(store) == 2
    await store.close()


@pytest.mark.usefixtures("hurried")
async def test_a_server_that_does_not_answer_is_named_after_some_tries(tmp_path: Path) -> None:
    store = open_store(f"qdrant://127.0.0.1:1?ledger=embedded:{tmp_path / 'ledger'}&api_key=s3cret")
    with pytest.raises(StoreError, match=r"qdrant://127\.0\.0\.1:1.* does not answer .*is the server running"):
        await create_collection(store)
    await store.close()


async def test_a_question_waits_for_a_lost_server_once_until_it_is_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every other one waited five seconds: what was known of an outage was forgotten as quickly."""
    monkeypatch.setattr(client, "RETRY_PAUSES", (0.001,))
    monkeypatch.setattr(client, "QUESTION_PATIENCE", 0.0)
    monkeypatch.setattr(outage, "PROBE_PAUSE", 0.001)
    tries = list[bool]()

    async def work(_: object) -> None:
        tries.append(is_there)
        if not is_there:
            raise grpc.aio.AioRpcError(UNAVAILABLE, grpc.aio.Metadata(), grpc.aio.Metadata(), "connection refused")

    is_there = True
    with socket.create_server(("127.0.0.1", 0)) as door:
        port = door.getsockname()[1]
    connection = client.QdrantConnection(parse_qdrant_url(f"qdrant://127.0.0.1:{port}"), lambda _: AsyncMock())
    await connection.call(work, hasty=True)
    is_there = False
    with pytest.raises(StoreError, match="does not answer"):
        await connection.call(work, hasty=True)
    await until_async(lambda: _is_known(connection))
    tries.clear()
    for _ in range(3):
        with pytest.raises(StoreError, match=r"does not answer .*is the server running"):
            await connection.call(work, hasty=True)
    assert tries == []
    is_there = True
    with socket.create_server(("127.0.0.1", port)):
        await until_async(lambda: _is_known(connection, known=False))
        await connection.call(work, hasty=True)
    await connection.close()


async def _is_known(connection: client.QdrantConnection, *, known: bool = True) -> bool:
    return connection._outage.is_known is known


@pytest.mark.usefixtures("hurried")
async def test_words_are_searched_while_the_server_is_away(server: Recorder, tmp_path: Path) -> None:
    embedder = BagOfWords(DIMENSION)
    store = open_store(server.url(tmp_path / "ledger"))
    await store.admin.create(SCOPE, model=embedder.model, variant=embedder.variant, dimension=DIMENSION)
    async with store.writer(SCOPE) as writer:
        await writer.replace([make_revision("a.md", ["apple pie", "pear"])])
    server.fault = lambda method: (UNAVAILABLE, False)
    found = await search(SearchContext.of_collection(store, SCOPE, embedder), Question("apple"))
    assert [hit.chunk.text for hit in found.hits] == ["apple pie"]
    assert "cosine_failed" in [note.code for note in found.notes]
    assert "does not answer" in " ".join(note.message for note in found.notes)
    with pytest.raises(StoreError, match="does not answer"):
        await search(SearchContext.of_collection(store, SCOPE, embedder), Question("apple", mode="semantic"))
    await store.close()


@pytest.mark.parametrize("given", ["", "&api_key=wrong"])
async def test_a_wrong_key_is_the_callers_mistake_and_never_shown(server: Recorder, tmp_path: Path, given: str) -> None:
    server.api_key = "right"
    store = open_store(server.url(tmp_path / "ledger", given))
    with pytest.raises(UsageError, match="API key is missing, wrong") as caught:
        await create_collection(store)
    assert "wrong;" not in str(caught.value)
    assert "api_key=wrong" not in str(caught.value)
    await store.close()


async def test_an_existing_collection_of_another_dimension_is_refused(server: Recorder, tmp_path: Path) -> None:
    server.inner.create_collection(
        "mine",
        vectors_config={"dense": models.VectorParams(size=DIMENSION + 1, distance=models.Distance.COSINE)},
        sparse_vectors_config={"sparse": models.SparseVectorParams(modifier=models.Modifier.IDF)},
    )
    server.inner.create_collection(
        "other", vectors_config=models.VectorParams(size=DIMENSION, distance=models.Distance.COSINE)
    )
    for name, said in (("mine", r"'mine' in Qdrant holds vectors of 9 dimensions"), ("other", "lacks the vectors")):
        store = open_store(server.url(tmp_path / name, f"&collection={name}"))
        with pytest.raises(UsageError, match=said):
            await create_collection(store)
        await store.close()


async def test_what_the_server_lost_is_named_and_mended(server: Recorder, tmp_path: Path) -> None:
    store = open_store(server.url(tmp_path / "ledger"))
    await write_revisions(store, make_revision("a.md", ["apple", "pear"]), make_revision("b.md", ["apple"]))
    [name] = [one.name for one in server.inner.get_collections().collections]
    server.inner.delete(name, models.FilterSelector(filter=models.Filter(must=[])))
    [said] = await store.admin.check(SCOPE)
    assert "3 chunks have no point" in said
    assert "doctor --repair" in said
    assert await store.admin.check(SCOPE, repair=True) == []
    async with store.reader(SCOPE) as reader:
        assert (await reader.info()).pending_vectors == 3
    async with store.writer(SCOPE) as writer:
        assert await fill_vectors(writer) == 2
    async with store.reader(SCOPE) as reader:
        assert len(await reader.nearest(make_vector("apple"), where=Where(), limit=9)) == 3
    await store.close()


async def test_points_that_nobody_wrote_are_never_found_and_are_mended(server: Recorder, tmp_path: Path) -> None:
    store = open_store(server.url(tmp_path / "ledger"))
    await write_revisions(store, make_revision("a.md", ["apple"]))
    [name] = [one.name for one in server.inner.get_collections().collections]
    [record], _ = server.inner.scroll(name, with_payload=True, with_vectors=True)
    forged = "00000000-0000-0000-0000-000000000001"
    payload = {**(record.payload or {}), "chunk": forged}
    point = models.PointStruct(id=forged, vector={"dense": make_vector("x").tolist()}, payload=payload)
    server.inner.upsert(name, [point])
    [said] = await store.admin.check(SCOPE)
    assert "1 points" in said
    async with store.reader(SCOPE) as reader:
        near = await reader.nearest(make_vector("x"), where=Where(), limit=9)
        assert await read_texts(reader, near) == ["apple"]
    assert await store.admin.check(SCOPE, repair=True) == []
    await store.close()


async def test_a_copy_of_a_point_is_no_second_passage(server: Recorder, tmp_path: Path) -> None:
    store = open_store(server.url(tmp_path / "ledger"))
    await write_revisions(store, make_revision("a.md", ["apple"]))
    async with store.reader(SCOPE) as reader:  # the look that mends is behind it
        await reader.info()
    [name] = [one.name for one in server.inner.get_collections().collections]
    [record], _ = server.inner.scroll(name, with_payload=True, with_vectors=True)
    copy = models.PointStruct(id=str(uuid.UUID(int=7)), vector=record.vector, payload=record.payload)
    server.inner.upsert(name, [copy])
    async with store.reader(SCOPE) as reader:
        assert len(await reader.nearest(make_vector("apple"), where=Where(), limit=9)) == 1
    assert len(await store.admin.check(SCOPE)) == 1
    assert await store.admin.check(SCOPE, repair=True) == []
    await store.close()


async def test_a_vector_under_another_key_is_not_believed(server: Recorder, tmp_path: Path) -> None:
    store = open_store(server.url(tmp_path / "ledger"))
    await write_revisions(store, make_revision("a.md", ["apple", "pear"]))
    [name] = [one.name for one in server.inner.get_collections().collections]
    chunk = make_revision("a.md", ["apple", "pear"]).chunks[0]
    server.inner.set_payload(name, {"key": "another"}, [chunk.id])
    async with store.reader(SCOPE) as reader:
        near = await reader.nearest(make_vector("apple"), where=Where(), limit=9)
        assert await read_texts(reader, near) == ["pear"]
        assert "cosine" not in (await reader.rate([chunk.id], vector=make_vector("apple"), query=""))[chunk.id]
    assert len(await store.admin.check(SCOPE)) == 1
    assert await store.admin.check(SCOPE, repair=True) == []
    await store.close()


async def test_a_view_that_is_too_old_says_so(
    server: Recorder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(server.url(tmp_path / "ledger"))
    await write_revisions(store, make_revision("a.md", ["apple"]))
    monkeypatch.setattr("ragstone.stores.qdrant.reader.VIEW_LIFETIME", -1.0)
    async with store.reader(SCOPE) as reader:
        assert len(await reader.nearest(make_vector("apple"), where=Where(), limit=9)) == 1
        await write_revisions(store, make_revision("a.md", ["pear"], revision=2))
        with pytest.raises(StoreError, match="too old; ask again"):
            await reader.nearest(make_vector("apple"), where=Where(), limit=9)
    await store.close()


async def test_a_filtered_view_sees_what_a_later_revision_says_otherwise(server: Recorder, tmp_path: Path) -> None:
    store = open_store(server.url(tmp_path / "ledger"))
    await write_revisions(store, make_revision("a.md", ["apple"], meta={"tags": ["red"]}))
    red = Where(tags=("red",))
    async with store.reader(SCOPE) as reader:
        await write_revisions(store, make_revision("a.md", ["apple"], revision=2, meta={"tags": ["green"]}))
        assert len(await reader.nearest(make_vector("apple"), where=red, limit=9)) == 1
    async with store.reader(SCOPE) as reader:
        assert await reader.nearest(make_vector("apple"), where=red, limit=9) == []
    await store.close()


async def test_a_reader_sees_the_old_or_the_new_while_another_process_replaces(
    server: Recorder, tmp_path: Path
) -> None:
    """Both legs of a view give the same passages, those of one revision, however the switch falls."""
    sides = [[f"alpha {n} {i}" for i in range(4)] for n in range(2)]
    writing, reading = (open_store(server.url(tmp_path / "ledger")) for _ in range(2))
    for number in (1, 2):
        await write_revisions(writing, make_revision("a.md", sides[number % 2], revision=number))
    done, views = asyncio.Event(), [0, 0]

    async def write() -> None:
        async with writing.writer(SCOPE) as writer:
            number = 3
            while number < 40 or min(views) < 6:
                await writer.replace([make_revision("a.md", sides[number % 2], revision=number)])
                if number % 7 == 0:
                    await writer.settle()
                number += 1
        done.set()

    async def read(who: int) -> None:
        while not done.is_set():
            async with reading.reader(SCOPE) as reader:
                words = {candidate.id for candidate in await reader.matching("alpha", where=Where(), limit=9)}
                await asyncio.sleep(0.005 * (views[who] % 3))
                near = {candidate.id for candidate in await reader.nearest(make_vector("q"), where=Where(), limit=9)}
                assert near == words
                assert words in [{chunk.id for chunk in make_revision("a.md", side).chunks} for side in sides]
            views[who] += 1

    await asyncio.gather(write(), read(0), read(1))
    assert await reading.admin.check(SCOPE) == []
    await writing.close()
    await reading.close()


async def test_two_ingestions_of_one_collection_at_once(server: Recorder, tmp_path: Path) -> None:
    stores = [open_store(server.url(tmp_path / "ledger")) for _ in range(2)]
    await create_collection(stores[0])

    async def ingest(store: Store, source: str) -> None:
        for number in range(1, 12):
            async with store.writer(SCOPE) as writer:
                await writer.replace([make_revision("a.md", [f"{source} {number}"], source=source, revision=number)])
                await fill_vectors(writer)
                await writer.settle()

    await asyncio.gather(*(ingest(store, source) for store, source in zip(stores, ("ant", "zoo"), strict=True)))
    assert sorted(await search_texts(stores[0], "ant zoo")) == ["ant 11", "zoo 11"]
    async with stores[1].reader(SCOPE) as reader:
        assert len(await reader.nearest(make_vector("q"), where=Where(), limit=9)) == 2
    assert await stores[1].admin.check(SCOPE) == []
    for store in stores:
        await store.close()


async def test_vectors_are_lent_between_collections_of_a_tenant_only(server: Recorder, tmp_path: Path) -> None:
    store = open_store(server.url(tmp_path / "ledger"))
    mine, theirs = Scope(SCOPE.tenant, "second"), Scope("rival", "notes")
    await write_revisions(store, make_revision("a.md", ["apple"]))
    for scope, wanted in ((mine, 0), (theirs, 1)):
        await create_collection(store, scope)
        async with store.writer(scope) as writer:
            await writer.replace([make_revision("b.md", ["apple"], scope=scope)])
            assert len(await writer.find_unembedded(9)) == wanted
    await store.close()


async def test_retired_points_hold_no_text_and_go_when_no_view_can_want_them(
    server: Recorder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(server.url(tmp_path / "ledger"))
    await write_revisions(store, make_revision("a.md", ["apple secret"], meta={"tags": ["hidden"]}))
    await write_revisions(store, make_revision("a.md", ["pear"], revision=2))
    [name] = [one.name for one in server.inner.get_collections().collections]
    records, _ = server.inner.scroll(name, with_payload=True, with_vectors=True)
    assert len(records) == 2
    [old] = [record for record in records if (record.payload or {})["state"] == "retired"]
    assert "secret" not in str(old.payload)
    assert "hidden" not in str(old.payload)
    assert list(old.vector) == ["dense"] if isinstance(old.vector, dict) else False
    async with store.writer(SCOPE) as writer:
        await writer.settle()
        assert server.inner.count(name).count == 2
        monkeypatch.setattr("ragstone.stores.qdrant.reconciliation.VIEW_LIFETIME", -1.0)
        await writer.settle()
        assert server.inner.count(name).count == 1
        await writer.remove([make_revision("a.md", []).document.id])
        assert server.inner.count(name).count == 0
    await store.close()


async def test_vectors_of_revisions_that_are_kept_stay(
    server: Recorder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    states = [make_revision("a.md", [f"state {n}"], revision=n) for n in (1, 2, 3)]

    monkeypatch.setattr("ragstone.stores.qdrant.reconciliation.VIEW_LIFETIME", -1.0)
    ledger = EmbeddedStore(tmp_path / "ledger", keep_versions=2)
    store = QdrantStore(parse_qdrant_url(server.url(tmp_path)), ledger)
    for one in states:
        await write_revisions(store, one)
    async with store.writer(SCOPE) as writer:
        await writer.settle()
        [name] = [one.name for one in server.inner.get_collections().collections]
        assert server.inner.count(name).count == 2
        await writer.replace([make_revision("a.md", ["state 2"], revision=4)])
        assert await writer.find_unembedded(9) == []
    assert [document.revision for document in await store.ledger(SCOPE).list_all_revisions()] == [3, 4]
    await store.close()


async def test_nothing_is_made_by_asking(server: Recorder, tmp_path: Path) -> None:
    store = open_store(server.url(tmp_path / "ledger"))
    with pytest.raises(NotBuilt):
        await search_texts(store, "apple")
    assert [call.method.rpartition("/")[2] for call in server.calls] == ["HealthCheck"]  # is it there at all?
    await store.close()


LASTING = [code for code in grpc.StatusCode if code is not grpc.StatusCode.OK and code not in error_mapping.TRANSIENT]


@pytest.mark.parametrize("code", LASTING, ids=lambda code: code.name)
async def test_every_error_is_ours(server: Recorder, tmp_path: Path, code: grpc.StatusCode) -> None:
    server.fault = lambda method: (code, False)
    store = open_store(server.url(tmp_path / "ledger"))
    with pytest.raises(RagstoneError, match=r"qdrant://127\.0\.0\.1"):
        await create_collection(store)
    await store.close()
