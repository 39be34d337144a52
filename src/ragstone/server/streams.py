"""Work that ends with its client: answers that are waited for, and streams of events."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from typing import Any, TypeVar

from sse_starlette import EventSourceResponse, ServerSentEvent
from sse_starlette.sse import AppStatus
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from ragstone.core.types import Json
from ragstone.server.errors import STOPPING, describe_error
from ragstone.server.middleware import WatchedSend
from ragstone.server.state import state_of

R = TypeVar("R")
FrameFailure = Callable[[str, str], ServerSentEvent]  # of a code and a sentence

AppStatus.enable_automatic_graceful_drain = False  # it cuts streams at the first signal; they end within `serve.drain`


class ClientGone(Exception):
    """The client closed the connection; nobody reads a response."""


async def run_for_client(request: Request, work: Coroutine[Any, Any, R]) -> R:
    """The result of some work, which is cancelled when the client goes away; raises `ClientGone` then."""
    task = asyncio.ensure_future(work)
    watch = asyncio.ensure_future(_wait_for_disconnect(request))
    try:
        await asyncio.wait((task, watch), return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientGone
        return task.result()
    finally:
        for one in (task, watch):
            one.cancel()
        with suppress(BaseException):
            await asyncio.gather(task, watch, return_exceptions=True)


async def _wait_for_disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


class EventStream(EventSourceResponse):
    """Events of a request, with heartbeats; its turn among the questions ends with it. Where the server ends before
    them, `frame_failure` makes the last one of a code and a sentence."""

    def __init__(
        self,
        request: Request,
        events: AsyncIterator[ServerSentEvent],
        stack: AsyncExitStack | None = None,
        *,
        frame_failure: FrameFailure,
    ) -> None:
        seconds = state_of(request).settings.serve.heartbeat
        super().__init__(events, ping=seconds, sep="\n", ping_message_factory=make_heartbeat)
        self._stack = stack
        self._frame_failure = frame_failure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        watched = WatchedSend(send)
        try:
            await super().__call__(scope, receive, watched)
        except asyncio.CancelledError:  # by the server alone: a client that goes away ends the stream itself
            if not watched.started:
                raise
            last = self._frame_failure(STOPPING.code, STOPPING.message)
            await send({"type": "http.response.body", "body": last.encode(), "more_body": False})
        finally:
            if self._stack is not None:
                await self._stack.aclose()


def make_heartbeat() -> ServerSentEvent:
    """A comment that keeps a connection open."""
    return ServerSentEvent(comment="heartbeat", sep="\n")


def make_event(data: Json, name: str | None = None) -> ServerSentEvent:
    """An event with data as JSON on one line."""
    return ServerSentEvent(dump_line(data), event=name, sep="\n")


def dump_line(data: Json) -> str:
    """JSON on one line, as compact as clients expect."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=str)


def frame_failure(code: str, message: str) -> ServerSentEvent:
    """An error in the middle of one of our own streams."""
    return make_event({"code": code, "message": message}, "error")


async def begin_stream(
    stack: AsyncExitStack, turn: AbstractAsyncContextManager[Any], events: AsyncGenerator[Any]
) -> AsyncIterator[Any]:
    """The events once the turn has come and the first of them is there, so that a question that fails at once is
    answered by a status and not by a stream."""
    await stack.enter_async_context(turn)
    stack.push_async_callback(events.aclose)
    first = await anext(events, None)

    async def go_on() -> AsyncIterator[Any]:
        if first is not None:
            yield first
        async for event in events:
            yield event

    return go_on()


def describe_failure(error: Exception) -> tuple[str, str]:
    """Code and sentence of an error in the middle of a stream."""
    problem = describe_error(error)
    return problem.code, problem.message
