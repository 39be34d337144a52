"""The protocol over stdin and stdout, for a host that starts the command."""

import asyncio
import logging
import math
import os
import signal
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, cast

import anyio
from mcp.server.stdio import stdio_server
from starlette.requests import Request

from ragstone.config.settings import Settings
from ragstone.engine.tracing import check_tracing, send_traces
from ragstone.mcp.desk import Caller
from ragstone.mcp.engine_thread import EngineThread
from ragstone.mcp.protocol_server import ProtocolServer

log = logging.getLogger("ragstone")
PIECE = 1 << 16  # bytes
PIECES = 16  # that wait
REPEAT_SECONDS = 1.0  # in which a second signal is the same one: a terminal and a host may both send it
LONGEST = 1 << 22  # bytes of a message; a longer one is dropped


def serve_stdio(settings: Settings, *, read_only: bool, allow_adding: bool = False) -> bool:
    """Serve until the host closes stdin (True), or a signal asks for the end (False)."""
    check_tracing(settings.traces)
    with send_traces(settings.traces, for_libraries=True):  # the protocol's SDK has spans of its own
        return asyncio.run(_serve(settings, read_only=read_only, allow_adding=allow_adding))


async def _serve(settings: Settings, *, read_only: bool, allow_adding: bool = False) -> bool:
    caller = Caller(settings.key, trusted=settings.access.trusted is not False)

    def find_caller(_request: Request | None) -> Caller:
        return caller

    lines, engines = StandardInput(), EngineThread(settings)
    with _end_at_signals(lines):
        engines.start()
        try:
            await engines.run(engines.pool.open(key=caller.key, trusted=caller.trusted and caller.key is None))
            server = ProtocolServer(engines, find_caller, read_only=read_only, allow_adding=allow_adding).server
            try:
                async with stdio_server(stdin=cast(Any, lines)) as (read, write):
                    await server.run(read, write, server.create_initialization_options())
            except* (BrokenPipeError, anyio.BrokenResourceError, anyio.ClosedResourceError):
                log.info("the host is gone")
        except asyncio.CancelledError:
            if not lines.interrupted:
                raise
        finally:
            await engines.close()
    return not lines.interrupted


@contextmanager
def _end_at_signals(lines: "StandardInput") -> Iterator[None]:
    """The first signal ends the input, so that all is given back; one that comes a moment later ends the process at
    once. Before the input is read, the first one ends the task."""
    loop, task, since = asyncio.get_running_loop(), asyncio.current_task(), math.inf
    assert task is not None

    def end() -> None:
        lines.interrupt()
        if not lines.begun:
            task.cancel()

    def hear(number: int, _frame: FrameType | None) -> None:
        nonlocal since
        if since == math.inf:
            since = time.monotonic()
            loop.call_soon_threadsafe(end)
        elif time.monotonic() - since > REPEAT_SECONDS:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN or number != signal.SIGHUP:  # nohup
            signal.signal(number, hear)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


class StandardInput:
    """The lines of stdin, read by a thread that nobody waits for: it may wait for a line when the process ends.

    Processes that are started meanwhile find stdin empty.
    """

    def __init__(self) -> None:
        self._file = os.dup(0)
        with suppress(OSError):
            empty = os.open(os.devnull, os.O_RDONLY)
            os.dup2(empty, 0)
            os.close(empty)
        self._pieces: asyncio.Queue[bytes] = asyncio.Queue()
        self._room = threading.Semaphore(PIECES)
        self.begun = self.interrupted = False

    def interrupt(self) -> None:
        """End the input now."""
        self.interrupted = True
        self._pieces.put_nowait(b"")

    async def __aiter__(self) -> AsyncIterator[str]:
        self.begun = True
        reading = threading.Thread(
            target=self._read, args=(asyncio.get_running_loop(),), name="ragstone-stdin", daemon=True
        )
        reading.start()
        left, dropping = b"", False
        while (piece := await self._pieces.get()) and not self.interrupted:
            self._room.release()
            *lines, left = (left + piece).split(b"\n")
            for line in lines:
                if not dropping:
                    yield line.decode("utf-8", "replace")
                dropping = False
            if len(left) > LONGEST:
                left, dropping = b"", True

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        """Hand over what comes, at its end nothing."""
        piece = b"begin"
        with suppress(RuntimeError):  # the loop is closed
            while piece:
                self._room.acquire()
                try:
                    piece = os.read(self._file, PIECE)
                except OSError:
                    piece = b""
                loop.call_soon_threadsafe(self._pieces.put_nowait, piece)
