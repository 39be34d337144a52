"""Memory that a process freed, and the C library keeps in the arenas that threads allocate from.

Each arena stays as large as its worst moment left it: a server grew by 5 % over 100,000 requests, and nothing but that
and caches with a bound had grown.
"""

import contextlib
import ctypes

M_ARENA_MAX = -8  # of GNU's malloc.h
ARENAS = 2
NOT_GNU = (OSError, TypeError, AttributeError)  # another C library has no such functions, and no such arenas


def limit_arenas() -> None:
    """Have all threads that start from now on share a few arenas; by default there are eight for each core."""
    with contextlib.suppress(*NOT_GNU):
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, ARENAS)


def release_memory() -> None:
    """Give freed memory back to the system; that of loading models is 60 of 240 MB. The collector finds nothing then,
    and would take 60 ms."""
    with contextlib.suppress(*NOT_GNU):
        ctypes.CDLL(None).malloc_trim(0)
