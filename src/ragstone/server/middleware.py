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

from ragstone.server.errors import STOPPING, Problem, describe_error, shape_problem
from ragstone.server.state import ServerState

log = logging.getLogger("ragstone")

SERVICE_LINK = '</v1/openapi.json>; rel="service-desc"'  # RFC 8631
REQUEST_ID = "x-request-id"
# A response that is opened as a page loads nothing, runs nothing and stands in no frame; a page of ours names its own.
NOTHING_LOADS = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"
USABLE_ID = re.compile(r"[\w.:/+=@-]{1,128}")
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
UPLOAD_PATH, TEXTS_PATH = "/v1/documents", "/v1/texts"
TEXTS_BYTES = 32_000_000  # of a body with many texts, which is held in memory
JSON = "JSON, and say so in a header (with curl, add -H 'Content-Type: application/json')"
FORM = "a form (multipart/form-data) with a field `file` (with curl, -F file=@manual.pdf)"
SMALL_BODY = 65_536  # bytes that are read and dropped where nobody wants them; a longer body ends its connection
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
        except asyncio.CancelledError:  # by the end of the server alone
            if watched.started:
                raise
            await _respond(STOPPING, scope, receive, send)
        except Exception as error:
            if watched.started:
                raise
            await _respond(describe_error(error), scope, receive, send)


async def _respond(problem: Problem, scope: Scope, receive: Receive, send: Send) -> None:
    status, body = shape_problem(scope["path"], problem)
    await JSONResponse(body, status, headers=dict(problem.headers))(scope, receive, send)


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
            most = self._find_most(scope["path"])
            scope.setdefault("state", {})["body_problem"] = _find_body_problem(scope, headers, most)
            body = LimitedBody(receive, most)
            await self._app(scope, body, _close_unread(watched, headers, body))
        except Refusal as refusal:
            if watched.started:
                raise
            await _respond(describe_error(refusal), scope, receive, send)

    def _find_most(self, path: str) -> int:
        """The bytes that a body may have."""
        if path == TEXTS_PATH:
            return max(self._body_bytes, min(self._upload_bytes, TEXTS_BYTES))
        return self._upload_bytes if path == UPLOAD_PATH else self._body_bytes

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


def _find_body_problem(scope: Scope, headers: Headers, most: int) -> Refusal | None:
    """What is wrong with the type or the length that a body is said to have."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    upload = scope["path"] == UPLOAD_PATH
    json = kind == "application/json" or kind.endswith("+json")
    fits = kind == "multipart/form-data" if upload else json
    length = headers.get("content-length")
    empty = not kind and length in (None, "0") and "transfer-encoding" not in headers
    if scope["method"] in ("POST", "PUT", "PATCH") and not fits and not empty:
        said = f"unsupported content type {kind!r:.80}" if kind else "missing content type"
        return Refusal(415, f"{said}: send {FORM if upload else JSON}")
    if length is not None and (not length.isdecimal() or int(length) > most):
        return Refusal(413, f"the body is larger than {most:,} bytes")
    return None


def check_body(scope: Scope) -> None:
    """Raise what is wrong with a body before it is read, once the caller is known."""
    problem: Refusal | None = scope["state"]["body_problem"]
    if problem is not None:
        raise problem


def _close_unread(send: Send, headers: Headers, body: "LimitedBody") -> Send:
    """Responses of which those to requests whose body was not read close the connection, so that nobody has the server
    read a gigabyte for nothing."""
    length = headers.get("content-length", "0")
    if "transfer-encoding" not in headers and length.isdecimal() and int(length) <= SMALL_BODY:
        return send

    async def send_last(message: Message) -> None:
        if message["type"] == "http.response.start" and not body.whole:
            MutableHeaders(scope=message)["Connection"] = "close"
        await send(message)

    return send_last


def _name_of(host: str) -> str:
    """The name in a Host header, without its port."""
    name = host.lower()
    if name.startswith("["):
        return name[1:].partition("]")[0]
    return name.partition(":")[0]


class LimitedBody:
    """Messages of a body of at most `most` bytes, whose pieces do not come too slowly; `whole` once it was read."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive = receive
        self._most = self._left = most
        self.whole = False

    async def __call__(self) -> Message:
        if self.whole:  # only the end of the connection comes now, whenever
            return await self._receive()
        try:
            async with asyncio.timeout(BODY_SECONDS):  # wait_for would lose a cancellation that comes with a message
                message = await self._receive()
        except TimeoutError as error:
            raise Refusal(408, f"the body did not go on for {BODY_SECONDS:g} s") from error
        if message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            self.whole = not message.get("more_body", False)
            if self._left < 0:
                raise Refusal(413, f"the body is larger than {self._most:,} bytes")
        return message
