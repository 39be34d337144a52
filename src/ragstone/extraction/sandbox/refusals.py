"""Why a document was not read, in one sentence: what happened, which limit, what to do."""

import logging
import re
import signal

from ragstone.core.errors import Refused
from ragstone.extraction.sandbox.document_limits import MB, Bounds
from ragstone.extraction.sandbox.messages import Failure

EXHAUSTED = 77  # as `limits` has it, which not every system can import
REASON = re.compile(r"[a-z_]{1,40}")
SENTENCE = 1000  # characters
# What libraries in C++, Rust and C say before they end for want of memory.
OUT_OF_MEMORY = re.compile(
    rb"bad_alloc|length_error|memory allocation of \d+ bytes|out of memory|cannot allocate memory|MemoryError", re.I
)

log = logging.getLogger("ragstone")


def explain_failure(path: str, bounds: Bounds, failure: Failure) -> Refused:
    """For a child that says what went wrong."""
    if failure.trace:
        log.debug("%s could not be read\n%s", path, failure.trace)
    if failure.kind == "refused":
        reason = failure.reason if REASON.fullmatch(failure.reason) else "broken"
        return Refused(reason, failure.message[:SENTENCE])
    if failure.kind == "memory":
        return _explain_memory_limit(path, bounds)
    if failure.kind == "output":
        return explain_flood(path, bounds)
    if failure.kind == "unloadable":
        return Refused(
            "unsupported", f"{path} cannot be read: its parser is not installed: {failure.message[:SENTENCE]}"
        )
    if failure.kind == "unlimited":
        return explain_no_process(path, f"limits cannot be set: {failure.message[:SENTENCE]}")
    return Refused("broken", f"{path} could not be read: its parser failed with {failure.message[:SENTENCE]}")


def explain_exit(path: str, bounds: Bounds, status: int | None, said: bytes) -> Refused:
    """For a child that ended with `status` and `said` something last; None: it only stopped talking."""
    if said:
        log.debug("%s: the process that read it said last\n%s", path, said.decode(errors="replace"))
    if status == -signal.SIGXCPU:
        return _explain_cpu_limit(path, bounds)
    if status == -signal.SIGALRM:
        return explain_timeout(path, bounds)
    if status == EXHAUSTED or OUT_OF_MEMORY.search(said):
        return _explain_memory_limit(path, bounds)
    if status == -signal.SIGKILL:
        return Refused(
            "too_big",
            f"{path} could not be read: the system ended the process that read it, as it does where memory "
            "runs short; split the document or give the machine more",
        )
    names = {-number.value: f"was ended by {number.name}" for number in signal.Signals}
    how = "closed its pipes" if status is None else names.get(status, f"ended with status {status}")
    return Refused(
        "broken", f"{path} could not be read: the process that read it {how}; the document breaks its parser"
    )


def explain_timeout(path: str, bounds: Bounds) -> Refused:
    """For a child that did not answer in time."""
    return Refused(
        "too_slow",
        f"{path} was not read within {_format_number(bounds.wall_seconds)} seconds; split it, or raise limits.seconds",
    )


def explain_flood(path: str, bounds: Bounds) -> Refused:
    """For a child that sends too much, or no answer."""
    return Refused(
        "too_large",
        f"{path} becomes more than the {_format_number(bounds.output_bytes / MB)} MB of text and places allowed; "
        "split it",
    )


def explain_garbled(path: str, error: Exception) -> Refused:
    """For a child whose answer is none."""
    log.debug("%s: the process that read it answered with invalid data: %r", path, error)
    return Refused(
        "broken", f"{path} could not be read: the parser returned invalid data; the document breaks its parser"
    )


def explain_failed_start(path: str, why: str, said: bytes) -> Refused:
    """For a child that ended before it was told of a document."""
    last = said.decode(errors="replace").strip().rpartition("\n")[2]
    return explain_no_process(path, last[:SENTENCE] or why or "it ended at once")


def explain_no_process(path: str, why: str) -> Refused:
    """Where no child can be had."""
    return Refused(
        "sandbox",
        f"{path} was not read: files of its kind are read in a limited process of their own, and none could be "
        f"started here ({why}); convert it to Markdown or HTML",
    )


def _explain_cpu_limit(path: str, bounds: Bounds) -> Refused:
    return Refused(
        "too_slow",
        f"{path} took more than {_format_number(bounds.cpu_seconds)} seconds of processor time; "
        "split it, or raise limits.seconds",
    )


def _explain_memory_limit(path: str, bounds: Bounds) -> Refused:
    return Refused(
        "too_big",
        f"{path} needs more than the {_format_number(bounds.memory_bytes / MB)} MB of memory allowed; "
        "split it, or raise limits.memory_bytes",
    )


def _format_number(value: float) -> str:
    return f"{value:,.1f}".removesuffix(".0")
