"""Parts of the description of the API (OpenAPI) that several endpoints share."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ragstone.core.answers import Note, Step
from ragstone.core.ports.jobs import Job
from ragstone.core.records import Run
from ragstone.retrieval.explain import Explanation
from ragstone.server.answer_shapes import PRIVATE_TO_SERVER, RunStats
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
COMPONENTS = "#/components/schemas/{name}"
WHOLE = (Run, Job, Explanation, Note, Step)  # dataclasses that answers are made from
PARTS = (Note, Step)  # of other answers
PRIVATE: Mapping[type, tuple[str, ...]] = {Job: PRIVATE_TO_SERVER}
_shapes: dict[str, type] = {}


def responses(
    *statuses: int,
    answer: type | None = None,
    status: int = 200,
    events: Sequence[type] | None = None,
    text: bool = False,
) -> Responses:
    """The errors that an endpoint may answer with, beside those that any may; and the shape of its `answer`, which may
    come as `events` or as `text`."""
    every = sorted({*statuses, *ALWAYS} | ({429} if 401 in statuses else set()))  # each caller has a rate
    body = {"application/json": {"schema": {"type": "object"}}}
    errors: Responses = {
        code: {"description": MEANINGS.get(code, HTTP_CODES.get(code, "error")), "content": body} for code in every
    }
    return {**errors, **describe_answer(answer, status, events=events, text=text)} if answer is not None else errors


def describe_answer(
    kind: type, status: int = 200, *, events: Sequence[type] | None = None, text: bool = False
) -> Responses:
    """An answer of this shape."""
    content: dict[str, Any] = {"application/json": {"schema": refer_to(kind)}}
    said = (kind.__doc__ or "").strip()
    if events is not None:
        content["text/event-stream"], said = _describe_stream(events), "JSON, or events with `stream`."
    if text:
        content["text/plain"], said = {"schema": {"type": "string"}}, "JSON, or text with `generate`."
    return {status: {"description": said, "content": content}}


def describe_events(*events: type) -> Responses:
    """A stream of events of these shapes."""
    return {200: {"description": "Events.", "content": {"text/event-stream": _describe_stream(events)}}}


def _describe_stream(events: Sequence[type]) -> dict[str, Any]:
    """A text with events; none of them are described where they are of another system."""
    text: dict[str, Any] = {"type": "string", "contentMediaType": "text/event-stream"}
    return {"schema": text | ({"contentSchema": {"oneOf": [refer_to(kind) for kind in events]}} if events else {})}


def refer_to(kind: type) -> dict[str, str]:
    """A reference to the schema of a shape, which becomes one of the components."""
    _shapes[kind.__name__] = kind
    return {"$ref": COMPONENTS.format(name=kind.__name__)}


def build_components() -> dict[str, Any]:
    """The schemas of all shapes that were described, made from their types. An answer that is made from a dataclass has
    all its fields but the private ones, and may say the edition of its shape."""
    stats = refer_to(RunStats)
    found: dict[str, Any] = msgspec.json.schema_components([*_shapes.values()], ref_template=COMPONENTS)[1]
    for kind in WHOLE:
        shown = found[kind.__name__]
        fields = {name: field for name, field in shown["properties"].items() if name not in PRIVATE.get(kind, ())}
        for field in fields.values():
            field.pop("default", None)
        shown["required"] = [*fields]
        shown["properties"] = fields if kind in PARTS else {"schema": {"type": "integer"}, **fields}
    found["Run"]["properties"]["stats"] = stats
    return found


def describe_defaults(schemas: dict[str, Any]) -> None:
    """Say the default of each field of a body in words: generators of TypeScript take a field with a default for one
    that must be sent."""
    for schema in schemas.values():
        for field in schema.get("properties", {}).values():
            default = field.pop("default", None)
            if default not in (None, "", []):
                field["description"] = f"{field.get('description', '')} Default: {json.dumps(default)}.".strip()
