"""A few children for one owner: started when first needed, kept for the next document."""

import atexit
import itertools
import os
import sys
import threading
import weakref
from collections.abc import Mapping
from typing import NoReturn

from ragstone.core.errors import Corrupt, Refused
from ragstone.core.page_layout import Layout
from ragstone.core.types import Extraction
from ragstone.extraction.sandbox import messages, refusals
from ragstone.extraction.sandbox.child import Child, FloodError, GarbledError
from ragstone.extraction.sandbox.children import Children
from ragstone.extraction.sandbox.document_limits import DEFAULT, NO_OPTIONS, Bounds
from ragstone.extraction.sandbox.messages import DRAWN, FAILED, MADE, READY, Request
from ragstone.extraction.sandbox.uninterrupted import run_uninterrupted

START = 300.0  # seconds to start in, to end a hang; 0.3 on an idle machine
EXIT_PATIENCE = 5.0  # seconds that a child which stopped talking has to end by itself
MOST = 4  # children at once, or one a core where there are fewer
FAILURE = 100_000  # bytes that word of a failure may have


class Pool:
    """See `Sandbox`. Children are ended when they are told to, when they ask for it and when they break a limit."""

    def __init__(self, most: int | None = None) -> None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        self._most = most or min(cores, MOST)
        self._stopped = False
        self._reset()
        _pools.add(self)

    def _reset(self) -> None:
        self._children: Children[Child] = Children(self._most)
        self._lock = threading.Lock()  # of what follows
        self._numbers = itertools.count(1)
        self._closings = 0

    def run(
        self,
        parser: str,
        data: bytes,
        *,
        path: str,
        options: Mapping[str, object] = NO_OPTIONS,
        bounds: Bounds = DEFAULT,
    ) -> Extraction:
        """As `Sandbox.run`."""
        kind, answer = self._ask_child(parser, data, path, options, bounds)
        return _unpack_answer(kind, answer, path, bounds)

    def draw(
        self,
        drawer: str,
        data: bytes,
        *,
        path: str,
        options: Mapping[str, object] = NO_OPTIONS,
        bounds: Bounds = DEFAULT,
    ) -> bytes:
        """As `Sandbox.draw`."""
        kind, answer = self._ask_child(drawer, data, path, options, bounds)
        return bytes(answer) if kind == DRAWN else _raise_unrendered(kind, answer, path, bounds)

    def _ask_child(
        self, parser: str, data: bytes, path: str, options: Mapping[str, object], bounds: Bounds
    ) -> tuple[bytes, bytearray]:
        """A child's answer and of which kind it is."""
        bounds = bounds.for_size(len(data))
        request = _build_request(next(self._numbers), parser, len(data), path, options, bounds)
        use = _Use(path)
        return run_uninterrupted(lambda: self._ask_in_place(request, data, bounds, use), use.give_up)

    def _ask_in_place(self, request: Request, data: bytes, bounds: Bounds, use: "_Use") -> tuple[bytes, bytearray]:
        path = use.path
        with self._children.places:
            closings = self._closings
            child = self._take_child(use)
            try:
                kind, last, answer = child.ask(request, data, most=bounds.output_bytes + FAILURE)
            except (EOFError, OSError, FloodError, GarbledError) as error:
                status = self._dismiss_child(child, patience=EXIT_PATIENCE if isinstance(error, EOFError) else 0.0)
                self._check_not_stopped(use)
                raise _explain_silence(error, path, bounds.with_pages(child.pages), status, child.stderr_tail) from None
            except BaseException:  # an interrupt: nobody waits for the answer
                self._dismiss_child(child)
                raise
            use.end()
            self._return_child(child, closings, last=last)
        return kind, answer

    def close(self) -> None:
        """End idle children now and the others when they have answered."""
        with self._lock:
            self._closings += 1
            idle = self._children.take_all_idle()
        for child in idle:
            self._dismiss_child(child)

    def stop(self) -> None:
        """End all children, also those at work, and start no more: documents are `Refused` from now on."""
        self._stopped = True
        for child in self._children.list_working():
            child.end()
        self.close()

    def forget(self) -> None:
        """In a process that was forked from this one: the children are not its own, the threads are not there."""
        for child in self._children.list_after_fork():
            child.forget()
        self._reset()

    def _take_child(self, use: "_Use") -> Child:
        """An idle child or a new one."""
        while True:
            self._check_not_stopped(use)
            child = self._children.take_idle()
            if child is None:
                return self._start_child(use)
            if child.is_quiet():
                use.begin(child)
                return child
            self._dismiss_child(child)

    def _start_child(self, use: "_Use") -> Child:
        path = use.path
        if not sys.executable or getattr(sys, "frozen", False) or sys.platform == "win32":
            raise refusals.explain_no_process(path, "this program can start no other Python under limits")
        try:
            child = Child()
        except OSError as error:
            raise refusals.explain_no_process(path, str(error)) from None
        self._children.add(child)
        use.begin(child)
        try:
            self._check_not_stopped(use)
            kind, _, answer = child.await_greeting(seconds=START)
        except (EOFError, OSError, FloodError, GarbledError) as error:
            status = self._dismiss_child(child, patience=EXIT_PATIENCE)
            self._check_not_stopped(use)
            raise refusals.explain_failed_start(
                path, "it does not answer" if status is None else str(error), child.stderr_tail
            ) from None
        except BaseException:
            self._dismiss_child(child)
            raise
        if kind != READY:
            self._dismiss_child(child)
            _unpack_answer(kind, answer, path, DEFAULT)
        return child

    def _return_child(self, child: Child, closings: int, *, last: bool) -> None:
        with self._lock:
            last = last or closings != self._closings
            if not last:
                self._children.give_back(child)
        if last:
            self._dismiss_child(child)

    def _dismiss_child(self, child: Child, *, patience: float = 0.0) -> int | None:
        status = child.end(patience=patience)
        child.close()
        self._children.remove(child)
        return status

    def _check_not_stopped(self, use: "_Use") -> None:
        if self._stopped or use.is_given_up:
            raise Refused("broken", f"{use.path} was not read: the run was stopped")


class _Use:
    """The use of a child for one document, which another thread may give up."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._lock = threading.Lock()  # of what follows
        self._child: Child | None = None
        self.is_given_up = False

    def begin(self, child: Child) -> None:
        """The document is this child's from now on."""
        with self._lock:
            self._child = child
            if self.is_given_up:
                child.end()

    def end(self) -> None:
        """The child has answered: it may read another document now."""
        with self._lock:
            self._child = None

    def give_up(self) -> None:
        """End the child that reads it, or that would."""
        with self._lock:
            self.is_given_up = True
            if self._child is not None:
                self._child.end()


def _build_request(
    number: int, parser: str, size: int, path: str, options: Mapping[str, object], bounds: Bounds
) -> Request:
    return Request(
        number=number,
        parser=parser,
        path=path.encode(errors="replace").decode(),  # a file's name may be no text
        options=dict(options),
        size=size,
        cpu_seconds=bounds.cpu_seconds,
        wall_seconds=bounds.wall_seconds,
        memory_bytes=bounds.memory_bytes,
        output_bytes=bounds.output_bytes,
        pages=bounds.pages,
        page_seconds=bounds.page_seconds,
        page_wall=bounds.page_wall,
    )


def _explain_silence(error: Exception, path: str, bounds: Bounds, status: int | None, said: bytes) -> Refused:
    if isinstance(error, TimeoutError):
        return refusals.explain_timeout(path, bounds)
    if isinstance(error, FloodError):
        return refusals.explain_flood(path, bounds)
    if isinstance(error, GarbledError):
        return refusals.explain_garbled(path, error)
    return refusals.explain_exit(path, bounds, status, said)


def _unpack_answer(kind: bytes, answer: bytearray, path: str, bounds: Bounds) -> Extraction:
    """What the answer holds; raises what it tells of. It is read as what it is: bytes of a process that
    a document may have taken over."""
    try:
        if kind == FAILED:
            raise refusals.explain_failure(path, bounds, messages.unpack_failure(answer))
        if kind != MADE:
            raise ValueError(kind)
        made = messages.unpack_extraction(answer)
        if made.layout is not None:
            Layout.unpack(made.layout.pack())
    except (*messages.DECODE_ERRORS, Corrupt) as error:
        raise refusals.explain_garbled(path, error) from None
    return made


def _raise_unrendered(kind: bytes, answer: bytearray, path: str, bounds: Bounds) -> NoReturn:
    _unpack_answer(kind, answer, path, bounds)
    raise refusals.explain_garbled(path, ValueError("an extraction for a picture"))


_pools: "weakref.WeakSet[Pool]" = weakref.WeakSet()
_shared = Pool()


def default_pool() -> Pool:
    """The pool of all who have none of their own."""
    return _shared


def renew_default_pool() -> None:
    """Stop that pool and put another in its place."""
    global _shared
    _shared.stop()
    _shared = Pool()


@atexit.register
def _stop_pools() -> None:
    for pool in list(_pools):
        pool.stop()


def _forget_pools() -> None:
    for pool in list(_pools):
        pool.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pools)
