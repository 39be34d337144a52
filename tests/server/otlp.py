"""A receiver of OTLP over HTTP, and spans as tests read them."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass
class Receiver:
    """What came: the resource and the spans, by their names; and where it listens."""

    url: str
    services: set[str] = field(default_factory=set)
    spans: list[Any] = field(default_factory=list)

    def names(self) -> set[str]:
        return {span.name for span in self.spans}


@contextmanager
def receiving(redirects_to: str | None = None) -> Iterator[Receiver]:
    """A receiver in this process until the block ends, or one that sends all to another."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.path == "/v1/traces":
                for group in ExportTraceServiceRequest.FromString(body).resource_spans:
                    found = [one.value.string_value for one in group.resource.attributes if one.key == "service.name"]
                    receiver.services.update(found)
                    receiver.spans += [span for scope in group.scope_spans for span in scope.spans]
            self.send_response(307 if redirects_to else 200)
            if redirects_to:
                self.send_header("location", f"{redirects_to}{self.path}")
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_args: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver = Receiver(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
