"""Traces by OpenTelemetry (extra `otel`): the tracer and its exporter. Imported only where traces are sent."""

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from opentelemetry import trace
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SpanExporter
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from ragstone.config.environment import TraceEnvironment
from ragstone.config.serve_settings import TraceSettings
from ragstone.core import spans
from ragstone.core.errors import UsageError
from ragstone.core.spans import ACTIVE, Kind, Value
from ragstone.core.version import __version__

log = logging.getLogger("ragstone")

KINDS: Mapping[Kind, SpanKind] = {
    "internal": SpanKind.INTERNAL,
    "client": SpanKind.CLIENT,
    "server": SpanKind.SERVER,
}
CONTEXT = TraceContextTextMapPropagator()
PATH = "/v1/traces"
FLUSH_SECONDS = 5.0  # that the end of a process waits for the last spans


class OpenTelemetrySpan:
    """A span of OpenTelemetry; see `ragstone.core.spans.Span`."""

    def __init__(self, inner: trace.Span) -> None:
        self.inner = inner
        self._counts: dict[str, int] = {}

    @property
    def trace_id(self) -> str | None:
        """The trace's id."""
        return trace.format_trace_id(self.inner.get_span_context().trace_id)

    def set(self, name: str, value: Value | None) -> None:
        """Set an attribute."""
        if value is not None:
            self.inner.set_attribute(name, value)

    def add(self, name: str, number: int) -> None:
        """Add to an attribute."""
        self._counts[name] = self._counts.get(name, 0) + number
        self.inner.set_attribute(name, self._counts[name])

    def rename(self, name: str) -> None:
        """Give it another name."""
        self.inner.update_name(name)

    def fail(self, kind: str) -> None:
        """Mark it as failed; no message, which may hold what a document says."""
        self.inner.set_attribute("error.type", kind)
        self.inner.set_status(Status(StatusCode.ERROR))

    def end(self) -> None:
        """End it once."""
        if self.inner.is_recording():
            self.inner.end()

    @contextmanager
    def activate(self) -> Iterator[None]:
        """Make it the parent of what starts in the block."""
        before = ACTIVE.get()
        ACTIVE.set(self)
        try:
            yield
        finally:
            ACTIVE.set(before)  # and no token: a generator may be closed in another context

    def headers(self) -> Mapping[str, str]:
        """Its `traceparent` and `tracestate`."""
        carrier: dict[str, str] = {}
        CONTEXT.inject(carrier, trace.set_span_in_context(self.inner))
        return carrier


class OpenTelemetryTracer:
    """Starts spans of a provider, below the active one."""

    def __init__(self, provider: trace.TracerProvider) -> None:
        self._tracer = provider.get_tracer("ragstone", __version__)

    def start(
        self, name: str, kind: Kind, attributes: Mapping[str, Value], carrier: Mapping[str, str]
    ) -> OpenTelemetrySpan:
        """A span below the active one, else below the caller's."""
        active, context = ACTIVE.get(), None
        if isinstance(active, OpenTelemetrySpan):
            context = trace.set_span_in_context(active.inner)
        elif carrier:
            context = CONTEXT.extract(carrier)
        return OpenTelemetrySpan(self._tracer.start_span(name, context, kind=KINDS[kind], attributes=dict(attributes)))


def trace_with(provider: trace.TracerProvider | None) -> None:
    """Record the work of this process with a provider that a program has set up; None ends that."""
    spans.set_tracer(None if provider is None else OpenTelemetryTracer(provider))


def start_export(
    settings: TraceSettings, environment: TraceEnvironment, *, for_libraries: bool = False
) -> Callable[[], None]:
    """Send spans by OTLP until the returned function is called, which sends the last ones and may block.

    `for_libraries`: spans of other libraries in this process too. The SDK reads its own variables: receiver, headers,
    sampling, resource.
    """
    resource = Resource.create()
    if str(resource.attributes.get(SERVICE_NAME, "")).startswith("unknown_service"):
        resource = resource.merge(Resource({SERVICE_NAME: "ragstone"}))
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(_make_exporter(settings, environment)))
    trace_with(provider)
    if for_libraries:
        trace.set_tracer_provider(provider)

    def stop() -> None:
        trace_with(None)
        thread = threading.Thread(target=provider.shutdown, daemon=True)  # it may wait long for a receiver that is away
        thread.start()
        thread.join(FLUSH_SECONDS)

    return stop


def check_exporter(settings: TraceSettings, environment: TraceEnvironment) -> None:
    """Raises `UsageError` where the package of the protocol is missing."""
    _make_exporter(settings, environment).shutdown()


def _make_exporter(settings: TraceSettings, environment: TraceEnvironment) -> SpanExporter:
    if settings.endpoint is None and environment.exporter == "console":
        return ConsoleSpanExporter()
    if settings.endpoint is None and environment.protocol == "grpc":
        return _make_grpc_exporter()
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    endpoint = _complete_address(settings.endpoint) if settings.endpoint else None
    return OTLPSpanExporter(endpoint=endpoint, session=_make_session())


def _make_session() -> Any:
    """Connections that follow no redirect: spans go to the receiver that is named, or nowhere."""
    import requests

    class Session(requests.Session):
        def get_redirect_target(self, resp: Any) -> str | None:
            if resp.is_redirect:
                log.warning("the receiver of traces redirects elsewhere: set traces.endpoint to the final address")
            return None

    return Session()


def _make_grpc_exporter() -> SpanExporter:
    try:
        from opentelemetry.exporter.otlp.proto.grpc import trace_exporter  # type: ignore[import-not-found,unused-ignore]
    except ModuleNotFoundError as error:
        raise UsageError(
            "OTLP over gRPC needs the package opentelemetry-exporter-otlp-proto-grpc: install it, "
            "or set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf"
        ) from error
    made: Any = trace_exporter.OTLPSpanExporter()
    exporter: SpanExporter = made
    return exporter


def _complete_address(endpoint: str) -> str:
    """The address of a receiver with the path of traces, where only its host is given.

    >>> _complete_address("http://localhost:4318"), _complete_address("https://otel.example.org/otlp/v1/traces")
    ('http://localhost:4318/v1/traces', 'https://otel.example.org/otlp/v1/traces')
    """
    scheme, _, rest = endpoint.partition("://")
    host, _, path = rest.partition("/")
    return endpoint if path else f"{scheme}://{host}{PATH}"
