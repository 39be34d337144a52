"""The words of a table, counted: in memory, so that BM25 is exact without anything written beside the table."""

import asyncio
import time
from array import array
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ragstone.stores import bm25
from ragstone.stores.postings import COUNT, LENGTH, NO_POSTINGS, NUMBER, Postings, Ranking, rank_postings

CHECK_INTERVAL = 2.0  # seconds in which a table is taken to be as it was
# Times that a count is kept as long as it took: a table of 100,000 rows is counted in 10 s, at most every 100 s.
REUSE_FACTOR = 10.0
TableFingerprint = tuple[int, int, int]  # which table, how many rows, a sum over them that changes when one does
# A posting takes 12 bytes while they are counted and 10 after: this many are about 100,000 passages of 100 words.
MAX_POSTINGS = 10_000_000


class TooManyWords(Exception):
    """The table has more words than are kept in memory."""


@dataclass(frozen=True, slots=True)
class WordCounts:
    """How often each word stands in each row. `rows` and `words` count the whole table, `ids` and `lengths` are of
    the rows that hold any of the words that were counted; the postings of term number n begin at `starts[n]`."""

    ids: Sequence[str]
    lengths: NDArray[np.int32]
    terms: Mapping[str, int]
    starts: NDArray[np.int64]
    numbers: NDArray[np.int32]
    counts: NDArray[np.uint16]
    rows: int
    words: int

    def rank_rows(self, terms: Mapping[str, float]) -> Ranking:
        """BM25 of every row with a term of the query."""
        found = {term: self._term_postings(self.terms[term]) for term in terms if term in self.terms}
        return rank_postings(terms, found, chunks=self.rows, words=self.words)

    def _term_postings(self, number: int) -> Postings:
        part = slice(int(self.starts[number]), int(self.starts[number + 1]))
        numbers = self.numbers[part]
        return Postings(numbers, self.counts[part], self.lengths[numbers]) if len(numbers) else NO_POSTINGS

    def row_numbers(self, ids: Set[str]) -> NDArray[np.int32]:
        """The numbers of rows that hold a counted word, by their ids."""
        return np.array([number for number, one in enumerate(self.ids) if one in ids], dtype=NUMBER)

    def score_text(self, text: str, weights: Mapping[str, float]) -> float:
        """BM25 of a text as it is now, by these statistics; digit for digit the ranking's."""
        found, terms = bm25.count_terms(text)
        average = max(self.words / self.rows if self.rows else 0.0, 1e-9)
        norm = bm25.length_norms(np.array([terms], dtype=LENGTH), average)
        total = np.zeros(1)
        for term, weight in weights.items():
            if term in found:
                count = np.array([found[term]], dtype=COUNT)
                total += bm25.term_weights(count, norm, weight=weight)
        return float(np.round(total, bm25.DECIMALS)[0])


class WordCounter:
    """Counts rows as they come; `only` counts the postings of a few words, for tables that are too large for all."""

    def __init__(self, only: Collection[str] | None = None, *, most: int = MAX_POSTINGS) -> None:
        self._only = None if only is None else tuple(dict.fromkeys(only))
        self._most = most
        self._ids: list[str] = []
        self._lengths = array("i")
        self._held = array("i")
        self._terms: dict[str, int] = {}
        self._numbers = array("i")
        self._counts = array("H")
        self._rows = self._words = 0

    def add_rows(self, rows: Iterable[tuple[str, str]]) -> None:
        """Rows as id and text; raises `TooManyWords`."""
        for identity, text in rows:
            counted, length = bm25.count_terms(text)
            found = Counter(counted)
            self._rows += 1
            self._words += length
            if self._only is not None:
                found = Counter({term: found[term] for term in self._only if term in found})
            if found:
                self._add_row(identity, length, found)
        if len(self._numbers) > self._most:
            raise TooManyWords

    def _add_row(self, identity: str, length: int, found: Mapping[str, int]) -> None:
        self._ids.append(identity)
        self._lengths.append(length)
        self._held.append(len(found))
        known = self._terms
        self._numbers.extend(known.setdefault(term, len(known)) for term in found)
        self._counts.extend(min(count, bm25.MAX_COUNT) for count in found.values())

    def finish_counts(self) -> WordCounts:
        """All that was counted, term by term."""
        numbers = np.frombuffer(self._numbers, dtype=np.intc) if self._numbers else np.empty(0, np.intc)
        counts = np.frombuffer(self._counts, dtype=np.ushort) if self._counts else np.empty(0, np.ushort)
        rows = np.repeat(np.arange(len(self._ids), dtype=NUMBER), np.asarray(self._held, dtype=np.intc))
        order = np.argsort(numbers, kind="stable")
        starts = np.zeros(len(self._terms) + 1, dtype=np.int64)
        np.cumsum(np.bincount(numbers, minlength=len(self._terms)), out=starts[1:])
        lengths = np.array(self._lengths, dtype=LENGTH)
        return WordCounts(self._ids, lengths, self._terms, starts, rows[order], counts[order], self._rows, self._words)


@dataclass(slots=True)
class CacheEntry:
    """The counts of one pair; `counted` is None where there is too much to keep."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    counted: WordCounts | None = None
    print: TableFingerprint | None = None
    looked: float = 0.0
    made: float = 0.0
    took: float = 0.0


class WordCountCache:
    """The counts of all pairs of a database, by everything that they depend on."""

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
