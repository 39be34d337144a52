"""Steps of an extractor that a document can do without: one that fails, or takes too long, costs itself and no more."""

import math
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import PurePath
from types import FrameType
from typing import NamedTuple, TypeVar

from ragstone.core.errors import Refused

T = TypeVar("T")

SHARE = 3  # a step may take one part in so many of the time that is left: the others read the text
AGAIN = 1.0  # seconds after which a step that swallowed its end is ended again
KINDS, PAGES = 10, 20  # warnings about failed steps, and pages that one names


class FailedStep(NamedTuple):
    """A step that was not done, the reason, and the number of the page; 0 for the document as a whole."""

    what: str
    why: str
    page: int = 0


class StepTooSlow(Exception):  # it ends a step and never leaves it
    """The time of a step is over."""


def attempt_step(
    what: str, work: Callable[[], T], failed: list[FailedStep], *, page: int = 0, timed: bool = True
) -> T | None:
    """The result of `work`; None, and a note in `failed`, where it fails or takes a third of the time that is left.

    `what` is the loss as a warning says it. A refusal of the document and want of memory pass. Time is looked at in
    the sandbox, where it is limited; one that is not `timed` may use all of it.
    """
    try:
        with _limit_time() if timed else nullcontext():
            return work()
    except (Refused, MemoryError):
        raise
    except StepTooSlow:
        failed.append(FailedStep(what, "it took too long", page))
    except Exception as error:  # whatever a document does to a step
        failed.append(FailedStep(what, describe_error(error), page))
    return None


def attempt_each(what: str, work: Callable[[], Iterable[T]], failed: list[FailedStep], *, page: int = 0) -> list[T]:
    """As many of the items that `work` makes as there are before making one fails."""
    out: list[T] = []
    attempt_step(what, lambda: out.extend(work()), failed, page=page)
    return out


def describe_error(error: Exception) -> str:
    """The kind of an error and its place in the code, for a report; not its words: they may quote the document."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    place = f" in {PurePath(at.tb_frame.f_code.co_filename).name}, line {at.tb_lineno}" if at is not None else ""
    return f"{type(error).__name__[:60]}{place}"


def warn_failed_steps(failed: Sequence[FailedStep]) -> Iterator[str]:
    """One warning for each kind of failure, with its pages; of many kinds the first, and the number of the others."""
    pages: dict[tuple[str, str], list[int]] = {}
    for step in failed:
        pages.setdefault((step.what, step.why), []).append(step.page)
    for (what, why), numbers in list(pages.items())[:KINDS]:
        named = sorted({number for number in numbers if number})
        more = f" and {len(named) - PAGES} more" if len(named) > PAGES else ""
        where = f": page{'s' if len(named) > 1 else ''} {', '.join(map(str, named[:PAGES]))}{more}" if named else ""
        yield f"{what} ({why}); the rest was read{where}"
    if len(pages) > KINDS:
        yield f"{len(pages) - KINDS} more steps of reading failed"


@contextmanager
def _limit_time() -> Iterator[None]:
    """Raise `StepTooSlow` in here after its share of what is left to the document, or to the step around this one."""
    left = _measure_time_left() if threading.current_thread() is threading.main_thread() else math.inf
    if left == math.inf:
        yield
        return
    around = signal.getitimer(signal.ITIMER_PROF)[0]
    started = time.process_time()
    signal.signal(signal.SIGPROF, _end_step)
    signal.setitimer(signal.ITIMER_PROF, max(0.01, min(left, around or left) / SHARE), AGAIN)
    try:
        yield
    finally:
        rest = max(0.01, around - (time.process_time() - started)) if around else 0.0
        signal.setitimer(signal.ITIMER_PROF, rest, AGAIN if rest else 0.0)


def _end_step(_number: int, _frame: FrameType | None) -> None:
    raise StepTooSlow


def _measure_time_left() -> float:
    """Seconds of the processor that the document being read may still use; without end outside the sandbox."""
    if sys.platform == "win32":
        return math.inf
    with suppress(ImportError, OSError):
        import resource

        soft = resource.getrlimit(resource.RLIMIT_CPU)[0]
        if soft != resource.RLIM_INFINITY:
            return max(0.0, soft - time.process_time())
    return math.inf
