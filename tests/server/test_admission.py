"""Slots and the queue: bounded, fair between tenants, and nothing is lost when a client goes away."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

import pytest

from ragstone.config.serve_settings import ServeSettings
from ragstone.core.errors import QueueFull
from ragstone.server import admission
from ragstone.server.admission import CALM_SECONDS, Admission
from tests.patience import HANG
from tests.server.conftest import QUESTION, Kept, open_client
from tests.server.test_rates import Clock


class Office:
    """Requests that hold their turn until they are told to end; `order` says who came when."""

    def __init__(self, admission: Admission) -> None:
        self.admission = admission
        self.order: list[str] = []
        self.ends: dict[str, asyncio.Event] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def come(self, name: str, tenant: str) -> None:
        self.ends[name] = asyncio.Event()
        self.tasks[name] = asyncio.ensure_future(self._work(name, tenant))
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    async def _work(self, name: str, tenant: str) -> None:
        async with self.admission.enter(tenant):
            self.order.append(name)
            await self.ends[name].wait()

    async def end(self, name: str) -> None:
        self.ends[name].set()
        await self.tasks[name]
        await asyncio.sleep(0)
        await asyncio.sleep(0)


async def test_tenants_take_turns() -> None:
    office = Office(Admission(1, 10))
    for name in ("a1", "a2", "a3", "a4", "b1", "b2"):
        await office.come(name, name[0])
    assert office.order == ["a1"]
    while len(office.order) < 6:
        await office.end(office.order[-1])
    assert office.order == ["a1", "a2", "b1", "a3", "b2", "a4"]
    await office.end("a4")
    assert (office.admission.running, office.admission.waiting) == (0, 0)


async def test_a_full_queue_refuses_and_says_when_to_come_back() -> None:
    office = Office(Admission(1, 1))
    await office.come("first", "a")
    await office.come("second", "a")
    with pytest.raises(QueueFull) as refused:
        async with office.admission.enter("a"):
            pass
    assert 1 <= refused.value.retry_after_seconds <= 60
    await office.end("first")
    assert office.order == ["first", "second"]
    await office.end("second")


async def test_a_burst_is_taken_and_a_queue_that_stands_is_kept_short() -> None:
    clock = Clock()
    office = Office(Admission(2, 64, clock=clock))
    for n in range(20):
        await office.come(f"a{n}", "a")
    assert office.admission.waiting == 18
    clock.now += 1.0
    with pytest.raises(QueueFull) as refused:
        async with office.admission.enter("a"):
            pass
    assert refused.value.retry_after_seconds == 1  # 19 times 0.1 s at two at once
    while office.admission.waiting > 1:
        await office.end(office.order[-1])
    await office.come("short", "a")  # it would wait for no longer than half of what a request takes
    assert office.admission.waiting <= 1
    office.tasks["short"].cancel()
    for name in office.order[-2:]:
        await office.end(name)


async def test_after_a_refusal_there_is_no_burst_until_it_was_calm() -> None:
    clock = Clock()
    office = Office(Admission(1, 2, clock=clock))
    for name in ("first", "second", "third"):
        await office.come(name, "a")
    with pytest.raises(QueueFull):
        async with office.admission.enter("a"):
            pass
    for name in ("first", "second"):
        await office.end(name)
    await office.come("fourth", "a")  # one may wait always, so that no slot is idle
    await office.come("fifth", "a")
    with pytest.raises(QueueFull):
        await office.tasks["fifth"]  # though the queue was empty a moment ago, and has another place
    clock.now += CALM_SECONDS + 0.1
    await office.end("third")
    for name in ("sixth", "seventh"):
        await office.come(name, "a")
    assert office.admission.waiting == 2
    for name in ("fourth", "sixth", "seventh"):
        await office.end(name)


async def test_a_wait_that_is_set_bounds_each_newcomers() -> None:
    office = Office(Admission(1, 64, 0.25, clock=Clock()))
    for name in ("first", "second", "third"):  # the third waits for two, of whom each takes 0.1 s
        await office.come(name, "a")
    with pytest.raises(QueueFull):
        async with office.admission.enter("a"):
            pass
    await office.come("b1", "b")  # another tenant's first one comes before the third
    with pytest.raises(QueueFull):
        await office.tasks["third"]
    for name in ("first", "second", "b1"):
        await office.end(name)


async def test_a_wait_that_turned_out_longer_ends_with_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission, "LONGEST_WAIT", 0.0)
    office = Office(Admission(1, 64))
    await office.come("stuck", "a")
    await office.come("waits", "a")
    with pytest.raises(QueueFull):
        await asyncio.wait_for(office.tasks["waits"], HANG)
    assert (office.admission.running, office.admission.waiting, office.admission.refused) == (1, 0, 1)
    await office.end("stuck")
    assert office.admission.running == 0


async def test_of_many_refusals_the_rest_are_held_back_but_not_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission, "MOST_HELD", 2)
    monkeypatch.setattr(admission, "PROMPT_REFUSALS", 1)
    office = Office(Admission(1, 0, held_seconds=HANG, clock=Clock()))
    await office.come("first", "a")
    for name in ("prompt", "held", "held too", "at once"):
        await office.come(name, "a")
    for name in ("prompt", "at once"):
        with pytest.raises(QueueFull):
            await office.tasks[name]
    assert not office.tasks["held"].done()
    assert not office.tasks["held too"].done()
    office.tasks["held"].cancel()  # its client goes away, and another one is held
    await office.come("next", "a")
    assert office.tasks["held"].cancelled()
    assert not office.tasks["next"].done()
    for name in ("held too", "next"):
        office.tasks[name].cancel()
    await office.end("first")
    assert (office.admission.running, office.admission.waiting) == (0, 0)


async def test_a_tenant_that_fills_the_queue_makes_room_for_another() -> None:
    office = Office(Admission(1, 3))
    for name in ("a1", "a2", "a3", "a4"):
        await office.come(name, "a")
    await office.come("b1", "b")
    with pytest.raises(QueueFull):
        await office.tasks["a4"]
    with pytest.raises(QueueFull):
        async with office.admission.enter("a"):
            pass
    for name in ("a1", "a2", "b1", "a3"):
        await office.end(name)
    assert office.order == ["a1", "a2", "b1", "a3"]


async def test_a_client_that_goes_away_leaves_its_place() -> None:
    office = Office(Admission(1, 10))
    for name in ("a1", "a2", "a3"):
        await office.come(name, "a")
    office.tasks["a2"].cancel()
    await asyncio.sleep(0)
    await office.end("a1")
    assert office.order == ["a1", "a3"]
    office.tasks["a3"].cancel()
    await asyncio.gather(*office.tasks.values(), return_exceptions=True)
    assert (office.admission.running, office.admission.waiting) == (0, 0)


async def test_a_turn_that_comes_as_the_client_leaves_is_passed_on() -> None:
    office = Office(Admission(1, 10))
    for name in ("a1", "a2", "a3"):
        await office.come(name, "a")
    office.ends["a1"].set()
    await office.tasks["a1"]  # a2 has its turn now, and has not run since
    office.tasks["a2"].cancel()
    await asyncio.sleep(0)
    await office.end("a3")
    assert "a3" in office.order
    assert (office.admission.running, office.admission.waiting) == (0, 0)


@pytest.mark.parametrize("path", ["/v1/search", "/v1/ask", "/search", "/v1/query", "/v1/pipelines/handbook"])
async def test_a_busy_server_says_so(kept: Kept, path: str) -> None:
    async with (
        open_client(replace(kept.settings, serve=ServeSettings(concurrency=1, queue_size=0))) as client,
        AsyncExitStack() as stack,
    ):
        state: Any = client.app.state.server  # type: ignore[attr-defined]
        await stack.enter_async_context(state.admission.enter("default"))
        body = {"question": QUESTION} if path == "/v1/query" else {"query": QUESTION}
        reply = await asyncio.wait_for(client.post(path, json=body), HANG)
        assert reply.status_code == 429
        assert int(reply.headers["retry-after"]) >= 1
        assert "busy" in reply.text.lower()
        assert (await client.get("/v1/live")).status_code == 200
