"""The methods of a path: HEAD where there is GET, and a refusal of another one names all that there are."""

import asyncio
from collections.abc import Iterable

from starlette.datastructures import MutableHeaders
from starlette.routing import BaseRoute, Match, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

ROUTED = ("route", "endpoint", "path_params")  # what a router tells of a request to the middleware outside of it


class MethodMiddleware:
    """Answers HEAD as GET without its body, and completes `Allow`: the router names the methods of one route alone,
    though several may share a path."""

    def __init__(self, app: ASGIApp, *, routes: Iterable[BaseRoute]) -> None:
        self._app = app
        self._routes = [route for route in routes if isinstance(route, Route)]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_allowed(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 405:
                MutableHeaders(scope=message)["Allow"] = ", ".join(sorted(self._list_methods(scope)))
            await send(message)

        if scope["method"] == "HEAD":
            await self._answer_head(scope, receive, send_allowed)
        else:
            await self._app(scope, receive, send_allowed)

    async def _answer_head(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = asyncio.Event()
        as_get = {**scope, "method": "GET"}

        async def receive_until_begun() -> Message:
            """A stream ends with its head: nobody reads on."""
            waiting = [asyncio.ensure_future(one) for one in (receive(), begun.wait())]
            try:
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                return waiting[0].result() if waiting[0].done() else {"type": "http.disconnect"}  # type: ignore[return-value]
            finally:
                for one in waiting:
                    one.cancel()

        async def send_head(message: Message) -> None:
            if message["type"] == "http.response.start":
                await send(message)
                await send({"type": "http.response.body", "body": b""})
                begun.set()

        try:
            await self._app(as_get, receive_until_begun, send_head)
        finally:
            scope.update({name: as_get[name] for name in ROUTED if name in as_get})

    def _list_methods(self, scope: Scope) -> set[str]:
        """The methods of all routes with the path of a request."""
        found: set[str] = set()
        for route in self._routes:
            if route.matches(scope)[0] is not Match.NONE:
                found |= route.methods or set()
        return found | ({"HEAD"} if "GET" in found else set())
