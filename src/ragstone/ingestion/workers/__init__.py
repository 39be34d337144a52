"""What makes revisions out of bytes while files are read and written: other processes, or threads for a few.

Making them is Python's own work, which threads of one process do not share out. A child is
`python -m ragstone.ingestion.workers`: over pipes it is told the rules once, then document by document.
"""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

from ragstone.extraction import sandbox
from ragstone.extraction.sandbox import Apart
from ragstone.ingestion.build_revision import Making
from ragstone.ingestion.workers.crew import Build, Crew, here
from ragstone.ingestion.workers.messages import portable

__all__ = ["Build", "Shop", "opened"]

# Bytes of changed documents from which children are worth their start: 4 MB of Markdown take 7 s, a start 0.5 s.
WORTH = 4_000_000
MOST = 4  # children; what is left to the parent is a fifth of the work, so that more would wait for it


@dataclass(frozen=True, slots=True)
class Shop:
    """What makes revisions, and the threads from which to call it."""

    build: Build
    threads: ThreadPoolExecutor


@contextmanager
def opened(making: Making, source: str, *, size: int, apart: Apart | None = None) -> Iterator[Shop]:
    """A shop for about `size` bytes of changed documents; leaving it ends its processes and threads.

    `apart` reads what is read in the sandbox by this process; it is told to end too.

    Processes are used where that is worth it and the rules can be told to another process; a
    tokenizer of one's own that cannot be pickled means threads.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    rules = portable((making, source)) if size >= WORTH and cores > 1 else None
    apart = apart or sandbox.own()
    if rules is None:
        with ThreadPoolExecutor(cores, thread_name_prefix="ragstone-text") as threads, _ending(apart):
            yield Shop(here(making, source, apart), threads)
        return
    crew = Crew(rules, here(making, source, apart), most=min(cores, MOST))
    # Twice as many threads as children: half of them read ahead while the others wait for an answer.
    threads = ThreadPoolExecutor(2 * min(cores, MOST), thread_name_prefix="ragstone-text")
    try:
        with _ending(apart):
            yield Shop(crew.build, threads)
    finally:
        crew.stop()
        threads.shutdown(wait=True, cancel_futures=True)
        crew.close()


@contextmanager
def _ending(apart: Apart) -> Iterator[None]:
    """Parsers in the sandbox: told to end when the work is done, ended at once when it is interrupted."""
    try:
        yield
    except BaseException:
        apart.stop()
        raise
    apart.close()
