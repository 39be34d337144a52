"""The queue of jobs: bounded, fair between tenants, one job at a time for a path, nothing lost by a dead worker."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from ragstone.core.errors import QueueFull
from ragstone.core.ports import Job, JobQueue, QueueingStore
from ragstone.stores import open_store
from tests.patience import HANG
from tests.stores.postgres.server import shared

MOST = 100
TRIES = 3


@pytest.fixture(params=["embedded", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A fresh store."""
    if request.param == "embedded":
        yield f"embedded:{tmp_path / 'store'}"
        return
    server = shared()
    with server.database() as name:
        yield server.url(name)


@pytest.fixture
async def queue(url: str) -> AsyncIterator[JobQueue]:
    """An empty queue."""
    store = open_store(url)
    assert isinstance(store, QueueingStore)
    yield store.jobs
    await store.close()


def job(identity: str, *, tenant: str = "acme", path: str | None = None, collection: str = "default") -> Job:
    return Job(identity, tenant, collection, path or f"{identity}.md", created=1.0, due=1.0)


async def take(queue: JobQueue, now: float = 10.0, *, seconds: float = 30.0) -> Job | None:
    return await queue.take(now=now, lease=now + seconds, tries=TRIES)


async def take_ids(queue: JobQueue, number: int, now: float = 10.0) -> list[str]:
    found = [await take(queue, now + turn) for turn in range(number)]
    return [one.id for one in found if one is not None]


async def test_an_empty_queue_gives_nothing_and_a_job_comes_back_as_it_was_put_in(queue: JobQueue) -> None:
    assert await take(queue) is None
    assert await queue.count() == {}
    await queue.add(job("a"), most=MOST)
    assert await queue.find("acme", "a") == job("a")
    assert await queue.find("rival", "a") is None
    taken = await take(queue)
    assert taken == replace(job("a"), status="running", tries=1, lease=40.0)
    assert await take(queue) is None
    done = replace(taken, status="done", finished=12.0)
    assert await queue.finish(taken, done) == done
    assert await queue.find("acme", "a") == replace(done, lease=0.0)
    assert await queue.count() == {"done": 1}


async def test_tenants_take_turns_and_each_is_served_in_order(queue: JobQueue) -> None:
    for number in range(4):
        await queue.add(job(f"a{number}"), most=MOST)
    await queue.add(job("r0", tenant="rival"), most=MOST)
    await queue.add(job("r1", tenant="rival"), most=MOST)
    await queue.add(job("s0", tenant="small"), most=MOST)
    assert await take_ids(queue, 7) == ["a0", "r0", "s0", "a1", "r1", "a2", "a3"]


async def test_a_full_queue_refuses_but_leaves_every_tenant_its_share(queue: JobQueue) -> None:
    for number in range(4):
        await queue.add(job(f"a{number}"), most=4)
    with pytest.raises(QueueFull):
        await queue.add(job("a4"), most=4)
    await queue.add(job("r0", tenant="rival"), most=4)
    await queue.add(job("r1", tenant="rival"), most=4)
    with pytest.raises(QueueFull):
        await queue.add(job("r2", tenant="rival"), most=4)
    assert await queue.find("acme", "a4") is None
    assert await queue.count() == {"queued": 6}


async def test_a_newer_job_for_a_path_takes_the_place_of_one_that_waits(queue: JobQueue) -> None:
    await queue.add(job("old", path="x.md"), most=MOST)
    assert await queue.add(job("elsewhere", path="x.md", collection="other"), most=MOST) == []
    assert await queue.add(job("new", path="x.md"), most=MOST) == ["old"]
    assert await take_ids(queue, 3) == ["elsewhere", "new"]
    assert await queue.supersede("acme", "default", "x.md", now=20.0) == []


async def test_two_jobs_for_one_path_never_run_at_once_and_the_older_one_is_not_tried_again(queue: JobQueue) -> None:
    await queue.add(job("old", path="x.md"), most=MOST)
    old = await take(queue)
    assert old is not None
    await queue.add(job("new", path="x.md"), most=MOST)
    assert await take(queue, 11.0) is None
    ended = await queue.finish(old, replace(old, status="queued", due=12.0))
    assert ended.status == "superseded"
    assert await take_ids(queue, 2, 13.0) == ["new"]


async def test_of_a_dead_workers_jobs_for_one_path_only_the_newest_goes_on(queue: JobQueue) -> None:
    await queue.add(job("old", path="x.md"), most=MOST)
    await take(queue)
    await queue.add(job("new", path="x.md"), most=MOST)
    assert await take_ids(queue, 2, 50.0) == ["new"]
    found = await queue.find("acme", "old")
    assert found is not None
    assert found.status == "superseded"


async def test_a_job_of_a_dead_worker_is_taken_again_and_the_late_worker_changes_nothing(queue: JobQueue) -> None:
    await queue.add(job("a"), most=MOST)
    first = await take(queue, 10.0)
    assert first is not None
    assert await queue.renew(first, lease=50.0)
    assert await take(queue, 45.0) is None
    second = await take(queue, 51.0)
    assert second is not None
    assert second.tries == 2
    assert not await queue.renew(first, lease=99.0)
    await queue.finish(first, replace(first, status="dead", finished=52.0))
    found = await queue.find("acme", "a")
    assert found is not None
    assert (found.status, found.lease) == ("running", 81.0)


async def test_a_job_that_kills_its_worker_each_time_is_dead_in_the_end(queue: JobQueue) -> None:
    await queue.add(job("poison"), most=MOST)
    for turn in range(TRIES):
        assert await take(queue, 100.0 * (turn + 1)) is not None
    assert await take(queue, 1000.0) is None
    [dead] = await queue.list_jobs("acme", statuses=["dead"])
    assert (dead.code, dead.tries) == ("died", TRIES)


async def test_dead_jobs_are_listed_retried_and_dropped_by_their_tenant_alone(queue: JobQueue) -> None:
    for identity in ("a", "b"):
        await queue.add(job(identity), most=MOST)
        taken = await take(queue)
        assert taken is not None
        assert not await queue.drop("acme", identity)
        await queue.finish(taken, replace(taken, status="dead", finished=11.0, code="broken", message="no PDF"))
    assert [one.id for one in await queue.list_jobs("acme", statuses=["dead"])] == ["b", "a"]
    assert await queue.list_jobs("rival") == []
    assert not await queue.retry("rival", "a", now=20.0)
    assert await queue.retry("acme", "a", now=20.0)
    assert not await queue.retry("acme", "a", now=20.0)
    again = await take(queue, 21.0)
    assert again is not None
    assert (again.id, again.tries, again.message) == ("a", 1, "no PDF")
    assert not await queue.drop("rival", "b")
    assert await queue.drop("acme", "b")
    assert await queue.list_ids() == ["a"]


async def test_a_pause_is_kept_and_the_past_is_forgotten(queue: JobQueue) -> None:
    await queue.add(job("a"), most=MOST)
    taken = await take(queue)
    assert taken is not None
    await queue.finish(taken, replace(taken, status="queued", due=60.0))
    assert await take(queue, 59.0) is None
    taken = await take(queue, 60.0)
    assert taken is not None
    await queue.finish(taken, replace(taken, status="done", finished=61.0))
    assert await queue.prune(before=61.0) == []
    assert await queue.prune(before=62.0) == ["a"]


async def test_an_erased_collection_and_an_erased_tenant_leave_no_jobs(queue: JobQueue) -> None:
    await queue.add(job("a"), most=MOST)
    await queue.add(job("b", collection="other"), most=MOST)
    await queue.add(job("r", tenant="rival"), most=MOST)
    assert await queue.erase("acme", "other") == ["b"]
    assert await queue.erase("acme") == ["a"]
    assert await queue.list_ids() == ["r"]


async def test_workers_that_take_at_once_take_different_jobs(queue: JobQueue) -> None:
    for number in range(8):
        await queue.add(job(f"{number}"), most=MOST)
    found: list[str] = []
    for _ in range(4):  # one that is locked by another worker is passed over, and may be left for the next look
        taken = await asyncio.gather(*(take(queue) for _ in range(8)))
        found += [one.id for one in taken if one is not None]
    assert sorted(found) == [str(number) for number in range(8)]


@pytest.mark.parametrize("url", ["embedded"], indirect=True)
async def test_a_file_that_a_full_disk_left_without_its_table_is_an_empty_queue_and_is_made_whole(
    queue: JobQueue, tmp_path: Path
) -> None:
    await queue.add(job("a"), most=MOST)
    for file in (tmp_path / "store").glob("jobs.db*"):
        file.unlink()
    (tmp_path / "store" / "jobs.db").touch()
    assert await queue.count() == {}
    assert await take(queue) is None
    await queue.add(job("b"), most=MOST)
    assert await take_ids(queue, 2) == ["b"]


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
@pytest.mark.parametrize("ahead", [3600.0, -3600.0])
async def test_servers_whose_clocks_differ_take_no_job_from_one_another(
    ahead: float, queue: JobQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server whose clock was ahead by more than a lease took each job that another one worked on."""
    right = time.time()

    def tell_time(wrong: float) -> None:
        monkeypatch.setattr("ragstone.stores.postgres.jobs.time", SimpleNamespace(time=lambda: right + wrong))

    tell_time(ahead)
    await queue.add(replace(job("a"), created=right + ahead, due=right + ahead), most=MOST)
    tell_time(0.0)
    taken = await take(queue, right + HANG, seconds=10 * HANG)
    assert taken is not None, "its time has come"
    tell_time(ahead)
    assert await take(queue, right + ahead) is None, "another server works on it"
    assert await queue.renew(taken, lease=right + ahead + 20 * HANG)
    failed = replace(taken, status="queued", due=right + ahead + 30 * HANG)
    await queue.finish(taken, failed)
    tell_time(0.0)
    assert await take(queue, right + 20 * HANG) is None, "its pause has not passed"
    taken = await take(queue, right + 40 * HANG)
    assert taken is not None
    tell_time(ahead)
    ended = await queue.finish(taken, replace(taken, status="done", finished=right + ahead))
    assert (ended.created, ended.due) == (taken.created, taken.due), "its times stay as the queue has them"
    assert ended.finished == pytest.approx(right, abs=HANG)
    assert await queue.find("acme", "a") == replace(ended, lease=0.0)
