"""The protocol over stdin and stdout, for a host that starts the command."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, cast

import anyio
from mcp.server.stdio import stdio_server
from starlette.requests import Request

from ragstone.config.settings import Settings
from ragstone.mcp.desk import Caller
from ragstone.mcp.engine_thread import EngineThread
from ragstone.mcp.protocol_server import ProtocolServer

PIECE = 1 << 16
LONGEST = 1 << 22  # bytes of a message; a longer one is dropped


def serve_stdio(settings: Settings, *, read_only: bool) -> bool:
    """Serve until the host closes stdin (True), or a signal asks for the end (False)."""
    return asyncio.run(_serve(settings, read_only=read_only))


async def _serve(settings: Settings, *, read_only: bool) -> bool:
    caller = Caller(settings.key, trusted=settings.access.trusted is not False)

    def find_caller(_request: Request | None) -> Caller:
        return caller

    engines = EngineThread(settings)
    engines.start()
    try:
        await engines.run(engines.pool.open(key=caller.key, trusted=caller.trusted and caller.key is None))
        server = ProtocolServer(engines, find_caller, read_only=read_only).server
        lines = cast(Any, StandardInput())
        task = asyncio.current_task()
        assert task is not None
        _handle_signals(task)
        try:
            async with stdio_server(stdin=lines) as (read, write):
                await server.run(read, write, server.create_initialization_options())
        except asyncio.CancelledError:
            task.uncancel()
            return False
        return True
    finally:
        await engines.close()


def _handle_signals(task: asyncio.Task[Any]) -> None:
    """The first signal cancels a task, so that all is given back; a second one ends the process at once."""
    loop, numbers = asyncio.get_running_loop(), (signal.SIGINT, signal.SIGTERM)

    def end() -> None:
        for number in numbers:
            loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_DFL)
        task.cancel()

    for number in numbers:
        loop.add_signal_handler(number, end)


class StandardInput:
    """The lines of stdin. Reading ends at once when it is cancelled, although a thread still waits for a line;
    processes that are started meanwhile find stdin empty."""

    def __init__(self) -> None:
        self._file = os.dup(0)
        with suppress(OSError):
            empty = os.open(os.devnull, os.O_RDONLY)
            os.dup2(empty, 0)
            os.close(empty)

    async def __aiter__(self) -> AsyncIterator[str]:
        left = b""
        dropping = False
        while piece := await anyio.to_thread.run_sync(os.read, self._file, PIECE, abandon_on_cancel=True):
            *lines, left = (left + piece).split(b"\n")
            for line in lines:
                if not dropping:
                    yield line.decode("utf-8", "replace")
                dropping = False
            if len(left) > LONGEST:
                left, dropping = b"", True
