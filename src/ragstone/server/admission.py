"""Which questions a process works on: a bounded number at once, a bounded queue, fair between tenants."""

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from math import ceil

from ragstone.core.errors import QueueFull

LONGEST_WAIT = 60  # seconds that a client is told to wait at the most
MOST_HELD = 1024  # refusals that are held back at once
HELD_SECONDS = 1.0
SMOOTHING = 0.1  # weight of the newest duration in the mean


class Admission:
    """Lets `concurrency` requests work; `queue_size` others wait, tenant after tenant in turn.

    A full queue refuses the newcomer, unless another tenant has more places than this one would have: then that
    tenant's latest request gives way. A refusal is held back for `held_seconds`: clients that ask again at once
    would take the time that answers need (18 a second in place of 79 at 128 of them).
    """

    def __init__(self, concurrency: int, queue_size: int, *, held_seconds: float = 0.0) -> None:
        self._held_seconds = held_seconds
        self._held = 0
        self._concurrency = concurrency
        self._queue_size = queue_size
        self.running = 0
        self.waiting = 0
        self.refused = 0
        self._queues: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self._mean_seconds = 0.1

    @asynccontextmanager
    async def enter(self, tenant: str) -> AsyncIterator[float]:
        """Wait for a turn and hold it; gives the seconds of waiting. Raises `QueueFull`."""
        begun = time.perf_counter()
        try:
            await self._wait_for_turn(tenant)
        except QueueFull:
            await self._hold_back()
            raise
        started = time.perf_counter()
        try:
            yield started - begun
        finally:
            seconds = time.perf_counter() - started
            self._mean_seconds += SMOOTHING * (seconds - self._mean_seconds)
            self._release()

    async def _hold_back(self) -> None:
        """Let a refused client wait for its answer, unless too many wait for theirs."""
        if self._held >= MOST_HELD:
            return
        self._held += 1
        try:
            await asyncio.sleep(self._held_seconds)
        finally:
            self._held -= 1

    async def _wait_for_turn(self, tenant: str) -> None:
        if self.running < self._concurrency and not self.waiting:
            self.running += 1
            return
        if self.waiting >= self._queue_size:
            self._make_room(tenant)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queues.setdefault(tenant, deque()).append(turn)
        self.waiting += 1
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self._release()  # the turn came at the moment at which the client went away
            else:
                self._withdraw(tenant, turn)
            raise

    def _make_room(self, tenant: str) -> None:
        """Refuse the latest request of the tenant with the most, or raise `QueueFull` for the newcomer."""
        own = len(self._queues.get(tenant, ()))
        largest = max(self._queues, key=lambda name: len(self._queues[name]), default=None)
        self.refused += 1
        if largest is None or len(self._queues[largest]) <= own + 1:
            raise QueueFull(self.retry_after)
        turn = self._queues[largest][-1]
        self._withdraw(largest, turn)
        turn.set_exception(QueueFull(self.retry_after))

    def _withdraw(self, tenant: str, turn: asyncio.Future[None]) -> None:
        queue = self._queues.get(tenant)
        if queue is None or turn not in queue:
            return
        queue.remove(turn)
        self.waiting -= 1
        if not queue:
            del self._queues[tenant]

    def _release(self) -> None:
        """Give the turn to the tenant that has waited longest for one."""
        while self._queues:
            tenant, queue = next(iter(self._queues.items()))
            turn = queue.popleft()
            self.waiting -= 1
            self._queues.move_to_end(tenant)
            if not queue:
                del self._queues[tenant]
            if not turn.done():
                turn.set_result(None)
                return
        self.running -= 1

    @property
    def retry_after(self) -> int:
        """Seconds after which a client may hope for a place: the queue's length at the pace of late."""
        return min(max(ceil((self.waiting + 1) * self._mean_seconds / self._concurrency), 1), LONGEST_WAIT)
