"""A tool's work is part of its caller's trace."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest
from mcp.client.streamable_http import streamable_http_client

from mcp import Client
from tests.mcp.conftest import Place, call
from tests.server.otlp import receiving

TRACE = "0af7651916cd43dd8448eb211c80319c"


@asynccontextmanager
async def connect(url: str) -> AsyncIterator[Client]:
    headers = {"traceparent": f"00-{TRACE}-b7ad6b7169203331-01"}
    async with (
        httpx2.AsyncClient(headers=headers) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        yield client


async def test_a_search_of_an_agent_is_below_its_caller(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    with receiving() as receiver:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.url)
        monkeypatch.setenv("OTEL_SERVICE_NAME", "agents")
        with place.serving() as url:
            async with connect(url) as client:
                await call(client, "search", query="samples of water")
    assert receiver.services == {"agents"}
    spans = {span.name: span for span in receiver.spans}
    assert "tools/call search" in spans  # of the protocol's SDK
    assert spans["execute_tool"].trace_id.hex() == TRACE
    assert spans["ragstone search"].parent_span_id == spans["execute_tool"].span_id
    assert spans["store matching"].trace_id.hex() == TRACE
    assert "samples of water" not in str(receiver.spans)
