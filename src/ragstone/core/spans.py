"""Spans of a distributed trace, for a tracer that exports them; without one a span is a look at a variable.

Nothing here knows OpenTelemetry: `ragstone.engine.telemetry` sets the tracer. Names and attributes never hold the text
of a question or a document.
"""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Literal, Protocol

from ragstone.core.errors import RagstoneError

Value = str | bool | int | float | tuple[str, ...]
Kind = Literal["internal", "client", "server"]
NOTHING: Mapping[str, Value] = {}


class Span(Protocol):
    """A piece of work, from its start to `end`; the spans that start while it is active are its parts."""

    @property
    def trace_id(self) -> str | None:
        """The trace it belongs to, 32 hexadecimal digits; None where nothing is traced."""

    def set(self, name: str, value: Value | None) -> None:
        """Set an attribute, unless the value is None."""

    def add(self, name: str, number: int) -> None:
        """Add to an attribute that counts."""

    def rename(self, name: str) -> None:
        """Give it another name."""

    def fail(self, kind: str) -> None:
        """Mark it as failed; `kind` is a code or the name of a class, never a message."""

    def end(self) -> None:
        """End it; further calls do nothing."""

    def activate(self) -> AbstractContextManager[None]:
        """Make it the parent of the spans that start in the block."""

    def headers(self) -> Mapping[str, str]:
        """The headers that tell another service of it: `traceparent`, and `tracestate` where there is one."""


class Tracer(Protocol):
    """Starts spans."""

    def start(self, name: str, kind: Kind, attributes: Mapping[str, Value], carrier: Mapping[str, str]) -> Span:
        """A span below the active one, else below the one that the headers of `carrier` name."""


class NoSpan:
    """A span of nothing."""

    trace_id = None

    def set(self, name: str, value: Value | None) -> None: ...

    def add(self, name: str, number: int) -> None: ...

    def rename(self, name: str) -> None: ...

    def fail(self, kind: str) -> None: ...

    def end(self) -> None: ...

    def activate(self) -> AbstractContextManager[None]:
        return nullcontext()

    def headers(self) -> Mapping[str, str]:
        return {}


NO_SPAN: Span = NoSpan()
ACTIVE: ContextVar[Span] = ContextVar("ragstone_span", default=NO_SPAN)
_tracer: Tracer | None = None


def set_tracer(tracer: Tracer | None) -> None:
    """Have spans of this process started by a tracer; None stops that."""
    global _tracer
    _tracer = tracer


def is_tracing() -> bool:
    """Whether spans are recorded."""
    return _tracer is not None


def start_span(
    name: str,
    attributes: Mapping[str, Value] = NOTHING,
    *,
    kind: Kind = "internal",
    carrier: Mapping[str, str] | None = None,
) -> Span:
    """A span that is not active, for work that pauses in between, as a generator does; its maker ends it."""
    return NO_SPAN if _tracer is None else _tracer.start(name, kind, attributes, carrier or {})


@contextmanager
def open_span(
    name: str,
    attributes: Mapping[str, Value] = NOTHING,
    *,
    kind: Kind = "internal",
    carrier: Mapping[str, str] | None = None,
) -> Iterator[Span]:
    """A span that is active for the block, and failed if the block raises."""
    if _tracer is None:
        yield NO_SPAN
        return
    span = start_span(name, attributes, kind=kind, carrier=carrier)
    with end_with(span), span.activate():
        yield span


@contextmanager
def end_with(span: Span) -> Iterator[None]:
    """End a span with the block; it has failed if the block raises, unless its reader only stopped reading."""
    try:
        yield
    except GeneratorExit:
        raise
    except BaseException as error:
        span.fail(error.code if isinstance(error, RagstoneError) else type(error).__name__)
        raise
    finally:
        span.end()
