"""Counted words that are kept between questions: looked at again after a while, counted anew when the table changed."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from ragstone.stores.tables.counted import Counted, TooMany

LOOK_EVERY = 2.0  # seconds in which a table is taken to be as it was
# Times that a count is kept as long as it took: a table of 100,000 rows is counted in 10 s, at most every 100 s.
WORTH = 10.0
Print = tuple[int, int, int]  # which table, how many rows, a sum over them that changes when one does


@dataclass(slots=True)
class Entry:
    """What is known of one pair; `counted` is None where there is too much to keep."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    counted: Counted | None = None
    print: Print | None = None
    looked: float = 0.0
    made: float = 0.0
    took: float = 0.0


class Kept:
    """The counts of all pairs of a database, by whatever decides what is counted."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._entries: dict[tuple[object, ...], Entry] = {}

    async def counted(
        self,
        key: tuple[object, ...],
        *,
        look: Callable[[], Awaitable[Print]],
        count: Callable[[], Awaitable[Counted]],
    ) -> Counted | None:
        """The counts of a pair; None where they do not fit. One question counts, others wait for it."""
        entry = self._entries.setdefault(key, Entry())
        async with entry.lock:
            now = self._clock()
            if entry.print is not None and now - entry.looked < LOOK_EVERY:
                return entry.counted
            seen = await look()
            entry.looked = now
            if seen == entry.print or (entry.print is not None and now - entry.made < WORTH * entry.took):
                return entry.counted
            entry.print = None
            try:
                entry.counted = await count()
            except TooMany:
                entry.counted = None
            entry.print, entry.made = seen, self._clock()
            entry.took = entry.made - now
            return entry.counted
