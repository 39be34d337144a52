"""The bounds that the descriptions of the API and of the tools name are those of the engine."""

import json
import re
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from ragstone.core.errors import UsageError
from ragstone.core.types import LONGEST_QUESTION, NAME_LENGTH
from ragstone.mcp.arguments import parse_arguments
from ragstone.mcp.tools import TOOLS
from tests.server.conftest import QUESTION

QUESTIONS = ("query", "question", "keyword")


def list_fields(value: Any, name: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """The schemas of fields and parameters, each with its name; the members of a choice by themselves."""
    if isinstance(value, list):
        for one in value:
            yield from list_fields(one, name)
    elif isinstance(value, dict):
        if isinstance(value.get("type"), str):
            yield name, value
        for key, inner in value.items():
            if key == "properties":
                for own, schema in inner.items():
                    yield from list_fields(schema, own)
            elif key == "parameters":
                for parameter in inner:
                    yield from list_fields(parameter["schema"], parameter["name"])
            else:
                yield from list_fields(inner, name if key in ("anyOf", "items") else "")


LONGEST = {
    **dict.fromkeys(("collection", "tenant_id"), NAME_LENGTH),
    **dict.fromkeys(QUESTIONS, LONGEST_QUESTION),
    **dict.fromkeys(("path", "source", "pipeline", "model", "column"), None),  # of any length
}


def take_requests(described: Any) -> Any:
    """The description of requests alone: bodies, parameters, and the shapes that they name. Answers have no bounds."""
    operations = [one for path in described["paths"].values() for one in path.values()]
    taken: list[Any] = [{name: one.get(name, []) for name in ("parameters", "requestBody")} for one in operations]
    named, shapes = set[str](), described["components"]["schemas"]
    for part in taken:
        for name in sorted(set(re.findall(r"#/components/schemas/([^\"]+)", json.dumps(part))) - named):
            named.add(name)
            taken.append(shapes[name])
    return taken


def find_bounds(described: Any) -> dict[str, set[int | None]]:
    """The longest texts of the fields of these names."""
    found: dict[str, set[int | None]] = {}
    for name, schema in list_fields(described):
        if schema["type"] == "string" and name in LONGEST:
            found.setdefault(name, set()).add(schema.get("maxLength"))
    return found


async def test_the_api_names_the_bounds_of_the_engine(client: httpx2.AsyncClient) -> None:
    described = take_requests((await client.get("/v1/openapi.json")).json())
    assert find_bounds(described) == {name: {longest} for name, longest in LONGEST.items()}
    numbers = [one for name, one in list_fields(described) if name in ("top_k", "top_n") and one["type"] == "integer"]
    assert len(numbers) > 4
    assert {(one["minimum"], one["maximum"]) for one in numbers} == {(1, 1000)}


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_tools_have_the_bounds_of_the_engine(tool: Any) -> None:
    bounded = {name: LONGEST.get(name) for name in tool.arguments.model_fields if name not in ("path", "source")}
    for name, longest in bounded.items():
        if longest is not None:
            assert name not in _find_wrong(tool, {name: "x" * longest})
            assert f"invalid {name}: expected at most {longest:,} characters" in _find_wrong(
                tool, {name: "x" * (longest + 1)}
            )


def _find_wrong(tool: Any, given: dict[str, str]) -> str:
    """What the tool says against arguments; nothing where it takes them."""
    try:
        parse_arguments(tool.arguments, given)
    except UsageError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("length", [NAME_LENGTH, NAME_LENGTH + 1])
async def test_a_collection_has_a_name_as_long_as_described(client: httpx2.AsyncClient, length: int) -> None:
    reply = await client.post("/v1/search", json={"query": QUESTION, "collection": "c" * length})
    assert reply.status_code == (404 if length == NAME_LENGTH else 422)
    assert (await client.get("/v1/documents", params={"collection": "c" * length})).status_code == reply.status_code


async def test_a_document_may_be_asked_for_by_a_long_path(client: httpx2.AsyncClient) -> None:
    reply = await client.post("/v1/explain", json={"query": QUESTION, "path": "guides/" * 100 + "a.md"})
    assert reply.status_code == 200
