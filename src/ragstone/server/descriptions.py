"""Parts of the description of the API (OpenAPI) that several endpoints share."""

from typing import Any

from ragstone.server.errors import HTTP_CODES

Responses = dict[int | str, dict[str, Any]]

MEANINGS = {
    400: "The request cannot be carried out as it was written.",
    401: "Credentials are missing or not accepted.",
    403: "The credentials do not permit this.",
    404: "The thing does not exist.",
    409: "Another run is writing.",
    413: "The body is too large.",
    415: "The body has another type than the endpoint reads.",
    422: "A field is missing, unknown or has an impossible value.",
    429: "The server is busy; `Retry-After` says when to ask again.",
    502: "The language model failed.",
    503: "The store or a model cannot be used now; `Retry-After` says when to ask again, where that may help.",
}
ALWAYS = (400, 408, 413, 415, 421, 422, 500, 503, 507)
EVENT_STREAM: Responses = {
    200: {
        "description": "JSON, or events with `stream`.",
        "content": {"application/json": {"schema": {"type": "object"}}, "text/event-stream": {}},
    }
}


TEXT_OR_JSON: Responses = {
    200: {
        "description": "JSON, or text with `generate`.",
        "content": {"application/json": {"schema": {"type": "object"}}, "text/plain": {}},
    }
}


def responses(*statuses: int) -> Responses:
    """The errors that an endpoint may answer with, beside those that any may."""
    every = sorted({*statuses, *ALWAYS})
    body = {"application/json": {"schema": {"type": "object"}}}
    return {
        status: {"description": MEANINGS.get(status, HTTP_CODES.get(status, "error")), "content": body}
        for status in every
    }
