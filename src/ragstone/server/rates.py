"""How many requests a key may make in a minute."""

import time
from collections import OrderedDict
from collections.abc import Callable
from math import ceil

from ragstone.core.errors import QueueFull

MOST_CALLERS = 10_000  # that are remembered; who was not heard of longest is forgotten first
MINUTE = 60.0


class Rates:
    """A token bucket for each caller: `number` requests at once, and that many more in each `period` of seconds; None:
    no bound."""

    def __init__(
        self, number: int | None, clock: Callable[[], float] = time.monotonic, *, period: float = MINUTE
    ) -> None:
        self._number = number
        self._period = period
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # tokens, and when they were counted

    def take(self, caller: str) -> None:
        """Count a request; raises `QueueFull` with the seconds after which the next one may come."""
        if self._number is None:
            return
        now, most = self._clock(), float(self._number)
        tokens, then = self._buckets.pop(caller, (most, now))
        tokens = min(most, tokens + (now - then) * most / self._period)
        self._buckets[caller] = (max(0.0, tokens - 1.0) if tokens >= 1.0 else tokens, now)
        if len(self._buckets) > MOST_CALLERS:
            self._buckets.popitem(last=False)
        if tokens < 1.0:
            raise QueueFull(ceil((1.0 - tokens) * self._period / most))
