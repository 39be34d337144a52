"""One trace of OpenTelemetry leads from a request to the vendor's call, and tells no text."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind

from ragstone.config.model_settings import EmbedSettings, ExternalSettings, LlmSettings
from ragstone.config.serve_settings import LogSettings, TraceSettings
from ragstone.config.settings import PipelineSettings, Settings
from ragstone.engine import Engine
from ragstone.engine.telemetry import trace_with
from tests.commands import Run
from tests.patience import HANG
from tests.providers.serving.backends import counted, line
from tests.providers.serving.between import Between, Reply, Seen, standing
from tests.server.conftest import QUESTION, Kept, open_client
from tests.server.otlp import receiving

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
CALLER = {"traceparent": f"00-{TRACE}-{PARENT}-01"}


def vendor(seen: Seen) -> Reply:
    """Embeddings and answers as OpenAI gives them."""
    if seen.path.endswith("/embeddings"):
        data = [{"embedding": counted(text), "index": n} for n, text in enumerate(seen.json["input"])]
        return line({"data": data, "usage": {"prompt_tokens": 6}})
    said = {"choices": [{"index": 0, "delta": {"content": "Samples are kept for 15 days [1]."}}]}
    ended = {
        "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 90, "completion_tokens": 9},
    }
    events = [f"data: {json.dumps(one)}\n\n".encode() for one in (said, ended)]
    return Reply(iter([*events, b"data: [DONE]\n\n"]))


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    """The spans of this process, as they end."""
    exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace_with(provider)
    yield exporter
    trace_with(None)
    provider.shutdown()


@dataclass(frozen=True)
class Place:
    settings: Settings
    vendor: Between


@pytest.fixture
async def place(own: Settings) -> Any:
    """A store whose models are a vendor's."""
    with standing(vendor) as between:
        address = f"{between.url}/v1"
        embed = EmbedSettings("openai/counts", base_url=address, api_key="k", dimensions=len(counted("a")), reads=512)
        llm = LlmSettings("openai/writer", base_url=address, api_key="k")
        settings = replace(own, embed=embed, llm=llm, external=ExternalSettings(embedding=True))
        async with Engine(settings) as engine:
            await engine.ingest()
        between.requests.clear()
        yield Place(settings, between)


def by_name(exporter: InMemorySpanExporter) -> dict[str, ReadableSpan]:
    return {span.name: span for span in exporter.get_finished_spans()}


def path_of(span: ReadableSpan, exporter: InMemorySpanExporter) -> list[str]:
    """The names from the outermost span of this process down."""
    known = {one.context.span_id: one for one in exporter.get_finished_spans() if one.context}
    names = [span.name]
    while span.parent is not None and span.parent.span_id in known:
        span = known[span.parent.span_id]
        names.insert(0, span.name)
    return names


@pytest.mark.parametrize("stream", [False, True])
async def test_one_trace_leads_from_the_request_to_the_vendor(
    place: Place, spans: InMemorySpanExporter, stream: bool
) -> None:
    async with open_client(place.settings) as client:
        reply = await client.post("/v1/ask", json={"query": QUESTION, "stream": stream}, headers=CALLER)
        assert "15 days" in reply.text
    found = by_name(spans)
    assert {f"{span.context.trace_id:032x}" for span in spans.get_finished_spans() if span.context} == {TRACE}
    request = found["POST /v1/ask"]
    assert request.parent is not None
    assert f"{request.parent.span_id:016x}" == PARENT
    assert request.kind is SpanKind.SERVER
    attributes = dict(request.attributes or {})
    assert (attributes["http.route"], attributes["http.response.status_code"]) == ("/v1/ask", 200)
    top = ["POST /v1/ask", "ragstone ask"]
    assert path_of(found["embeddings counts"], spans) == [*top, "embedding", "embeddings counts"]
    assert path_of(found["store nearest"], spans) == [*top, "cosine", "store nearest"]
    assert path_of(found["store matching"], spans) == [*top, "bm25", "store matching"]
    assert path_of(found["chat writer"], spans) == [*top, "chat writer"]
    sent = {}
    for seen in place.vendor.requests:
        version, trace, parent, _ = seen.headers["traceparent"].split("-")
        assert (version, trace) == ("00", TRACE)
        sent[parent] = seen.path
    calls = [span for span in spans.get_finished_spans() if span.name == "POST"]
    assert {f"{span.context.span_id:016x}" for span in calls if span.context} == set(sent)
    paths = [path_of(span, spans) for span in calls]
    assert [*top, "embedding", "embeddings counts", "POST"] in paths
    assert [*top, "chat writer", "POST"] in paths


async def test_spans_of_models_follow_the_conventions(place: Place, spans: InMemorySpanExporter) -> None:
    async with open_client(place.settings) as client:
        await client.post("/v1/ask", json={"query": QUESTION})
    found = by_name(spans)
    chat, embeddings = dict(found["chat writer"].attributes or {}), dict(found["embeddings counts"].attributes or {})
    assert chat["gen_ai.operation.name"] == "chat"
    assert (chat["gen_ai.provider.name"], chat["gen_ai.request.model"]) == ("openai", "writer")
    assert (chat["gen_ai.usage.input_tokens"], chat["gen_ai.usage.output_tokens"]) == (90, 9)
    assert chat["gen_ai.response.finish_reasons"] == ("stop",)
    assert embeddings["gen_ai.operation.name"] == "embeddings"
    assert (embeddings["gen_ai.request.model"], embeddings["gen_ai.usage.input_tokens"]) == ("counts", 6)
    nearest = dict(found["store nearest"].attributes or {})
    assert (nearest["db.system.name"], nearest["db.operation.name"]) == ("embedded", "nearest")
    assert found["chat writer"].kind is SpanKind.CLIENT


def words_of(span: ReadableSpan) -> str:
    events = [(event.name, dict(event.attributes or {})) for event in span.events]
    return f"{span.name} {dict(span.attributes or {})} {events} {span.status.description}".lower()


async def test_no_span_holds_text_unless_the_log_may(place: Place, spans: InMemorySpanExporter) -> None:
    asked = {"query": "How long are samples kept beside password=hunter2secret99?"}
    async with open_client(place.settings) as client:
        await client.post("/v1/ask", json=asked)
        await client.post("/v1/search", json={"query": "samples", "collection": "nowhere"})
        await client.post("/v1/search", json={"query": "samples kept", "top_k": -1})
    assert len(spans.get_finished_spans()) > 10
    for span in spans.get_finished_spans():
        assert "samples" not in words_of(span), span.name
        assert "blocks" not in words_of(span), span.name
    open_log = replace(place.settings, log=LogSettings(questions=True))
    async with open_client(open_log) as client:
        await client.post("/v1/ask", json=asked)
    shown = str(dict(by_name(spans)["ragstone ask"].attributes or {})["ragstone.question"])
    assert "How long are samples kept" in shown
    assert "hunter2secret99" not in shown


async def test_a_failure_is_named_by_its_code(own: Settings, spans: InMemorySpanExporter) -> None:
    async with open_client(own) as client:
        assert (await client.post("/v1/search", json={"query": "samples"})).status_code == 404
        assert (await client.get("/v1/live")).status_code == 200
    found = by_name(spans)
    assert dict(found["ragstone search"].attributes or {})["error.type"] == "index_not_built"
    assert not found["ragstone search"].status.is_ok
    assert found["POST /v1/search"].status.is_unset  # the client's mistake is no failure of the server
    assert "GET /v1/live" not in found


async def test_each_of_several_sources_has_its_span_and_its_times(own: Settings, spans: InMemorySpanExporter) -> None:
    two = (PipelineSettings("two", collections=("default", "other")),)
    for name in ("default", "other"):
        async with Engine(replace(own, collection=name, pipelines=two)) as engine:
            await engine.ingest()
            found = await engine.pipeline("two").search(QUESTION)
    assert found.timings["cosine"] > 0
    assert found.timings["bm25"] > 0
    sources = [span for span in spans.get_finished_spans() if span.name == "search source"]
    assert len(sources) == 4
    assert path_of(by_name(spans)["store nearest"], spans)[:2] == ["ragstone search", "search source"]


async def test_a_receiver_gets_the_spans_when_the_server_ends(kept: Kept) -> None:
    with receiving() as receiver:
        settings = replace(kept.settings, traces=TraceSettings(endpoint=receiver.url))
        async with open_client(settings) as client:
            await client.post("/v1/search", json={"query": QUESTION}, headers=CALLER)
        assert receiver.services == {"ragstone"}
        assert {"POST /v1/search", "ragstone search", "cosine", "embeddings all-MiniLM-L6-v2"} <= receiver.names()
        assert {span.trace_id.hex() for span in receiver.spans} == {TRACE}
        before = len(receiver.spans)
        async with open_client(kept.settings) as client:
            await client.post("/v1/search", json={"query": QUESTION})
        assert len(receiver.spans) == before


async def test_spans_go_to_the_named_receiver_and_no_further(kept: Kept, caplog: pytest.LogCaptureFixture) -> None:
    with receiving() as elsewhere, receiving(redirects_to=elsewhere.url) as named:
        settings = replace(kept.settings, traces=TraceSettings(endpoint=named.url))
        async with open_client(settings) as client:
            await client.post("/v1/search", json={"query": QUESTION})
        assert named.names()
        assert not elsewhere.names()
    assert "redirects elsewhere: set traces.endpoint" in caplog.text


def test_a_receiver_that_is_away_keeps_nobody_from_ending(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    import asyncio

    monkeypatch.setattr("ragstone.engine.telemetry.FLUSH_SECONDS", 0.1)

    async def ask() -> int:
        settings = replace(kept.settings, traces=TraceSettings(endpoint="http://127.0.0.1:9"))
        async with open_client(settings) as client:
            return (await client.post("/v1/search", json={"query": QUESTION})).status_code

    assert asyncio.run(ask()) == 200


OFF = """
import asyncio, sys
from ragstone.config.load import load
from ragstone.server.app import create_app
async def live():
    app = create_app(load(store=sys.argv[1]))
    async with app.router.lifespan_context(app): pass
asyncio.run(live())
print(*(name for name in sys.modules if name.startswith(("opentelemetry.sdk", "ragstone.engine.telemetry"))))
"""


def test_without_traces_nothing_of_opentelemetry_is_loaded(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", OFF, tmp_path / "store"], capture_output=True, text=True, timeout=HANG, check=True
    )
    assert done.stdout.strip() == ""


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, run: Run, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "ragstone.engine.telemetry", None)
    monkeypatch.setenv("RAGSTONE_TRACES__ENDPOINT", "http://127.0.0.1:4318")
    done = run("serve", "--store", tmp_path / "store")
    assert done.status == 2
    assert "ragstone[otel]" in done.err
    monkeypatch.setenv("RAGSTONE_TRACES__ENDPOINT", "localhost")
    done = run("serve", "--store", tmp_path / "store")
    assert done.status == 2
    assert "traces.endpoint" in done.err


@pytest.mark.parametrize(
    ("variables", "wanted"),
    [
        ({}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318"}, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://localhost:4318/v1/traces"}, True),
        ({"OTEL_TRACES_EXPORTER": "console"}, True),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318", "OTEL_TRACES_EXPORTER": "none"}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318", "OTEL_SDK_DISABLED": "true"}, False),
    ],
)
def test_the_usual_variables_decide(variables: dict[str, str], wanted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    from ragstone.core import spans as core_spans
    from ragstone.engine.tracing import send_traces

    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with send_traces(TraceSettings()):
        assert core_spans.is_tracing() is wanted
    assert not core_spans.is_tracing()
    with send_traces(TraceSettings(export=False)):
        assert not core_spans.is_tracing()
