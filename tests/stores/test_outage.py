"""A lost server is told of at once, to whoever waits already too, until one probe finds it."""

import asyncio
from types import SimpleNamespace

import pytest

from ragstone.core.errors import RagstoneError, StoreError
from ragstone.stores import outage
from ragstone.stores.outage import Outage
from tests.patience import HANG, until_async


class Server:
    """A server that is there or not; `waits` holds up those who knock."""

    def __init__(self) -> None:
        self.is_there = False
        self.knocks = 0
        self.open = asyncio.Event()
        self.open.set()
        self.outage = Outage(self.knock, lost=(OSError,), explain=lambda error: StoreError(f"away: {error}"))

    async def knock(self) -> None:
        self.knocks += 1
        await self.open.wait()
        if not self.is_there:
            raise OSError("nobody")

    def fail(self, *, begun: float) -> None:
        self.outage.note_failure(OSError("refused"), begun=begun)


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outage, "PROBE_PAUSE", 0.001)


async def begin_waiting(server: Server) -> asyncio.Task[None]:
    """A task that waits for a connection, and has begun to."""
    begun = asyncio.Event()

    async def wait() -> None:
        async with server.outage.limit_wait():
            begun.set()
            await asyncio.sleep(HANG)

    waiting = asyncio.create_task(wait())
    await begun.wait()
    return waiting


async def test_all_are_told_until_the_server_is_back() -> None:
    server = Server()
    waiting = await begin_waiting(server)
    server.open.clear()
    server.fail(begun=-outage.GRACE)
    with pytest.raises(StoreError, match="away: refused"):
        await waiting
    for _ in range(3):
        with pytest.raises(StoreError, match="away"):
            server.outage.check()
    assert server.knocks <= 1, "the probe alone asks"
    server.is_there = True
    server.open.set()

    async def is_back() -> bool:
        return not server.outage.is_known

    await until_async(is_back)
    async with server.outage.limit_wait():
        pass
    await server.outage.close()


async def test_a_connection_that_opens_ends_an_outage_before_its_probe_does() -> None:
    server = Server()
    server.open.clear()
    server.fail(begun=-outage.GRACE)
    assert server.outage.is_known
    server.outage.note_answer()
    server.outage.check()
    await server.outage.close()


async def test_a_restart_and_what_is_only_slow_are_no_outage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outage, "GRACE", HANG)
    server = Server()
    server.fail(begun=asyncio.get_running_loop().time())
    server.outage.check()
    server.is_there = True
    server.outage.suspect()
    await until_async(lambda: asyncio.sleep(0, server.knocks))
    server.outage.check()
    with pytest.raises(TimeoutError, match="its own"):
        async with server.outage.limit_wait():
            raise TimeoutError("its own")
    await server.outage.close()


async def test_a_suspicion_that_holds_is_an_outage() -> None:
    server = Server()
    server.outage.suspect()
    with pytest.raises(RagstoneError, match="away: nobody"):
        async with server.outage.limit_wait():
            await asyncio.sleep(HANG)
    await server.outage.close()


async def test_who_was_told_of_an_outage_is_told_why_though_it_is_over() -> None:
    server = Server()
    waiting = await begin_waiting(server)
    server.fail(begun=-outage.GRACE)
    server.outage.note_answer()
    with pytest.raises(StoreError, match="away: refused"):
        await waiting
    await server.outage.close()


async def test_a_failure_long_after_the_last_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(outage, "time", SimpleNamespace(monotonic=lambda: now))
    server = Server()
    server.fail(begun=now)
    now += 10 * outage.GRACE
    server.fail(begun=now)
    server.outage.check()
    now += outage.GRACE
    server.fail(begun=now)
    assert server.outage.is_known
    await server.outage.close()


async def test_a_closed_one_looks_for_nothing() -> None:
    server = Server()
    await server.outage.close()
    server.outage.suspect()
    await asyncio.sleep(0)
    assert not server.knocks


def test_an_outage_ends_with_the_loop_that_looked_for_its_end() -> None:
    server = Server()

    async def lose() -> None:
        server.fail(begun=-outage.GRACE)

    async def is_known() -> bool:
        return server.outage.is_known

    asyncio.run(lose())
    assert not asyncio.run(is_known())
