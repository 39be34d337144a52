"""Endpoints that read nothing of a request before they know its caller."""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ragstone.core.suggestions import suggest_argument
from ragstone.server.middleware import check_body
from ragstone.server.request_mistakes import describe_mistake
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
        check_query = self.make_query_check()
        bodies = [parameter.field_info.annotation for parameter in self.dependant.body_params]

        async def handle_checked(request: Request) -> Response:
            if not is_open:
                await authenticate(request)
            check_query(request)
            check_body(request.scope)
            try:
                return await handle(request)
            except RequestValidationError as error:
                raise HTTPException(422, describe_mistake(error, bodies)) from None

        return handle_checked

    def make_query_check(self) -> Callable[[Request], None]:
        """The check of the names in an address's query: none here, since clients of other systems send their own."""
        return lambda _request: None


class OwnRoute(CheckedRoute):
    """An endpoint of Ragstone's own shape: it refuses names in the query that it does not know, as it does in a
    body."""

    def make_query_check(self) -> Callable[[Request], None]:
        """The check for the parameters of this endpoint; a field of its body is named as one."""
        known = {parameter.alias for parameter in self.dependant.query_params}
        kinds = [parameter.field_info.annotation for parameter in self.dependant.body_params]
        fields = {name for kind in kinds for name in getattr(kind, "model_fields", ())}

        def check(request: Request) -> None:
            if unknown := next((name for name in request.query_params if name not in known), None):
                raise HTTPException(422, _describe_unknown(unknown, known, fields))

        return check


def _describe_unknown(name: str, known: set[str], fields: set[str]) -> str:
    """One sentence about an unknown parameter, with the nearest name that there is.

    >>> _describe_unknown("limits", {"limit"}, set())
    "unknown query parameter 'limits'; did you mean 'limit'?"
    >>> _describe_unknown("topk", set(), {"query", "top_k"})
    "unknown query parameter 'topk'; did you mean 'top_k'? It belongs in the body"
    """
    if name in fields:
        return f"query parameter {name!r} belongs in the body"
    where = "" if known else ": this endpoint has none"
    if near := suggest_argument(name, sorted(known)):
        where = near
    elif near := suggest_argument(name, sorted(fields)):
        where = f"{near} It belongs in the body"
    elif known:
        where = f": this endpoint has {', '.join(sorted(known))}"
    return f"unknown query parameter {name[:80]!r}{where}"
