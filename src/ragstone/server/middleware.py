"""Checks before a request is read: its host and origin, its size; and the headers that every response has."""

import asyncio
import logging
import re
import uuid
from collections.abc import Callable, Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ragstone.server.errors import describe_error, shape_problem
from ragstone.server.state import ServerState

log = logging.getLogger("ragstone")

SERVICE_LINK = '</v1/openapi.json>; rel="service-desc"'  # RFC 8631
REQUEST_ID = "x-request-id"
# A response that is opened as a page loads nothing, runs nothing and stands in no frame; a page of ours names its own.
NOTHING_LOADS = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"
USABLE_ID = re.compile(r"[\w.:/+=@-]{1,128}")
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
BODY_SECONDS = 30.0  # that a client may let pass between two pieces of a body


class Refusal(HTTPException):
    """A request that ends before it is read: status and sentence."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(status, message, headers={"Connection": "close"})  # the rest of the body is not read


class HeadersMiddleware:
    """Gives each response a request id and a few headers; JSON gets a link to the description of the API."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        named = Headers(scope=scope).get(REQUEST_ID, "")
        identity = named if USABLE_ID.fullmatch(named) else uuid.uuid4().hex
        scope.setdefault("state", {})["request_id"] = identity

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers[REQUEST_ID] = identity
                headers["X-Content-Type-Options"] = "nosniff"
                headers.setdefault("Content-Security-Policy", NOTHING_LOADS)
                headers.setdefault("Referrer-Policy", "no-referrer")
                if headers.get("content-type", "").startswith("application/json"):
                    headers["Link"] = SERVICE_LINK
                    headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self._app(scope, receive, send_with_headers)


class WatchedSend:
    """Sends on, and knows whether a response has begun: then no other can be sent."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.started = False

    async def __call__(self, message: Message) -> None:
        self.started = self.started or message["type"] == "http.response.start"
        await self._send(message)


class FailureMiddleware:
    """Answers a request that fails in a way that nobody foresaw; the middleware outside of it adds its headers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        watched = WatchedSend(send)
        try:
            await self._app(scope, receive, watched)
        except Refusal:
            raise
        except Exception as error:
            if watched.started:
                raise
            status, body = shape_problem(scope["path"], describe_error(error))
            await JSONResponse(body, status)(scope, receive, send)


class StateMiddleware:
    """Gives each request the state of its beginning, which stays open until the request has ended."""

    def __init__(self, app: ASGIApp, *, find: Callable[[], ServerState]) -> None:
        self._app = app
        self._find = find

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        state = self._find()
        scope.setdefault("state", {})["server"] = state
        async with state.hold():
            await self._app(scope, receive, send)


class DoorMiddleware:
    """Refuses requests for other hosts or from pages of other origins, and bodies that are too large, too slow or of
    another type."""

    def __init__(
        self, app: ASGIApp, *, hosts: Iterable[str], origins: Iterable[str], body_bytes: int, upload_bytes: int
    ) -> None:
        self._app = app
        self._hosts = frozenset(name.lower() for name in hosts)
        self._origins = frozenset(origin.rstrip("/").lower() for origin in origins)
        self._body_bytes = body_bytes
        self._upload_bytes = upload_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        watched = WatchedSend(send)
        try:
            headers = Headers(scope=scope)
            self._check_host(headers)
            self._check_origin(headers)
            most = self._find_limit(scope, headers)
            await self._app(scope, _limit_body(receive, most), watched)
        except Refusal as refusal:
            if watched.started:
                raise
            problem = describe_error(refusal)
            status, body = shape_problem(scope["path"], problem)
            await JSONResponse(body, status, headers=dict(problem.headers))(scope, receive, send)

    def _check_host(self, headers: Headers) -> None:
        host = headers.get("host", "")
        if "*" not in self._hosts and _name_of(host) not in self._hosts:
            raise Refusal(421, f"unknown host {host!r:.80}: add it to serve.allowed_hosts")

    def _check_origin(self, headers: Headers) -> None:
        """A page may call the server it comes from, and those that allow its origin."""
        origin = headers.get("origin")
        if origin is None or "*" in self._origins or origin.rstrip("/").lower() in self._origins:
            return
        if origin == "null" or urlsplit(origin).netloc.lower() != headers.get("host", "").lower():
            raise Refusal(403, f"pages of {origin!r:.80} may not call this server: see serve.allowed_origins")

    def _find_limit(self, scope: Scope, headers: Headers) -> int:
        """The largest body that the request may have; its type is checked."""
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        upload = scope["path"] == "/v1/documents"
        json = kind == "application/json" or kind.endswith("+json")
        fits = kind == "multipart/form-data" if upload else json
        if scope["method"] in ("POST", "PUT", "PATCH") and kind and not fits:
            wanted = "a form (multipart/form-data) with a field `file`" if upload else "application/json"
            raise Refusal(415, f"unsupported content type {kind!r:.80}: send {wanted}")
        most = self._upload_bytes if upload else self._body_bytes
        length = headers.get("content-length")
        if length is not None and (not length.isdecimal() or int(length) > most):
            raise Refusal(413, f"the body is larger than {most:,} bytes")
        return most


def _name_of(host: str) -> str:
    """The name in a Host header, without its port."""
    name = host.lower()
    if name.startswith("["):
        return name[1:].partition("]")[0]
    return name.partition(":")[0]


def _limit_body(receive: Receive, most: int) -> Receive:
    """Messages of a body of at most `most` bytes, whose pieces do not come too slowly."""
    left, whole = most, False

    async def receive_limited() -> Message:
        nonlocal left, whole
        if whole:  # only the end of the connection comes now, whenever
            return await receive()
        try:
            async with asyncio.timeout(BODY_SECONDS):  # wait_for would lose a cancellation that comes with a message
                message = await receive()
        except TimeoutError as error:
            raise Refusal(408, f"the body did not go on for {BODY_SECONDS:g} s") from error
        if message["type"] == "http.request":
            left -= len(message.get("body", b""))
            whole = not message.get("more_body", False)
            if left < 0:
                raise Refusal(413, f"the body is larger than {most:,} bytes")
        return message

    return receive_limited
