"""Workers that build revisions while files are read and written: other processes, or threads for a few documents.

Making them is Python's own work, which threads of one process do not share out. A child is
`python -m ragstone.ingestion.workers`: over pipes it is told the rules once, then document by document.
"""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

from ragstone.extraction import sandbox
from ragstone.extraction.sandbox import Sandbox
from ragstone.ingestion.build_revision import RevisionBuilder
from ragstone.ingestion.workers.child_pool import BuildFunction, ChildPool, build_in_process
from ragstone.ingestion.workers.messages import pack_if_portable

__all__ = ["BuildFunction", "WorkerPool", "open_worker_pool"]

# Bytes of changed documents from which children are worth their start: 4 MB of Markdown take 7 s, a start 0.5 s.
MIN_POOL_BYTES = 4_000_000
MAX_CHILDREN = 4  # children; what is left to the parent is a fifth of the work, so that more would wait for it


@dataclass(frozen=True, slots=True)
class WorkerPool:
    """The function that builds revisions, and the threads from which to call it."""

    build: BuildFunction
    threads: ThreadPoolExecutor


@contextmanager
def open_worker_pool(
    builder: RevisionBuilder, source: str, *, size: int, processes: Sandbox | None = None
) -> Iterator[WorkerPool]:
    """A pool for about `size` bytes of changed documents; leaving it ends its processes and threads.

    `processes` is the sandbox of this process; it is told to end too.

    Processes are used where that is worth it and the rules can be told to another process; a
    tokenizer of one's own that cannot be pickled means threads.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    rules = pack_if_portable((builder, source)) if size >= MIN_POOL_BYTES and cores > 1 else None
    processes = processes or sandbox.create_sandbox()
    if rules is None:
        with ThreadPoolExecutor(cores, thread_name_prefix="ragstone-text") as threads, _end_sandbox_after(processes):
            yield WorkerPool(build_in_process(builder, source, processes), threads)
        return
    children = ChildPool(rules, build_in_process(builder, source, processes), most=min(cores, MAX_CHILDREN))
    # Twice as many threads as children: half of them read ahead while the others wait for an answer.
    threads = ThreadPoolExecutor(2 * min(cores, MAX_CHILDREN), thread_name_prefix="ragstone-text")
    try:
        with _end_sandbox_after(processes):
            yield WorkerPool(children.build, threads)
    finally:
        children.stop()
        threads.shutdown(wait=True, cancel_futures=True)
        children.close()


@contextmanager
def _end_sandbox_after(processes: Sandbox) -> Iterator[None]:
    """Parsers in the sandbox: told to end when the work is done, ended at once when it is interrupted."""
    try:
        yield
    except BaseException:
        processes.stop()
        raise
    processes.close()
