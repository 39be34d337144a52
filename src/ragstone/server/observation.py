"""Watches every request: counts it, and writes a line for it and one for each question that it asked."""

import time
from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ragstone.core import query_log, trace, waits
from ragstone.core.query_log import QueryRecord
from ragstone.core.spans import Value, is_tracing, open_span
from ragstone.server import access_log
from ragstone.server.access_log import PROBES
from ragstone.server.metrics import UNKNOWN_ROUTE
from ragstone.server.state import ServerState

METHODS = frozenset(("GET", "POST", "DELETE", "OPTIONS", "HEAD"))
CLIENT_GONE = 499  # no response was begun


class TraceMiddleware:
    """The span of a request, below the one that its `traceparent` names; probes and the metrics have none."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not is_tracing() or scope["type"] != "http" or scope["path"] in PROBES:
            await self._app(scope, receive, send)
            return
        method = scope["method"] if scope["method"] in METHODS else "_OTHER"
        headers = Headers(scope=scope)
        carrier = {name: headers[name] for name in ("traceparent", "tracestate") if name in headers}
        attributes: dict[str, Value] = {
            "http.request.method": method,
            "url.scheme": scope.get("scheme", "http"),
            "ragstone.request_id": scope["state"]["request_id"],
        }
        with open_span(method, attributes, kind="server", carrier=carrier) as span:

            async def send_watched(message: Message) -> None:
                if message["type"] == "http.response.start":
                    status = message["status"]
                    span.set("http.response.status_code", status)
                    if status >= 500:
                        span.fail(str(status))
                await send(message)

            try:
                await self._app(scope, receive, send_watched)
            finally:
                if (route := getattr(scope.get("route"), "path_format", None)) is not None:
                    span.set("http.route", route)
                    span.rename(f"{method} {route}")


class ObserveMiddleware:
    """Collects the questions of a request, and counts both when its response has ended."""

    def __init__(self, app: ASGIApp, *, find: Callable[[], ServerState]) -> None:
        self._app = app
        self._find = find

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        records: list[QueryRecord] = []
        query_log.REQUEST_ID.set(scope["state"]["request_id"])
        query_log.COLLECTED.set(records)
        trace.HIDES_PLACES.set(True)
        waits.HAS_CLIENT.set(True)
        status, start = CLIENT_GONE, time.perf_counter()

        async def send_watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, send_watched)
        finally:
            self._tell(scope, status, time.perf_counter() - start, records)

    def _tell(self, scope: Scope, status: int, seconds: float, records: list[QueryRecord]) -> None:
        state = self._find()
        route = getattr(scope.get("route"), "path_format", UNKNOWN_ROUTE)
        method = scope["method"] if scope["method"] in METHODS else "other"
        state.metrics.observe_request(route, method, status, seconds)
        state.metrics.running.set(state.admission.running)
        state.metrics.waiting.set(state.admission.waiting)
        if state.settings.log.requests:
            access_log.write_line(scope, method=method, path=route, status=status, seconds=seconds)
        for record in records:
            state.metrics.observe_query(record)
            if state.settings.log.queries is not False:
                query_log.write_record(record, http_status=status)
