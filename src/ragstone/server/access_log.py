"""A line of JSON for each request, without its parameters, its body and its key."""

import json
import logging
import sys
from datetime import UTC, datetime

from starlette.types import Scope

log = logging.getLogger("ragstone.access")

PROBES = frozenset(("/v1/live", "/v1/ready", "/healthz", "/metrics"))
FAILURES = 400  # the least status that is one


def write_line(scope: Scope, *, method: str, path: str, status: int, seconds: float) -> None:
    """Tell of a request whose response has ended, to the logger `ragstone.access`; to stderr where that has no handler.
    Probes that go well are left out. `path` is the template of the endpoint, so that no name stands in it."""
    if path in PROBES and status < FAILURES:
        return
    state = scope["state"]
    line = {
        "ts": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "request_id": state["request_id"],
        "method": method,
        "path": path,
        "http_status": status,
        "latency_ms": round(seconds * 1000, 1),
        "tenant_id": state.get("tenant"),
        "key_id": state.get("key_id"),
    }
    if log.handlers:
        log.info(json.dumps(line))
    else:
        sys.stderr.write(f"{json.dumps(line)}\n")
