"""Errors as responses: the status for an error of the library, and the body that an endpoint's clients expect."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import cast, get_type_hints

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse

from ragstone.core import errors
from ragstone.core.trace import LOG_HINT
from ragstone.server.full_disk import find_full_disk
from ragstone.server.request_mistakes import describe_mistake
from ragstone.server.stream_shapes import ErrorJson, OpenAIErrorJson, PipelineErrorJson, QueryErrorJson

log = logging.getLogger("ragstone")

# The first class that an error is of decides.
STATUSES: tuple[tuple[type[errors.RagstoneError], int], ...] = (
    (errors.Unauthorized, 401),
    (errors.Forbidden, 403),
    (errors.ConfigError, 500),
    (errors.StoreTooNew, 503),  # while servers are upgraded one by one, another may answer
    (errors.StoreNotReady, 503),
    (errors.SourceNotReady, 503),
    (errors.NotAStore, 503),
    (errors.UsageError, 400),
    (errors.NotBuilt, 404),
    (errors.Busy, 409),
    (errors.DiskFull, 507),
    (errors.StoreError, 503),
    (errors.Refused, 422),
    (errors.QueueFull, 429),
    (errors.Unavailable, 503),
)
# Over HTTP, whoever is not let in learns nothing else.
PLAIN_MESSAGES = {
    401: "missing or invalid credentials",
    403: "these credentials do not permit this",
}
UNREADABLE = {UnicodeDecodeError: "it is not UTF-8", RecursionError: "it is nested too deeply"}
SERVERS_FAULT, LLM_FAILED = 500, 502
STREAM_FAILED = "streaming_failed"
# Statuses of HTTP itself, with the codes that they have here.
HTTP_CODES = {
    400: "bad_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    408: "timeout",
    411: "length_required",
    413: "too_large",
    415: "unsupported_media_type",
    421: "unknown_host",
    422: "invalid_request",
    429: "busy",
    503: "unavailable",
}


class NotFound(errors.UsageError):
    """A thing that a request names does not exist, for this caller."""

    code = "not_found"
    disclosure = errors.IN_OWN_WORDS


class StreamFailed(errors.RagstoneError):
    """A stream that failed before its first event; the cause tells why."""

    disclosure = errors.RagstoneError.disclosure


@dataclass(frozen=True, slots=True)
class Problem:
    """An error as a response: its status, a stable code, one sentence, headers."""

    status: int
    code: str
    message: str
    headers: Mapping[str, str]


# Failures of a store that waiting does not mend; after any other 503 a client may ask again.
LASTING = (errors.Corrupt, errors.NoKey, errors.NotAStore)
RETRY_AFTER = "5"  # seconds; a store that is back is found within two

# What is not answered when the server ends.
STOPPING = Problem(503, "unavailable", "the server is stopping: ask again", {"Retry-After": "1"})


def describe_error(error: Exception) -> Problem:
    """The response for an error; one that nobody foresaw is logged with its trace."""
    if isinstance(error, StreamFailed) and isinstance(error.__cause__, Exception):
        problem = describe_error(error.__cause__)
        return problem if problem.status < SERVERS_FAULT else replace(problem, code=STREAM_FAILED)
    if isinstance(error, HTTPException):
        code = HTTP_CODES.get(error.status_code, "error")
        return Problem(error.status_code, code, _describe_http_error(error), dict(error.headers or {}))
    if isinstance(error, RequestValidationError):
        return Problem(422, HTTP_CODES[422], describe_mistake(error), {})
    if isinstance(error, NotFound):
        return Problem(404, error.code, str(error), {})
    if isinstance(error, OSError) and (full := find_full_disk(error)) is not None:
        error = full
    if not isinstance(error, errors.RagstoneError):
        log.error("unexpected error", exc_info=error)
        return Problem(500, "internal", _tell(error), {})
    status = next((status for kind, status in STATUSES if isinstance(error, kind)), 500)
    headers = {}
    if isinstance(error, errors.QueueFull):
        return Problem(status, "busy", str(error), {"Retry-After": str(error.retry_after_seconds)})
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if status == 503 and not isinstance(error, LASTING):
        headers["Retry-After"] = RETRY_AFTER
    if errors.is_for_operator(error):
        log.error("%s: %s", type(error).__name__, error)
    return Problem(status, error.code, PLAIN_MESSAGES.get(status) or _tell(error), headers)


def _tell(error: Exception) -> str:
    """The sentence for the caller; where only the operator can mend it, with the way to the rest."""
    said = errors.tell_caller(error)
    return f"{said}: {LOG_HINT}" if errors.is_for_operator(error) else said


def _describe_http_error(error: HTTPException) -> str:
    """An error of HTTP itself in one sentence."""
    if error.__cause__ is not None:  # of FastAPI's reader of bodies
        what = next((said for kind, said in UNREADABLE.items() if isinstance(error.__cause__, kind)), "it is too large")
        return f"the body cannot be read as JSON: {what}"
    if _is_no_endpoint(error):
        return "no endpoint has this path: /v1/openapi.json lists them"
    if (error.status_code, error.detail) == (405, "Method Not Allowed"):
        return "this path does not take this method: /v1/openapi.json lists those that it takes"
    return str(error.detail)


def _is_no_endpoint(error: Exception) -> bool:
    return isinstance(error, HTTPException) and (error.status_code, error.detail) == (404, "Not Found")


# --- bodies -----------------------------------------------------------------------------------------------------------

C_CODES = {404: "PIPELINE_NOT_FOUND", 405: "METHOD_NOT_ALLOWED", 401: "UNAUTHORIZED", 403: "FORBIDDEN"}


def _shape_ours(problem: Problem) -> ErrorJson:
    return {"schema": 1, "error": {"code": problem.code, "message": problem.message}}


def _shape_pipelines(problem: Problem) -> PipelineErrorJson:
    """The bodies of the pgEdge RAG Server."""
    fallback = "INVALID_REQUEST" if problem.status < 500 else "EXECUTION_ERROR"
    code = "INTERNAL_ERROR" if problem.code == "internal" else C_CODES.get(problem.status, fallback)
    if problem.status == 429:
        code = "BUSY"
    if problem.code == STREAM_FAILED:
        code = "STREAMING_ERROR"
    return {"error": {"code": code, "message": problem.message}}


def _shape_query(problem: Problem) -> QueryErrorJson:
    """The bodies of `/v1/query`."""
    internal = problem.status >= SERVERS_FAULT and problem.status != LLM_FAILED
    code = "internal" if internal else "bad_request" if problem.status in (400, 422) else problem.code
    return {"error": code, "message": problem.message}


def _shape_openai(problem: Problem) -> OpenAIErrorJson:
    """The bodies of OpenAI's API."""
    kind = "invalid_request_error" if problem.status < 500 else "server_error"
    return {"error": {"message": problem.message, "type": kind, "param": None, "code": problem.code}}


ErrorBody = ErrorJson | PipelineErrorJson | QueryErrorJson | OpenAIErrorJson
Shape = Callable[[Problem], ErrorBody]
SHAPES: tuple[tuple[str, Shape], ...] = (
    ("/v1/pipelines", _shape_pipelines),
    ("/v1/live", _shape_pipelines),
    ("/v1/health", _shape_pipelines),
    ("/v1/stats", _shape_pipelines),
    ("/v1/openapi.json", _shape_pipelines),
    ("/v1/query", _shape_query),
    ("/v1/chat/completions", _shape_openai),
    ("/v1/models", _shape_openai),
    ("/v1/embeddings", _shape_openai),
    ("/v1/responses", _shape_openai),
    ("/v1/vector_stores", _shape_openai),
)
# Endpoints whose clients know 400 for every mistake in a body.
ONLY_400 = (
    "/v1/pipelines",
    "/v1/query",
    "/search",
    "/v1/vector_stores",
    "/v1/chat/completions",
    "/v1/embeddings",
    "/v1/responses",
)


def find_error_kind(path: str) -> type:
    """The type of an endpoint's errors."""
    return cast(type, get_type_hints(_find_shape(path))["return"])


def _find_shape(path: str) -> Shape:
    return next((shape for prefix, shape in SHAPES if path.startswith(prefix)), _shape_ours)


def shape_problem(path: str, problem: Problem) -> tuple[int, ErrorBody]:
    """The status and the body for an endpoint."""
    status = 400 if problem.status == 422 and path.startswith(ONLY_400) else problem.status
    if status > SERVERS_FAULT and (
        path.startswith("/v1/pipelines") or (path.startswith("/v1/query") and status != LLM_FAILED)
    ):
        status = SERVERS_FAULT  # the only one of these failures that its clients know
    return status, _find_shape(path)(problem)


async def respond_with_error(request: Request, error: Exception) -> JSONResponse:
    """The response for an error of a request."""
    problem = describe_error(error)
    if _is_no_endpoint(error) and request.url.path.endswith("/"):
        problem = replace(problem, message="no endpoint has this path: leave out the slash at its end")
    status, body = shape_problem(request.url.path, problem)
    return JSONResponse(body, status, headers=dict(problem.headers))
