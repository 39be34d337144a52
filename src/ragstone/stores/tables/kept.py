"""Counted words that are kept between questions: looked at again after a while, counted anew when the table changed."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from ragstone.stores.tables.word_counts import TooManyWords, WordCounts

CHECK_INTERVAL = 2.0  # seconds in which a table is taken to be as it was
# Times that a count is kept as long as it took: a table of 100,000 rows is counted in 10 s, at most every 100 s.
REUSE_FACTOR = 10.0
TableFingerprint = tuple[int, int, int]  # which table, how many rows, a sum over them that changes when one does


@dataclass(slots=True)
class CacheEntry:
    """What is known of one pair; `counted` is None where there is too much to keep."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    counted: WordCounts | None = None
    print: TableFingerprint | None = None
    looked: float = 0.0
    made: float = 0.0
    took: float = 0.0


class WordCountCache:
    """The counts of all pairs of a database, by whatever decides what is counted."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._entries: dict[tuple[object, ...], CacheEntry] = {}

    async def get_counts(
        self,
        key: tuple[object, ...],
        *,
        look: Callable[[], Awaitable[TableFingerprint]],
        count: Callable[[], Awaitable[WordCounts]],
    ) -> WordCounts | None:
        """The counts of a pair; None where they do not fit. One question counts, others wait for it."""
        entry = self._entries.setdefault(key, CacheEntry())
        async with entry.lock:
            now = self._clock()
            if entry.print is not None and now - entry.looked < CHECK_INTERVAL:
                return entry.counted
            seen = await look()
            entry.looked = now
            if seen == entry.print or (entry.print is not None and now - entry.made < REUSE_FACTOR * entry.took):
                return entry.counted
            entry.print = None
            try:
                entry.counted = await count()
            except TooManyWords:
                entry.counted = None
            entry.print, entry.made = seen, self._clock()
            entry.took = entry.made - now
            return entry.counted
