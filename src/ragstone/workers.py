"""Processes that make revisions out of bytes, because threads of Python do not share such work out.

A child is `python -m ragstone.workers`. Over pipes it is told the rules once, then document by
document; reading and comparing of files, and all writing, stay with the parent. A child ends when its
parent does, and one that dies takes only the document with it that it was working on.
"""

import copyreg
import logging
import os
import pickle
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import partial
from io import BytesIO
from operator import attrgetter
from typing import IO, Any

from ragstone import revise
from ragstone.errors import Refused
from ragstone.providers import WordPiece
from ragstone.revise import Making
from ragstone.types import Chunk, Document, Revision, Span

# Bytes of changed documents from which children are worth their start (0.5 s; 4 MB of Markdown take 7 s).
WORTH = 4_000_000
MOST = 4  # children; writing, which one process does, takes a sixth of the time
SIZE = 8  # bytes of the length before each message
NAME = 4096  # bytes that the first answer of a child may have

Build = Callable[[str, bytes, str, Document | None], Revision]
"""Path, bytes, their sha256 and the revision before to the next one; raises `Refused`."""

log = logging.getLogger("ragstone")


@dataclass(frozen=True, slots=True)
class Shop:
    """What makes revisions, and the threads from which to call it."""

    build: Build
    threads: ThreadPoolExecutor


@contextmanager
def opened(making: Making, source: str, *, size: int) -> Iterator[Shop]:
    """A shop for about `size` bytes of changed documents: in processes when that is worth it, else in threads."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    here = partial(_build_here, making, source)
    rules = _rules(making, source) if size >= WORTH and cores > 1 else None
    crew = Crew(rules, here, most=min(cores, MOST)) if rules is not None else None
    # With children, as many threads again read ahead while the others wait for their child.
    threads = ThreadPoolExecutor(2 * crew.most if crew else cores, thread_name_prefix="ragstone-text")
    try:
        yield Shop(crew.build if crew else here, threads)
    finally:
        if crew:
            crew.close()
        threads.shutdown(wait=True, cancel_futures=True)


def _build_here(making: Making, source: str, path: str, data: bytes, version: str, before: Document | None) -> Revision:
    return revise.build(making, source, path, data, version=version, before=before)


def _rules(making: Making, source: str) -> bytes | None:
    """What a child needs to know; None when it cannot be told, or no child could be started."""
    if not sys.executable or getattr(sys, "frozen", False):
        return None
    try:
        rules = packed((making, source))
    except Exception as error:  # a tokenizer of the caller's own may refuse in any way
        log.debug("no processes: %s: %s", type(error).__name__, error)
        return None
    # What is defined in the script that runs is not there in a child: its main module is another.
    return None if b"__main__" in rules else rules


# --- messages -----------------------------------------------------------------------------------


def _flat(kind: type[Any]) -> Callable[[Any], tuple[Any, ...]]:
    """A tenth of the time that a frozen dataclass takes by itself."""
    values = attrgetter(*(field.name for field in fields(kind)))
    return lambda value: (kind, values(value))


TABLE = {
    **copyreg.dispatch_table,
    **{kind: _flat(kind) for kind in (Chunk, Document, Span)},
    WordPiece: lambda _: (WordPiece, ()),
}


def packed(value: object) -> bytes:
    """A value as a message."""
    out = BytesIO()
    pickler = pickle.Pickler(out, protocol=5)
    pickler.dispatch_table = TABLE
    pickler.dump(value)
    return out.getvalue()


def _send(pipe: IO[bytes], message: bytes) -> None:
    pipe.write(len(message).to_bytes(SIZE))
    pipe.write(message)
    pipe.flush()


def _receive(pipe: IO[bytes], most: int = sys.maxsize) -> bytes:
    """One whole message; raises `EOFError` when the other side has ended or says something else."""
    size = int.from_bytes(head) if len(head := pipe.read(SIZE)) == SIZE else most + 1
    message = pipe.read(size) if size <= most else b""
    if len(head) < SIZE or len(message) < size:
        raise EOFError
    return message


# --- the parent's side --------------------------------------------------------------------------


class Child:
    """One process, used by one thread at a time. Every method raises `OSError` or `EOFError` when it is lost."""

    def __init__(self) -> None:
        """Start it: apart from the terminal's Ctrl-C, and without modules from the current folder."""
        apart: dict[str, Any] = (
            {"creationflags": 0x200} if sys.platform == "win32" else {"process_group": 0}  # CREATE_NEW_PROCESS_GROUP
        )
        self._process = subprocess.Popen(
            [sys.executable, "-I" if sys.flags.isolated else "-P", "-m", "ragstone.workers"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            **apart,
        )
        assert self._process.stdin is not None  # both are pipes
        assert self._process.stdout is not None
        self._to, self._from = self._process.stdin, self._process.stdout

    def learn(self, rules: bytes) -> bool:
        """Tell it the rules; whether it understood them, and is of the same program."""
        _send(self._to, packed(sys.path))
        _send(self._to, rules)
        return _receive(self._from, NAME) == os.fsencode(revise.__file__)

    def ask(self, request: bytes) -> bytes:
        """Have one document made."""
        _send(self._to, request)
        return _receive(self._from)

    def end(self) -> int:
        """Kill it and wait for its end; the exit status, negative for a signal."""
        self._process.kill()
        return self._process.wait()

    def close(self) -> None:
        """Give the pipes back, once no thread uses them."""
        for pipe in (self._from, self._to):
            try:
                pipe.close()
            except OSError:  # what was not sent any more
                log.debug("a child ended before it was told everything")


class Crew:
    """At most `most` children, each started when it is first needed; where none can be had, `here` does the work."""

    def __init__(self, rules: bytes, here: Build, *, most: int) -> None:
        self.most = most
        self._rules = rules
        self._here = here
        self._places = threading.Semaphore(most)
        self._lock = threading.Lock()
        self._all: set[Child] = set()
        self._idle: list[Child] = []
        self._closed = False
        self._useless = False

    def build(self, path: str, data: bytes, version: str, before: Document | None) -> Revision:
        """As `revise.build`; a child that dies meanwhile refuses the document as `broken`."""
        with self._places:
            child = self._hired()
            if child is not None:
                answer = self._asked(child, path, packed((path, data, version, before)))
        return _opened(answer, path) if child is not None else self._here(path, data, version, before)

    def close(self) -> None:
        """End all children, also those that are at work."""
        with self._lock:
            self._closed = True
            children = list(self._all)
        for child in children:
            child.end()
        for child in self._idle:
            child.close()

    def _hired(self) -> Child | None:
        """An idle child or a new one; None when children do not work here."""
        with self._lock:
            if self._closed:
                raise Refused("broken", "the run was stopped")
            if self._idle:
                return self._idle.pop()
            if self._useless:
                return None
            try:
                child = Child()
            except OSError as error:
                log.debug("no processes: %s", error)
                self._useless = True
                return None
            self._all.add(child)
        try:
            if child.learn(self._rules):
                return child
        except (OSError, EOFError) as error:
            log.debug("no processes: a child ended at its start (%r)", error)
        self._dismissed(child)
        self._useless = True
        return None

    def _asked(self, child: Child, path: str, request: bytes) -> bytes:
        try:
            answer = child.ask(request)
        except (OSError, EOFError):
            status = self._dismissed(child)
            raise Refused(
                "broken",
                f"{path} could not be taken in: the process that read it {_ended(status)}; "
                "it may need more memory than there is, or break a parser",
            ) from None
        with self._lock:
            self._idle.append(child)
        return answer

    def _dismissed(self, child: Child) -> int:
        status = child.end()
        child.close()
        with self._lock:
            self._all.discard(child)
        return status


def _ended(status: int) -> str:
    if status >= 0:
        return f"ended with status {status}"
    names = {number.value: number.name for number in signal.Signals}
    return f"was ended by {names.get(-status, f'signal {-status}')}"


def _opened(answer: bytes, path: str) -> Revision:
    """The revision in a child's answer; raises the `Refused` in it."""
    made = pickle.loads(answer)  # noqa: S301  # comes from our own child
    if isinstance(made, Revision):
        return made
    reason, message, trace = made
    if trace:
        log.error("%s could not be taken in\n%s", path, trace)
    raise Refused(reason, message)


# --- the child's side ---------------------------------------------------------------------------


def serve() -> None:
    """Learn the rules, then answer each request, until the parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests, answers = _channels()
    try:
        sys.path[:] = pickle.loads(_receive(requests))  # noqa: S301  # comes from our own parent, as all below
        making, source = pickle.loads(_receive(requests))  # noqa: S301
        _send(answers, os.fsencode(revise.__file__))
        while True:
            _send(answers, _answer(making, source, _receive(requests)))
    except (EOFError, OSError):
        os._exit(0)  # nothing is left to say, nor anybody to say it to


def _channels() -> tuple[IO[bytes], IO[bytes]]:
    """The pipes, out of the way of whatever prints or reads from the keyboard."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    return requests, answers


def _answer(making: Making, source: str, request: bytes) -> bytes:
    """A revision, or reason, message and trace."""
    path, data, version, before = pickle.loads(request)  # noqa: S301
    try:
        return packed(revise.build(making, source, path, data, version=version, before=before))
    except Refused as error:
        return packed((error.reason, str(error), ""))
    except Exception as error:  # whatever a document does to a parser
        message = f"{path} could not be taken in: {type(error).__name__}: {error}"
        return packed(("broken", message, traceback.format_exc()))


if __name__ == "__main__":
    serve()
