"""Endpoints that read nothing of a request before they know its caller."""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from ragstone.server.middleware import check_body
from ragstone.server.state import authenticate

OPEN_PATHS = frozenset({"/v1/live", "/v1/ready", "/v1/health", "/healthz"})


class CheckedRoute(APIRoute):
    """An endpoint for known callers, unless it is one of `OPEN_PATHS`.

    FastAPI reads and validates a body before the function of an endpoint runs; a caller who is not let in would learn
    from its mistakes, and one who sends no JSON would get 400, 415 or 422 in place of 401.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, behind the check of the caller and the one of the body's type and size."""
        handle = super().get_route_handler()
        is_open = self.path in OPEN_PATHS

        async def handle_checked(request: Request) -> Response:
            if not is_open:
                await authenticate(request)
            check_body(request.scope)
            return await handle(request)

        return handle_checked
