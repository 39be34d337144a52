"""How much work something is, in time of the processor: on a slow or busy machine more time is the same work."""

import gc
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
TRIES = 3  # one that takes too long may have paid for another's garbage, or for a cache that others emptied
USUAL = 0.03  # seconds that the yardstick takes on the machine on which the limits of tests were measured
LEAST_STEP = 0.004  # seconds that the work on the smallest of four sizes is counted as
LEAST = 0.05  # seconds that a shorter time is counted as


def within(seconds: float, work: Callable[[], T]) -> T:
    """Do some work that may take so long, or as much longer as this machine is slower now than that of `USUAL`."""
    for left in reversed(range(TRIES)):
        before, (took, done), after = _yardstick(), _timed(work), _yardstick()
        allowed = seconds * max(1.0, before / USUAL, after / USUAL)
        if took < allowed:
            return done
        assert left, f"{took:.2f} s of the processor, of {allowed:.2f}"
    raise AssertionError


def in_step(work: Callable[[int], object], small: int, large: int, *, most: float) -> None:
    """The work on the large size takes at most so many times as long as that on the small one."""
    for left in reversed(range(TRIES)):
        first, second = _timed(lambda: work(small))[0], _timed(lambda: work(large))[0]
        if second < most * max(first, LEAST):
            return
        assert left, f"{large} took {second:.3f} s of the processor, {small} {first:.3f} s"


def grows_in_step(work: Callable[[int], object], sizes: tuple[int, int, int, int], *, most: float = 3.0) -> None:
    """The work grows at most `most` times as fast as the size, from the first to the last: as fast in linear time, as
    often more as the last is larger than the first in quadratic time."""
    for left in reversed(range(TRIES)):
        times = [_timed(lambda size=size: work(size))[0] for size in sizes]  # type: ignore[misc]
        if all(
            took < most * size / sizes[0] * max(times[0], LEAST_STEP) for took, size in zip(times, sizes, strict=True)
        ):
            return
        assert left, f"sizes {sizes} took {', '.join(f'{took:.3f}' for took in times)} s of the processor"


def _timed(work: Callable[[], T]) -> tuple[float, T]:
    collected = gc.isenabled()
    gc.disable()  # it would look through all that other tests of this process have left
    try:
        start = time.process_time()
        done = work()
        return time.process_time() - start, done
    finally:
        if collected:
            gc.enable()


def _yardstick() -> float:
    return _timed(lambda: sum(len(str(number)) for number in range(200_000)))[0]
