"""The first mistake of a request in one sentence: which field, which value it must have, which one came."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel

from ragstone.core.filters import OWN_KEY
from ragstone.core.suggestions import suggest_argument
from ragstone.core.value_mistakes import describe_expected, lower_first

KINDS = ("str", "int", "float", "bool")  # how pydantic names plain kinds of a union; the others are `list[…]`, `a-b`
MOST_LISTED = 8  # fields of an object


def describe_mistake(error: RequestValidationError, bodies: Sequence[Any] = ()) -> str:
    """The first mistake of a request, in one sentence; where a value may be of several kinds, that of the nearest.
    `bodies` are the kinds of body that the endpoint takes."""
    found = error.errors()
    first = _find_misnamed(found, bodies) or found[0]
    if _is_kind(first["loc"][-1]) and first["type"] not in ("extra_forbidden", "json_invalid"):
        same = [one for one in found if one["loc"][: len(first["loc"]) - 1] == first["loc"][:-1]]
        first = max(same, key=lambda one: (len(one["loc"]), not one["type"].endswith("_type")))
    if first["type"] == "json_invalid":
        said = str(first.get("ctx", {}).get("error", first["msg"]))
        return f"invalid JSON in the body at character {first['loc'][-1]}: {lower_first(said)}"
    where = _name_place(first)
    if first["type"] == "extra_forbidden":
        return f"unknown field {where!r:.80}{_suggest_field(str(first['loc'][-1]), bodies, first['loc'][1:-1])}"
    if first["type"] == "missing":
        return f"missing field {where!r:.80}" if where else "missing body: expected JSON"
    return f"invalid {where or 'body'}: {describe_expected(first)}"


def _find_misnamed(found: Sequence[Any], bodies: Sequence[Any]) -> Any:
    """The unknown field that is meant as one that is missing, such as `q` for `query`."""
    missing = {one["loc"] for one in found if one["type"] == "missing"}
    for one in found if missing else ():
        *place, name = one["loc"]
        if one["type"] == "extra_forbidden":
            absent = [field for field in list_fields(bodies, place[1:]) if (*place, field) in missing]
            if suggest_argument(str(name), absent):
                return one
    return None


def _suggest_field(name: str, bodies: Sequence[Any], place: Sequence[str | int]) -> str:
    """Which field is meant, or where to look for it."""
    known = list_fields(bodies, place)
    if near := suggest_argument(name, known):
        return near
    if "conditions" in known:
        return OWN_KEY
    few = f"expected one of: {', '.join(known)}" if known and len(known) <= MOST_LISTED else ""
    return f": {few or 'leave it out, or see /v1/openapi.json for its name'}"


def list_fields(bodies: Sequence[Any], place: Sequence[str | int]) -> list[str]:
    """The fields of the object at a place in a body; parts of a place that are not fields are passed over.

    >>> from ragstone.server.bodies import AskBody
    >>> list_fields([AskBody], ["messages", 0])
    ['content', 'role']
    """
    models = [model for body in bodies for model in _list_models(body)]
    for part in place:
        fields = [model.model_fields[str(part)] for model in models if part in model.model_fields]
        models = [inner for field in fields for inner in _list_models(field.annotation)] if fields else models
    return sorted({name for model in models for name in model.model_fields})


def _list_models(kind: Any) -> Iterator[type[BaseModel]]:
    """The objects that a value of this kind may be or hold."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        yield kind
    for part in get_args(kind):
        yield from _list_models(part)


def _name_place(mistake: Mapping[str, Any]) -> str:
    """The field, with those that it lies in, as the client wrote them."""
    place: Sequence[str | int] = mistake["loc"]
    unknown = mistake["type"] == "extra_forbidden"  # the last part is the client's
    parts = [part for part in place[:-1] if not _is_kind(part)]
    parts += [part for part in place[-1:] if unknown or not _is_kind(part)]
    start = 1 if parts and parts[0] in ("body", "query", "path", "header") else 0
    return ".".join(str(part) for part in parts[start:])


def _is_kind(part: str | int) -> bool:
    """Whether a part of a place is no field but one of the kinds that the value there may be of."""
    return isinstance(part, str) and (part in KINDS or "[" in part or "-" in part)
