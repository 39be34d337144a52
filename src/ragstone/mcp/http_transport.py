"""The protocol over Streamable HTTP: on this machine alone without keys, elsewhere for callers with a key."""

import asyncio
import ipaddress
import signal
import socket
import threading
from collections.abc import Callable, Sequence
from hashlib import sha256
from types import FrameType

import uvicorn
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from ragstone.config.settings import Settings
from ragstone.core.errors import Forbidden, RagstoneError, Unauthorized, UsageError
from ragstone.engine.tracing import check_tracing, send_traces
from ragstone.mcp.desk import Caller
from ragstone.mcp.engine_thread import EngineThread
from ragstone.mcp.protocol_server import ProtocolServer

PLACE = "/mcp"
LOCAL_NAMES = ("127.0.0.1", "localhost", "::1")
BODY_BYTES = 1 << 20
SESSIONS = 1000
CLOSE_SECONDS = 5  # that open requests have to finish
NO_KEY = {"error": "unauthorized", "message": "a valid key is needed: Authorization: Bearer KEY"}


def trusts_callers(settings: Settings, address: str) -> bool:
    """Whether callers without a key are served at an IP address: on this machine alone, unless keys or tokens are
    asked for there."""
    if settings.access.trusted is not None:
        return settings.access.trusted and ipaddress.ip_address(address).is_loopback
    return settings.access.jwt is None and ipaddress.ip_address(address).is_loopback


def serve_http(
    settings: Settings,
    *,
    host: str,
    port: int,
    allowed_hosts: Sequence[str],
    announce: Callable[[str, bool], None],
    **rights: bool,
) -> None:
    """Serve until a signal asks for the end; `announce` takes the URL, once it is open, and whether no key is needed.
    `rights` are those of `make_app`.

    Raises `UsageError` for an address that cannot be opened.
    """
    check_tracing(settings.traces)
    listening = _open_socket(host, port)
    try:
        with send_traces(settings.traces, for_libraries=True):  # the protocol's SDK has spans of its own
            asyncio.run(_serve(settings, listening, host, allowed_hosts, announce=announce, **rights))
    finally:
        listening.close()


def _open_socket(host: str, port: int) -> socket.socket:
    try:
        found = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        made = socket.socket(family, kind, protocol)
    except OSError as error:
        raise UsageError(f"cannot listen on {host!r}: {error.strerror or error}") from error
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(128)
    except OSError as error:
        made.close()
        raise UsageError(f"cannot listen on {host}:{port}: {error.strerror}; choose another --port") from error
    return made


async def _serve(
    settings: Settings,
    listening: socket.socket,
    host: str,
    allowed_hosts: Sequence[str],
    *,
    announce: Callable[[str, bool], None],
    **rights: bool,
) -> None:
    address, port = listening.getsockname()[:2]
    trusted = trusts_callers(settings, address)
    names = (host, *allowed_hosts, *(LOCAL_NAMES if ipaddress.ip_address(address).is_loopback else ()))
    engines = EngineThread(settings)
    engines.start()
    try:
        if settings.key is not None:  # a wrong one is said now
            await engines.run(engines.pool.open(key=settings.key))
        config = uvicorn.Config(
            make_app(engines, names=names, trusted=trusted, **rights),
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=CLOSE_SECONDS,
        )
        announce(f"http://{_bracket(host)}:{port}{PLACE}", trusted)
        server = _Server(config)
        server.handle_hang_up()
        await server.serve(sockets=[listening])
    finally:
        await engines.close()


class _Server(uvicorn.Server):
    """A server after whose end the rest of the program runs: uvicorn would let SIGTERM kill it."""

    def handle_hang_up(self) -> None:
        """End when the terminal is closed; uvicorn looks after the other signals. Another thread hears none, nor is
        what nohup started ended."""
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            signal.signal(signal.SIGHUP, self.handle_exit)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """The first signal ends it when open requests have ended, the second at once."""
        if sig == signal.SIGINT:
            super().handle_exit(sig, frame)
            return
        self.force_exit = self.should_exit
        self.should_exit = True


def make_app(
    engines: EngineThread, *, names: Sequence[str], trusted: bool, read_only: bool, allow_adding: bool = False
) -> ASGIApp:
    """The application, behind its checks, for callers who call it by one of these names.

    A trusted caller without a key has the rights of the configured one.
    """
    usual = engines.pool.settings.key if trusted else None

    def find_caller(request: Request | None) -> Caller:
        given = _read_key(request) if request is not None else None
        return Caller(given or usual, trusted)

    checks = _make_checks(names)
    app = ProtocolServer(
        engines, find_caller, read_only=read_only, allow_adding=allow_adding
    ).server.streamable_http_app(
        streamable_http_path=PLACE,
        transport_security=checks,
        max_request_body_size=BODY_BYTES,
        max_sessions=SESSIONS,
    )
    return Door(app, engines, checks, trusted=trusted)


def _bracket(host: str) -> str:
    """A host as a URL has it: an IPv6 address in brackets."""
    bare = host.strip("[]")
    return f"[{bare}]" if ":" in bare else host


def _make_checks(names: Sequence[str]) -> TransportSecuritySettings:
    """The names by which this server may be called, and the pages that may call it: those of the same names."""
    hosts = sorted(set(map(_bracket, names)))
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[form for name in hosts for form in (name, f"{name}:*")],
        allowed_origins=[
            form
            for name in hosts
            for scheme in ("http", "https")
            for form in (f"{scheme}://{name}", f"{scheme}://{name}:*")
        ],
    )


def _read_key(request: Request) -> str | None:
    """The key or token of a request, from `Authorization: Bearer`."""
    scheme, _, text = request.headers.get("authorization", "").partition(" ")
    return text.strip() or None if scheme.lower() == "bearer" else None


class Door:
    """Refuses requests for other hosts, from pages of other origins, and without a valid key; a session belongs to the
    key that opened it."""

    def __init__(
        self, app: ASGIApp, engines: EngineThread, checks: TransportSecuritySettings, *, trusted: bool
    ) -> None:
        self._app = app
        self._engines = engines
        self._checks = TransportSecurityMiddleware(checks)
        self._trusted = trusted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        refusal = await self._checks.validate_request(request) or await self._check_key(request)
        await (refusal or self._app)(scope, receive, send)

    async def _check_key(self, request: Request) -> Response | None:
        key = _read_key(request)
        if key is None and self._trusted and "authorization" not in request.headers:
            return None
        try:
            if key is None:
                raise Unauthorized("missing", "no key")
            await self._engines.run(self._engines.pool.open(key=key))
        except (Unauthorized, Forbidden):
            return JSONResponse(NO_KEY, 401, headers={"WWW-Authenticate": "Bearer"})
        except RagstoneError:
            return JSONResponse({"error": "unavailable", "message": "the store cannot be read now"}, 503)
        owner = sha256(key.encode("utf-8", "replace")).hexdigest()
        request.scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=owner, scopes=[]))
        return None
