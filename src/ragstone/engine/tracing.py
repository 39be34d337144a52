"""Whether a server sends traces; loads OpenTelemetry only where it does."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from ragstone.config.environment import TraceEnvironment, read_trace_environment
from ragstone.config.serve_settings import TraceSettings
from ragstone.core.errors import UsageError

log = logging.getLogger("ragstone")
MISSING = "traces need packages that are not installed; run: pip install 'ragstone[otel]'"


def check_tracing(settings: TraceSettings) -> None:
    """Raises `UsageError` where the settings want traces and a package for them is missing."""
    environment = read_trace_environment()
    if _is_wanted(settings, environment):
        try:
            from ragstone.engine.telemetry import check_exporter
        except ModuleNotFoundError as error:
            if settings.export or settings.endpoint:
                raise UsageError(MISSING) from error
            return
        check_exporter(settings, environment)


@contextmanager
def send_traces(settings: TraceSettings, *, for_libraries: bool = False) -> Iterator[None]:
    """Send traces while the block runs, where the settings or the environment say so; its end sends the last ones.
    `for_libraries`: with the spans of other libraries in this process."""
    environment = read_trace_environment()
    if not _is_wanted(settings, environment):
        yield
        return
    try:
        from ragstone.engine.telemetry import start_export
    except ModuleNotFoundError:  # wanted by the environment alone, which many programs share
        log.warning(MISSING)
        yield
        return
    stop = start_export(settings, environment, for_libraries=for_libraries)
    try:
        yield
    finally:
        stop()


def _is_wanted(settings: TraceSettings, environment: TraceEnvironment) -> bool:
    named = settings.endpoint is not None or environment.has_receiver
    return not environment.disabled and (named if settings.export is None else settings.export)
