"""A server that stands between client and model: it remembers what it was asked, and misbehaves when told to."""

import json
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.patience import HANG


@dataclass(frozen=True)
class Seen:
    """A request as it came: header names in lower case, `port` where its connection begins."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    port: int = 0

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Reply:
    """What goes back: pieces as they are sent, and how what they come from is given back. One that is `torn` ends
    without the mark that says so."""

    pieces: Iterator[bytes]
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    torn: bool = False
    close: Callable[[], None] = lambda: None


Backend = Callable[[Seen], Reply]
Fault = Callable[[Reply], Reply]


class Between:
    """Plays the faults that are in `faults`, one a request from the left; then the backend's replies as they are."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.faults: deque[Fault] = deque()
        self.requests: list[Seen] = []
        self.left = threading.Event()  # a client went away before the reply was done
        self.released = threading.Event()  # whoever stalls goes on
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def reply(self, seen: Seen) -> Reply:
        """What this request gets."""
        self.requests.append(seen)
        fault = self.faults.popleft() if self.faults else None
        if fault in SPARED:  # the backend is not even asked
            return fault(Reply(iter(())))
        reply = self.backend(seen)
        return fault(reply) if fault else reply

    def close(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()

    # --- faults ---------------------------------------------------------------------------------

    def fail_next(self, status: int, body: Any = None, **headers: str) -> None:
        """Answer with an error."""
        text = body if isinstance(body, bytes) else json.dumps(body or {"error": {"message": "no luck"}}).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}

        def fault(_reply: Reply) -> Reply:
            return Reply(iter([text]), status, named)

        SPARED.add(fault)
        self.faults.append(fault)

    def cut(self, after: int) -> None:
        """Let so many pieces through, then close the connection."""
        self.faults.append(lambda reply: replace(reply, pieces=_first(reply.pieces, after), torn=True))

    def ends(self, after: int) -> None:
        """Let so many pieces through, then end the stream as if that were all."""
        self.faults.append(lambda reply: replace(reply, pieces=_first(reply.pieces, after)))

    def insert_bytes(self, piece: bytes, after: int) -> None:
        """Let so many pieces through, then one of one's own, then the rest."""

        def pieces(given: Iterator[bytes]) -> Iterator[bytes]:
            yield from _first(given, after)
            yield piece
            yield from given

        self.faults.append(lambda reply: replace(reply, pieces=pieces(reply.pieces)))

    def stall_after(self, after: int) -> None:
        """Let so many pieces through, then say nothing until `released`."""

        def pieces(given: Iterator[bytes]) -> Iterator[bytes]:
            yield from _first(given, after)
            self.released.wait(HANG)

        self.faults.append(lambda reply: replace(reply, pieces=pieces(reply.pieces)))

    def repeat_event(self, piece: int) -> None:
        """Say one piece again and again for ever."""

        def pieces(given: Iterator[bytes]) -> Iterator[bytes]:
            *before, again = _first(given, piece + 1)
            yield from before
            while not self.released.is_set():
                yield again

        self.faults.append(lambda reply: replace(reply, pieces=pieces(reply.pieces)))


SPARED: set[Fault] = set()


def _first(pieces: Iterator[bytes], count: int) -> Iterator[bytes]:
    for _ in range(count):
        with suppress(StopIteration):
            yield next(pieces)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is what is tested."""


def _handler(between: Between) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer(b"")

        def do_POST(self) -> None:
            self._answer(self.rfile.read(int(self.headers.get("content-length") or 0)))

        def _answer(self, body: bytes) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = between.reply(Seen(self.command, self.path, headers, body, self.client_address[1]))
            self.send_response(reply.status)
            for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            try:
                for piece in reply.pieces:
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                    self.wfile.flush()
                if not reply.torn:
                    self.wfile.write(b"0\r\n\r\n")
            except OSError:
                between.left.set()
                self.close_connection = True
            finally:
                reply.close()
            if reply.torn:
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the name of the base class
            """Nothing."""

    return Handler


@contextmanager
def standing(backend: Backend) -> Iterator[Between]:
    """Such a server while the block runs."""
    between = Between(backend)
    try:
        yield between
    finally:
        between.close()
