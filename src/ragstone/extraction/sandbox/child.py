"""One child process as its parent sees it."""

import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
import time

from ragstone.extraction.sandbox.lifeline import Lifeline
from ragstone.extraction.sandbox.messages import ANSWER, LENGTH, PAGE, Request, pack_message

PIECE = 1 << 18  # bytes moved at once
STDERR_TAIL = 4096  # bytes of what it says last on stderr that are kept
# Nothing of the parent's environment: it may hold keys. One thread each for libraries that would start
# one a core and reserve memory for it; one seed, so that the same document gives the same result. Pictures of
# pages in memory of their own: between what is kept of each page they left holes, 7 MB a page that OCR read.
ENVIRONMENT = {
    "LC_ALL": "C.UTF-8",
    "MALLOC_ARENA_MAX": "2",
    "MALLOC_MMAP_THRESHOLD_": "4194304",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PATH": os.defpath,
    "PYTHONHASHSEED": "0",
}


class FloodError(Exception):
    """Its answer is longer than it may be."""


class GarbledError(Exception):
    """The child sent an invalid answer to the request."""


class Child:
    """Used by one thread at a time; `end` may be called from any."""

    def __init__(self) -> None:
        """Start it, out of reach of the terminal's Ctrl-C, without open files of this process.

        Raises `OSError`.
        """
        path = os.pathsep.join(os.path.abspath(entry) for entry in sys.path if entry)
        self._lock = threading.Lock()
        self._lifeline = Lifeline()
        self._process: subprocess.Popen[bytes] = self._lifeline.start(
            lambda end: subprocess.Popen(
                [sys.executable, "-P", "-s", "-m", "ragstone.extraction.sandbox", str(end)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd="/",
                env={**ENVIRONMENT, "PYTHONPATH": path},
                process_group=0,
                pass_fds=(end,),
            )
        )
        self.pid = self._process.pid
        self.stderr_tail = b""  # the end of what it said on stderr
        self.pages = 0  # of the document asked for last that it reads by OCR
        self._pipes = [pipe for pipe in (self._process.stdin, self._process.stdout, self._process.stderr) if pipe]
        self._to, self._from, self._errors = (pipe.fileno() for pipe in self._pipes)
        for pipe in self._pipes:
            os.set_blocking(pipe.fileno(), False)

    def ask(self, request: Request, data: bytes, *, most: int) -> tuple[bytes, bool, bytearray]:
        """The kind of its answer, whether it ends with that, and the answer of at most `most` bytes.

        Raises `EOFError` when it has ended, `TimeoutError` when it took too long, `FloodError`, `GarbledError`.
        """
        head = pack_message(request)
        exchange = _Exchange(
            [LENGTH.pack(len(head)), head, data], number=request.number, most=most, pages=request.pages
        )
        return self._exchange(exchange, request.wall_seconds, page=request.page_wall)

    def await_greeting(self, *, seconds: float) -> tuple[bytes, bool, bytearray]:
        """The greeting of a started child; raises as `ask` does."""
        return self._exchange(_Exchange([], number=0, most=STDERR_TAIL), seconds)

    def is_quiet(self) -> bool:
        """Whether it is there and says nothing unasked."""
        poll = select.poll()
        poll.register(self._from, select.POLLIN)
        return not poll.poll(0)

    def end(self, *, patience: float = 0.0) -> int | None:
        """Kill it and all that it started. Its exit status, negative for a signal; None when, after
        `patience` seconds, it still ran."""
        by_itself = self._has_ended(patience)
        with self._lock:
            if self._process.returncode is None:
                # Only while it was not waited for: later its number may be another's.
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self.pid, signal.SIGKILL)
                self._process.wait()
            return self._process.returncode if by_itself else None

    def close(self) -> None:
        """Close the pipes once they are unused."""
        with contextlib.suppress(OSError):
            self._read_stderr()
        for pipe in self._pipes:
            pipe.close()
        self._lifeline.close()

    def forget(self) -> None:
        """In a process that was forked from ours: it is the other one's child."""
        self._process.returncode = 0
        for pipe in self._pipes:
            pipe.close()
        self._lifeline.close()

    def _has_ended(self, patience: float) -> bool:
        """Whether it ends by itself; it stays to be waited for."""
        deadline = time.monotonic() + patience
        while self._process.returncode is None:
            with contextlib.suppress(ChildProcessError):
                if os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                    return True
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.002)
        return True

    def _exchange(self, exchange: "_Exchange", seconds: float, *, page: float = 0.0) -> tuple[bytes, bool, bytearray]:
        begun = time.monotonic()
        poll = select.poll()
        poll.register(self._from, select.POLLIN)
        poll.register(self._errors, select.POLLIN)
        if exchange.unsent:
            poll.register(self._to, select.POLLOUT)
        while not exchange.is_complete:
            self.pages = exchange.pages
            left = begun + seconds + page * exchange.pages - time.monotonic()
            ready = poll.poll(left * 1000) if left > 0 else []
            if not ready:
                raise TimeoutError
            for file, _ in ready:
                if file == self._from:
                    exchange.receive(os.read(file, min(PIECE, exchange.wanted)))
                elif not (self._read_stderr() if file == self._errors else exchange.send(file)):
                    poll.unregister(file)
        if exchange.unsent:  # an answer to what it has not read
            raise GarbledError
        return exchange.kind, exchange.last, exchange.answer

    def _read_stderr(self) -> bool:
        """Take what it says on stderr; False when it has closed that."""
        try:
            heard = os.read(self._errors, PIECE)
        except BlockingIOError:
            return True
        self.stderr_tail = (self.stderr_tail + heard)[-STDERR_TAIL:]
        return bool(heard)


class _Exchange:
    """One request on its way out, one answer on its way in."""

    def __init__(self, parts: list[bytes], *, number: int, most: int, pages: int = 0) -> None:
        self.unsent = [memoryview(part) for part in parts if part]
        self.kind, self.last = b"", False
        self.answer = bytearray()
        self.wanted = ANSWER.size  # bytes that are still to come
        self._head = bytearray()
        self.pages = 0  # that are read by OCR, so far
        self._number = number
        self._most = most
        self._most_pages = pages

    @property
    def is_complete(self) -> bool:
        """Whether the answer is there."""
        return bool(self.kind) and not self.wanted

    def send(self, pipe: int) -> bool:
        """Write what the pipe takes; False when there is no more to say."""
        try:
            said = os.write(pipe, self.unsent[0][:PIECE])
        except BlockingIOError:
            return True
        except BrokenPipeError:
            return False  # it has ended; why, the other pipe tells
        self.unsent[0] = self.unsent[0][said:]
        if not self.unsent[0]:
            del self.unsent[0]
        return bool(self.unsent)

    def receive(self, piece: bytes) -> None:
        """A piece of the answer; raises `EOFError`, `FloodError`, `GarbledError`."""
        if not piece:
            raise EOFError
        self.wanted -= len(piece)
        if self.kind:
            self.answer += piece
            return
        self._head += piece
        if not self.wanted:
            self.kind, self.last, number, self.wanted = ANSWER.unpack(self._head)
            if number != self._number:
                raise GarbledError
            if self.wanted > self._most:
                raise FloodError
            if self.kind == PAGE:
                self._count_page()

    def _count_page(self) -> None:
        """Count a page; the answer is still to come."""
        if self.wanted or self.last or self.pages == self._most_pages:
            raise GarbledError
        self.pages += 1
        self.kind, self.wanted = b"", ANSWER.size
        self._head.clear()
