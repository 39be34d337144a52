"""The application with a description of its API (OpenAPI) that says how to sign in and shows a request of each kind."""

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI

from ragstone.core.types import Json
from ragstone.server.descriptions import build_components, describe_defaults, refer_to
from ragstone.server.errors import find_error_kind

BEARER = {"type": "http", "scheme": "bearer", "description": "A key (`ragstone keys create`) or a token of an issuer."}
HEADER = {"type": "apiKey", "in": "header", "name": "X-API-Key", "description": "The same in a header of its own."}
SCHEMES = {"bearer": BEARER, "header": HEADER}
# The last asks for none: a server that trusts its callers answers without a key.
ANY_OR_NONE: list[dict[str, list[str]]] = [{"bearer": []}, {"header": []}, {}]
FIRST_ERROR = 400  # of the statuses
ASKED = "How long are samples kept?"
# Requests that mean something. Made from the fields alone, an example would have every option, each at an edge.
EXAMPLES: Mapping[str, Json] = {
    "/v1/search": {"query": ASKED, "top_k": 5},
    "/v1/ask": {"query": ASKED},
    "/v1/explain": {"query": ASKED, "path": "storage.md"},
    "/v1/collections": {"name": "handbook"},
    "/v1/texts": {"texts": {"notes/storage.md": {"text": "Samples are kept for 15 days.", "meta": {"tags": ["it"]}}}},
    "/v1/runs": {"refresh": False},
    "/v1/pipelines/{name}": {"query": ASKED, "include_sources": True},
    "/search": {"query": ASKED, "top_k": 5},
    "/v1/query": {"question": ASKED},
    "/v1/chat/completions": {"model": "default", "messages": [{"role": "user", "content": ASKED}]},
    "/v1/embeddings": {"model": "default", "input": [ASKED]},
    "/v1/vector_stores/{name}/search": {"query": ASKED, "max_num_results": 5},
    "/v1/responses": {"model": "default", "input": ASKED},
}


class DescribedApp(FastAPI):
    """FastAPI whose endpoints name their credentials, those that may refuse them with a 401, and have examples."""

    def openapi(self) -> dict[str, Any]:
        """The description, made once."""
        if self.openapi_schema is None:
            described = super().openapi()
            described["components"]["securitySchemes"] = SCHEMES
            for path, operations in described["paths"].items():
                for operation in operations.values():
                    _complete(operation, EXAMPLES.get(path), refer_to(find_error_kind(path)))
            describe_defaults(described["components"]["schemas"])
            described["components"]["schemas"] |= build_components()
        return super().openapi()


def _complete(operation: dict[str, Any], example: Json | None, error: dict[str, str]) -> None:
    for status, answer in operation["responses"].items():
        if int(status) >= FIRST_ERROR and "application/json" in answer.get("content", {}):
            answer["content"]["application/json"]["schema"] = error
    if "401" in operation["responses"]:
        operation["security"] = ANY_OR_NONE
    body = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if body is not None and example is not None:
        body["example"] = example
