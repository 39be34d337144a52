"""Which questions a process works on: a bounded number at once, a bounded queue, fair between tenants."""

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from math import ceil, inf

from ragstone.core.errors import QueueFull
from ragstone.server.rates import Rates

LONGEST_WAIT = 60  # seconds: a client is told to wait no longer, and waits no longer where no bound is set
BURST_SECONDS = 0.25  # a queue that stands for less is a burst, which is taken whole
CALM_SECONDS = 10.0  # without a refusal, after which there may be a burst again
WAIT_SHARE = 0.5  # of the time that a request takes: so long the wait may be in a queue that stands
PROMPT_REFUSALS = 100  # a second that are sent at once; each costs about a twentieth of a search
MOST_HELD = 1024  # refusals that are held back at once
HELD_SECONDS = 1.0
SMOOTHING = 0.1  # weight of the newest duration in the mean


class Admission:
    """Lets `concurrency` requests work; `queue_size` others wait, tenant after tenant in turn.

    A queue is full as well where a newcomer would wait too long, at the pace of late: longer than `longest_wait`
    seconds, or by default than half the time that a request takes. The default bound does not hold for a burst: a queue
    that has just formed after a calm time.

    A full queue refuses the newcomer, unless another tenant has more places than this one would have: then that
    tenant's latest request gives way. Of many refusals a second the rest are held back for `held_seconds`: clients
    that ask again at once would take the time that answers need (18 a second in place of 79 at 128 of them).
    """

    def __init__(
        self,
        concurrency: int,
        queue_size: int,
        longest_wait: float | None = None,
        *,
        held_seconds: float = 0.0,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._held_seconds = held_seconds
        self._held = 0
        self._prompt = Rates(PROMPT_REFUSALS, clock, period=1.0)
        self._concurrency = concurrency
        self._queue_size = queue_size
        self._longest_wait = longest_wait
        self._clock = clock
        self._empty_at = clock()
        self._refused_at = -inf
        self.running = 0
        self.waiting = 0
        self.refused = 0
        self._queues: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self._mean_seconds = 0.1

    @asynccontextmanager
    async def enter(self, tenant: str) -> AsyncIterator[float]:
        """Wait for a turn and hold it; gives the seconds of waiting. Raises `QueueFull`."""
        begun = self._clock()
        try:
            await self._wait_for_turn(tenant)
        except QueueFull:
            await self._hold_back()
            raise
        started = self._clock()
        try:
            yield started - begun
        finally:
            seconds = self._clock() - started
            self._mean_seconds += SMOOTHING * (seconds - self._mean_seconds)
            self._release()

    async def _hold_back(self) -> None:
        """Let a refused client wait for its answer where many are refused, unless too many wait for theirs."""
        try:
            self._prompt.take("")
        except QueueFull:
            if self._held >= MOST_HELD:
                return
        else:
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
        if not self.waiting:
            self._empty_at = self._clock()
        if self.waiting >= self._queue_size or self._expected_wait > self._wait_limit:
            self._make_room(tenant)
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        self._queues.setdefault(tenant, deque()).append(turn)
        self.waiting += 1
        patience = loop.call_later(self._patience, self._refuse, tenant, turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self._release()  # the turn came at the moment at which the client went away
            else:
                self._withdraw(tenant, turn)
            raise
        finally:
            patience.cancel()

    def _make_room(self, tenant: str) -> None:
        """Refuse the latest request of the tenant with the most, or raise `QueueFull` for the newcomer."""
        self._refused_at = self._clock()
        own = len(self._queues.get(tenant, ()))
        largest = max(self._queues, key=lambda name: len(self._queues[name]), default=None)
        if largest is None or len(self._queues[largest]) <= own + 1:
            self.refused += 1
            raise QueueFull(self.retry_after)
        self._refuse(largest, self._queues[largest][-1])

    def _refuse(self, tenant: str, turn: asyncio.Future[None]) -> None:
        """Refuse a request that waits; one that has its turn keeps it."""
        if turn.done():
            return
        self._withdraw(tenant, turn)
        self.refused += 1
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
    def _expected_wait(self) -> float:
        """Seconds that a newcomer would wait: the queue's length at the pace of late."""
        return (self.waiting + 1) * self._mean_seconds / self._concurrency

    @property
    def _wait_limit(self) -> float:
        """The longest wait, in seconds, for which a newcomer is let into the queue now."""
        if self._longest_wait is not None:
            return self._longest_wait
        now = self._clock()
        is_burst = now - self._empty_at < BURST_SECONDS and now - self._refused_at > CALM_SECONDS
        return inf if is_burst else self._mean_seconds * max(WAIT_SHARE, 1 / self._concurrency)

    @property
    def _patience(self) -> float:
        """Seconds after which a request that still waits is refused, because the pace was not what it had been."""
        if self._longest_wait is not None:
            return self._longest_wait
        return max(LONGEST_WAIT, 2 * self._mean_seconds)

    @property
    def retry_after(self) -> int:
        """Seconds after which a client may hope for a place."""
        return min(max(ceil(self._expected_wait), 1), LONGEST_WAIT)
