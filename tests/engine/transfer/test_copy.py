"""A copy is the same on every store, goes on where it stopped, and says what differs."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from ragstone.core.answers import Event
from ragstone.core.errors import Busy, Corrupt, UsageError
from ragstone.core.ports import StoredRevision, Vectors, Writer
from ragstone.core.records import Run
from ragstone.core.types import Document, Revision, Scope
from ragstone.engine.transfer import ALL_VERSIONS, Changes, CopyRoute, copy_collection, is_same_store, pages
from ragstone.stores import open_store
from ragstone.stores.embedded import EmbeddedStore
from ragstone.testing.stores import as_exporter
from tests import forked
from tests.engine.transfer.made import (
    BESIDE,
    EMBEDDER,
    SCOPE,
    both,
    build,
    carried,
    embedded_all,
    everything,
    some_revision,
    told,
)
from tests.stores.postgres.server import shared
from tests.stores.qdrant.engine import Engine
from tests.stores.qdrant.server import Recorder
from tests.stores.qdrant.server import serving as recording

ROOT = Path(__file__).parents[3]


@contextmanager
def in_folder() -> Iterator[str]:
    with TemporaryDirectory() as folder:
        yield f"embedded:{folder}/store"


@contextmanager
def in_postgres() -> Iterator[str]:
    server = shared()
    with server.database() as name:
        yield server.url(name)


@contextmanager
def in_qdrant() -> Iterator[str]:
    """Qdrant's engine behind a gRPC server, an embedded ledger beside it."""
    with TemporaryDirectory() as folder:
        engine = Engine(Path(folder) / "engine")
        with recording(recorder=Recorder(inner=engine)) as server:
            yield server.url(Path(folder) / "ledger")
        engine.close()


STORES: Mapping[str, Callable[[], AbstractContextManager[str]]] = {
    "embedded": in_folder,
    "postgresql": in_postgres,
    "qdrant": in_qdrant,
}


@pytest.fixture
async def source(tmp_path: Path) -> str:
    url = f"embedded:{tmp_path / 'source'}"
    await build(url)
    return url


@pytest.fixture(params=list(STORES))
def between(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of an empty store of each kind."""
    with STORES[request.param]() as url:
        yield url


async def test_everything_arrives_and_comes_back_the_same(source: str, between: str, tmp_path: Path) -> None:
    home = f"embedded:{tmp_path / 'home'}"
    for here, there in ((source, between), (between, home)):
        for scope, done in zip((SCOPE, BESIDE), await carried(here, there), strict=True):
            assert (done.differing, done.first, done.found) == (0, (), 0)
            assert done.source == done.target
            assert done.notes == ()
            assert done.written == done.source.counts["revisions"]
            assert await told(here, scope) == await told(there, scope)
    for scope in (SCOPE, BESIDE):
        kept, found, runs = await told(home, scope)
        assert {one.status for one, _ in kept} == {"active", "kept", "pending"}
        assert len(found[0]) > 3
        assert [run.status for run in runs] == ["failed", "succeeded"]


async def test_vectors_of_older_revisions_come_along(source: str, tmp_path: Path) -> None:
    target = f"embedded:{tmp_path / 'target'}"
    await carried(source, target)
    async with both(source, target) as way, way.source.reader(SCOPE) as ours, way.target.reader(SCOPE) as theirs:
        kept = [whole for one, whole in await everything(way.source, SCOPE) if one.status == "kept"]
        keys = [chunk.vector_key for revision in kept for chunk in revision.chunks]
        wanted, found = await as_exporter(ours).vectors(keys), await as_exporter(theirs).vectors(keys)
    assert len(wanted) > 9
    assert {key: row.tobytes() for key, row in found.items()} == {key: row.tobytes() for key, row in wanted.items()}


async def test_the_file_of_the_json_store_takes_all_but_vectors_and_says_so(source: str, tmp_path: Path) -> None:
    target = f"json:{tmp_path / 'file.json'}"
    [done, _] = await carried(source, target)
    had = done.source.counts["vectors"]
    assert done.notes == (f"{had} vectors were left behind: a store of kind 'json' keeps none",)
    assert (done.differing, done.target.counts) == (0, {**done.source.counts, "vectors": 0})
    again = f"embedded:{tmp_path / 'again'}"
    [back, _] = await carried(target, again)
    assert back.target.checksums == {**done.source.checksums, "vectors": done.target.checksums["vectors"]}


async def test_what_is_there_already_is_not_written_again(source: str, tmp_path: Path) -> None:
    target = f"embedded:{tmp_path / 'target'}"
    [first, _] = await carried(source, target)
    store = open_store(source)
    async with store.writer(SCOPE) as writer:
        await writer.replace([some_revision(99)])
    await store.close()
    [second, _] = await carried(source, target)
    assert (second.written, second.found, second.differing) == (1, first.written, 0)


POINTS = [
    ("commit.before", 1),
    ("commit.before", 12),
    ("append.synced", 3),
    ("seal.renamed", 1),
]


@pytest.mark.parametrize(("point", "nth"), POINTS)
async def test_killed_at_a_fault_point_it_goes_on_from_there(source: str, tmp_path: Path, point: str, nth: int) -> None:
    target = f"embedded:{tmp_path / 'target'}"
    await interrupted(source, target, point, nth)


async def test_killed_in_between_it_goes_on_from_there_on_every_store(source: str, between: str) -> None:
    await interrupted(source, between, "told", 5)


async def interrupted(source: str, target: str, point: str, nth: int) -> None:
    """A copy is killed, and completed by the next one, which writes only what was not there."""
    assert await asyncio.to_thread(forked.run, "tests.engine.transfer.victim", source, target, point, nth) == -9
    there = await standing(target)
    done = await carried(source, target)
    assert [one.found for one in done] == [there[scope] for scope in (SCOPE, BESIDE)]
    assert [one.differing for one in done] == [0, 0]
    assert all(one.written + one.found == one.source.counts["revisions"] for one in done)
    for scope in (SCOPE, BESIDE):
        assert await told(source, scope) == await told(target, scope)


async def standing(url: str) -> dict[Scope, int]:
    """How many revisions are there."""
    store = open_store(url, keep_versions=ALL_VERSIONS)
    found = {}
    for scope in (SCOPE, BESIDE):
        built = await store.admin.exists(scope)
        found[scope] = len(await store.ledger(scope).list_all_revisions()) if built else 0
    await store.close()
    return found


async def test_the_fewest_versions_that_a_user_keeps_do_not_prune_a_copy(source: str, tmp_path: Path) -> None:
    target = f"embedded:{tmp_path / 'target'}"
    await carried(source, target)
    store = open_store(target, keep_versions=1)
    async with store.writer(SCOPE) as writer:
        await writer.replace([some_revision(1, 3)])
        await writer.settle()
    kept = [(d.meta["number"], d.revision) for d in await store.ledger(SCOPE).list_all_revisions()]
    await store.close()
    assert sorted(number for n, number in kept if n == 0) == [1, 2, 5, 9]
    assert sorted(number for n, number in kept if n == 1) == [3]


# Brought up to date


async def gone_on(url: str) -> None:
    """What becomes of a source while its copy stands: a new document, changed ones of which older revisions go, one
    that is given back its earlier text, two that are gone."""
    store = open_store(url, keep_versions=1)
    async with store.writer(SCOPE) as writer:
        await writer.replace([some_revision(99), *(some_revision(n, 11) for n in (0, 1, 2, 5, 7))])
        await writer.remove([some_revision(n).document.id for n in (3, 10)])
        await embedded_all(writer)
    await store.close()


async def test_a_copy_is_brought_up_to_date(source: str, between: str) -> None:
    await carried(source, between, SCOPE)
    await gone_on(source)
    [done] = await carried(source, between, SCOPE)
    assert (done.differing, done.first, done.source) == (0, (), done.target)
    assert done.documents == Changes(new=1, changed=5, gone=2, same=33)
    assert done.written == 6
    assert await told(source, SCOPE) == await told(between, SCOPE)
    [again] = await carried(source, between, SCOPE)
    assert (again.written, again.documents) == (0, Changes(same=39))


@pytest.mark.parametrize(("point", "nth"), [("told", 2), ("commit.after", 3), ("commit.after", 9)])
async def test_killed_while_it_is_brought_up_to_date_it_lacks_no_document_and_goes_on(
    source: str, tmp_path: Path, point: str, nth: int
) -> None:
    target = f"embedded:{tmp_path / 'target'}"
    await carried(source, target)
    before = await paths_in(target)
    await gone_on(source)
    assert await asyncio.to_thread(forked.run, "tests.engine.transfer.victim", source, target, point, nth) == -9
    assert await paths_in(target) >= before & await paths_in(source)
    [done, _] = await carried(source, target)
    assert done.differing == 0
    assert await told(source, SCOPE) == await told(target, SCOPE)


async def paths_in(url: str) -> set[str]:
    """The paths of documents that questions can find."""
    store = open_store(url, keep_versions=ALL_VERSIONS)
    found = {one.document.path for one, _ in await everything(store, SCOPE) if one.status == "active"}
    await store.close()
    return found


async def test_two_that_bring_it_up_to_date_at_once_leave_it_whole(source: str, tmp_path: Path) -> None:
    target = f"embedded:{tmp_path / 'target'}"
    await carried(source, target)
    await gone_on(source)
    done = await asyncio.gather(*(carried(source, target, SCOPE) for _ in range(2)), return_exceptions=True)
    assert [one for one in done if isinstance(one, BaseException) and not isinstance(one, Busy)] == []
    assert [each.differing for one in done if isinstance(one, list) for each in one] in ([0], [0, 0])
    assert await told(source, SCOPE) == await told(target, SCOPE)


async def test_a_copy_that_was_ingested_into_is_left_as_it_is(source: str, tmp_path: Path) -> None:
    target = f"embedded:{tmp_path / 'target'}"
    await carried(source, target)
    store = open_store(target)
    await store.ledger(SCOPE).finish(Run("own", "mail", "succeeded", "2026-02-03T00:00:00"))
    async with store.writer(SCOPE) as writer:
        await writer.replace([some_revision(1000)])
    await store.close()
    await refused(source, target, r"1000\.md.*the target was ingested into separately \(source 'mail', 2026-02-03\)")


async def test_more_documents_than_a_run_may_remove_are_not_removed_unasked(source: str, tmp_path: Path) -> None:
    target = f"embedded:{tmp_path / 'target'}"
    await carried(source, target)
    store = open_store(source)
    async with store.writer(SCOPE) as writer:
        await writer.remove([some_revision(n).document.id for n in range(25)])
    await store.close()
    async with both(source, target) as way:
        with pytest.raises(UsageError, match=r"no longer has 25 of the 40 documents.*nothing was.*--allow-removals"):
            await copy_collection(way, SCOPE, removals=0.5)
        assert (await copy_collection(way, SCOPE)).documents == Changes(gone=25, same=15)


async def test_the_pin_of_a_tenant_comes_along_and_keeps_another_model_out(source: str, tmp_path: Path) -> None:
    target, other = f"embedded:{tmp_path / 'target'}", f"embedded:{tmp_path / 'other'}"
    store = open_store(source)
    await store.admin.pin(SCOPE.tenant, model=EMBEDDER.model, dimension=64)
    await store.close()
    await carried(source, target)
    for url, held in ((target, 1), (other, 0)):
        store = open_store(url)
        pins = [(one.model, one.dimension) for one in await store.admin.tenants(SCOPE.tenant)] if held else []
        assert pins == [("bag-of-words", 64)] * held
        await store.close()
    store = open_store(other)
    await store.admin.create(Scope(SCOPE.tenant, "theirs"), model="other", variant="x", dimension=8)
    await store.admin.pin(SCOPE.tenant, model="other", dimension=8)
    await store.close()
    await refused(source, other, r"pinned to vectors of other \(8\)")


# One store, however it is spelled


async def is_same(one: str, other: str) -> bool:
    async with both(one, other) as way:
        return await is_same_store(way.source, way.target)


async def test_a_store_is_known_through_every_spelling(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path / "source")
    for spelled in ("source", "./source/", "embedded:link", f"embedded:{tmp_path}/x/../source", str(tmp_path / "link")):
        (tmp_path / "x").mkdir(exist_ok=True)
        assert await is_same(source, spelled), spelled
    await carried(source, "json:one.json")
    assert await is_same("json:one.json", f"json:{tmp_path / 'one.json'}")
    await carried(source, "embedded:other")
    assert not await is_same(source, "embedded:other")
    assert not await is_same(source, "embedded:nowhere")
    assert not await is_same("embedded:nowhere", "embedded:nowhere")
    assert await is_same(source, "qdrant://127.0.0.1:1?ledger=embedded:link")


def test_a_database_is_known_through_every_spelling() -> None:
    server = shared()
    with server.database() as name, server.database() as other:
        plain = server.url(name)
        for spelled in (
            plain.replace("postgresql:", "postgres:", 1),
            plain.replace("127.0.0.1", "localhost"),
            f"{plain}?application_name=x",
            server.owner(name),
        ):
            assert asyncio.run(is_same(plain, spelled)), spelled
        assert not asyncio.run(is_same(plain, server.url(other)))


# What is refused


async def refused(source: str, target: str, said: str) -> None:
    before = await standing(target)
    with pytest.raises(UsageError, match=said):
        await carried(source, target, SCOPE)
    assert await standing(target) == before


async def written(target: str, *revisions: Revision, model: str = "bag-of-words", dimension: int = 64) -> None:
    store = open_store(target)
    await store.admin.create(SCOPE, model=model, variant="crc32", dimension=dimension)
    async with store.writer(SCOPE) as writer:
        await writer.replace(revisions)
    await store.close()


async def test_a_target_with_other_documents_is_left_as_it_is(source: str, tmp_path: Path) -> None:
    target = f"embedded:{tmp_path / 'target'}"
    await written(target, some_revision(1000))
    await refused(source, target, "already holds revision 1 of 'a/1000.md'.*does not have.*nothing was changed.*empty")


async def test_a_target_with_a_document_cut_another_way_is_left_as_it_is(source: str, tmp_path: Path) -> None:
    target = f"embedded:{tmp_path / 'target'}"
    await written(target, some_revision(1, 1, Scope("acme", "manuals")), some_revision(7, 2))
    await refused(source, target, "already holds revision 2 of 'b/c/7.md'")


async def test_a_target_with_another_text_in_one_revision_is_left_as_it_is(source: str, tmp_path: Path) -> None:
    target = f"embedded:{tmp_path / 'target'}"
    same = some_revision(1)
    other = Revision(replace(same.document, version="0" * 64), (), "other")
    await written(target, other)
    await refused(source, target, "which differs in the source")


async def test_a_later_revision_without_the_one_before_is_refused(source: str, tmp_path: Path) -> None:
    target = f"embedded:{tmp_path / 'target'}"
    await written(target, some_revision(5, 2))
    await refused(source, target, "revision 2 of 'b/c/5.md'.*but not the one before it")


async def test_a_target_of_another_model_is_left_as_it_is(source: str, tmp_path: Path) -> None:
    target = f"embedded:{tmp_path / 'target'}"
    await written(target, model="other", dimension=8)
    await refused(source, target, r"holds vectors of other crc32 \(8\), the source's are of bag-of-words crc32 \(64\)")


async def test_two_copies_at_once_are_refused(source: str, tmp_path: Path) -> None:
    async with both(source, f"embedded:{tmp_path / 'target'}") as way:
        await way.target.admin.create(SCOPE, model="bag-of-words", variant="crc32", dimension=64)
        ledger = way.target.ledger(SCOPE)
        await ledger.start(Run("other", "copy", "running", "2026-01-01T00:00:00"))
        with pytest.raises(Busy):
            await copy_collection(way, SCOPE)
        assert await ledger.list_all_revisions() == []


async def test_a_damaged_source_is_named_and_not_passed_on_as_sound(source: str, tmp_path: Path) -> None:
    file = tmp_path / "source" / "acme" / "manuals" / "collection.sqlite"
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE chunks SET body = replace(body, 'overlap', 'overlaq') WHERE row = 7")
    async with both(source, f"embedded:{tmp_path / 'target'}") as way:
        with pytest.raises(Corrupt, match=r"is stored damaged.*ragstone doctor"):
            await copy_collection(way, SCOPE)
        [run] = await way.target.ledger(SCOPE).runs()
    assert run.status == "failed"


async def test_what_is_carried_at_once_is_bounded(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "PAGE_REVISIONS", 7)
    monkeypatch.setattr(pages, "MAX_REVISIONS", 5)
    monkeypatch.setattr(pages, "MAX_BATCH_BYTES", 100)
    large = {3, 4, 20}

    class Listing:
        async def list_revisions_after(self, after: tuple[str, int] | None, *, limit: int) -> list[StoredRevision]:
            first = 0 if after is None else int(after[0]) + 1
            return [StoredRevision(about(number), "active") for number in range(first, min(first + limit, 30))]

    def about(number: int) -> Document:
        return Document(f"{number:03}", "s", f"{number}", 1, "", "", bytes=101 if number in large else 10)

    store = open_store(source)
    async with pages.open_view(store, SCOPE) as view:
        listing: Any = Listing()
        sizes = [
            [int(one.document.id) for one in batch]
            async for batch in pages.batch_revisions(replace(view, exporter=listing))
        ]
    await store.close()
    assert [number for batch in sizes for number in batch] == list(range(30))
    assert all(len(batch) <= 5 for batch in sizes)
    assert all(not large.intersection(batch) or len(batch) == 1 for batch in sizes)


# What is found


class Lossy(EmbeddedStore):
    """Loses a vector and changes a header on the way."""

    @asynccontextmanager
    async def writer(self, scope: Scope) -> AsyncIterator[Any]:
        async with super().writer(scope) as inner:
            yield Losing(inner)


class Losing:
    def __init__(self, inner: Writer) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def replace(self, revisions: list[Revision]) -> None:
        await self._inner.replace([_spoiled(one) for one in revisions])

    async def put(self, vectors: Mapping[str, Vectors]) -> None:
        lost = {chunk.vector_key for chunk in some_revision(2).chunks[:1]}
        await self._inner.put({key: row for key, row in vectors.items() if key not in lost})


def _spoiled(revision: Revision) -> Revision:
    if revision.document.meta["number"] != 1:
        return revision
    return replace(revision, chunks=tuple(replace(chunk, header="| x |") for chunk in revision.chunks))


async def test_what_arrived_otherwise_is_named(source: str, tmp_path: Path) -> None:
    first, second = open_store(source, keep_versions=ALL_VERSIONS), Lossy(tmp_path / "t", keep_versions=ALL_VERSIONS)
    done = await copy_collection(CopyRoute(first, second, "here"), SCOPE)
    assert done.differing == 2
    assert sorted(done.first) == [
        "docs: a/2.md, revision 1: other vectors",
        "docs: b/c/1.md, revision 1: other chunks",
    ]
    assert done.source.checksums["chunks"] != done.target.checksums["chunks"]
    assert done.source.checksums["texts"] == done.target.checksums["texts"]
    assert (await second.ledger(SCOPE).runs(9))[-1].status == "failed"
    await first.close()
    await second.close()


async def test_a_source_that_changes_meanwhile_is_copied_as_it_was(source: str, tmp_path: Path) -> None:
    async with both(source, f"embedded:{tmp_path / 'target'}") as way:
        before = await everything(way.source, SCOPE)
        changing: list[asyncio.Task[None]] = []

        def hear(_event: Event) -> None:
            if not changing:
                changing.append(asyncio.create_task(changed(source)))

        done = await copy_collection(way, SCOPE, tell=hear)
        await changing[0]
        assert done.differing == 0
        assert done.notes == ("the source changed meanwhile; the copy holds its state at the start",)
        assert await everything(way.target, SCOPE) == before


async def changed(source: str) -> None:
    store = open_store(source)
    async with store.writer(SCOPE) as writer:
        await writer.replace([some_revision(2, 2), some_revision(500)])
    await store.close()
