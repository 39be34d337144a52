"""Requests to a server of Ragstone: to its address alone, through no proxy, after no redirect."""

import http.client
import json
import random
import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import quote, urlencode, urlsplit

from ragstone.core import errors
from ragstone.core.errors import Forbidden, NotBuilt, QueueFull, RagstoneError, Unavailable, UsageError
from ragstone.core.types import Json
from ragstone.core.unix_address import UNIX

MOST = 1_000_000_000  # bytes of an answer
BUSY_SECONDS = 30.0  # that a busy server is waited for
ERRORS: dict[int, type[RagstoneError]] = {403: Forbidden, 404: NotBuilt, 409: errors.Busy, 507: errors.DiskFull}


class _UnixConnection(http.client.HTTPConnection):
    """A connection through a Unix socket."""

    def __init__(self, path: str, seconds: float) -> None:
        super().__init__("localhost", timeout=seconds)
        self._path = path

    def connect(self) -> None:
        """Open the socket."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class Line:
    """The line to a server. `seconds` are for each wait; streams have heartbeats, so that silence means the end."""

    def __init__(self, url: str, *, key: str | None, seconds: float) -> None:
        self._socket = url.removeprefix(UNIX) if url.startswith(UNIX) else None
        parts = urlsplit(url if self._socket is None else "http://localhost")
        if parts.scheme not in ("http", "https") or not parts.hostname or self._socket == "":
            raise UsageError(
                f"invalid address of a server {url!r:.80}: expected http://HOST:PORT, https://HOST or unix:PATH"
            )
        try:
            self._port = parts.port
        except ValueError as error:
            raise UsageError(f"invalid address of a server {url!r:.80}: {error}") from error
        if parts.username or parts.password or parts.query or parts.fragment:
            raise UsageError("the address of a server has only a host, a port and a path; the key stands in `key`")
        if parts.path.rstrip("/").endswith("/v1"):  # as clients of OpenAI want it
            raise UsageError(f"invalid address of a server {url!r:.80}: leave out the /v1 at its end")
        self._host, self._tls = parts.hostname, parts.scheme == "https"
        self._prefix = parts.path.rstrip("/")
        self._headers = {"Accept": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})}
        self._seconds = seconds
        self.shown = f"{parts.scheme}://{parts.netloc}{self._prefix}" if self._socket is None else url

    def get(self, path: str, /, **query: object) -> Json:
        """The JSON at a path."""
        return self._send("GET", path + _write_query(query))

    def post(self, path: str, body: Json) -> Json:
        """The JSON that answers a body."""
        return self._send("POST", path, json.dumps(body).encode(), "application/json")

    def post_form(self, path: str, body: bytes, kind: str) -> Json:
        """The JSON that answers a form."""
        return self._send("POST", path, body, kind)

    def delete(self, path: str, /, **query: object) -> Json:
        """The JSON that answers a deletion."""
        return self._send("DELETE", path + _write_query(query))

    def _send(self, method: str, path: str, body: bytes | None = None, kind: str | None = None) -> Json:
        with self._open(method, path, body, kind) as reply:
            data: Json = self._read_json(reply)
            return data

    def stream(self, path: str, body: Json) -> Iterator[tuple[str, Json]]:
        """The events that answer a body: name and data."""
        with self._open("POST", path, json.dumps(body).encode(), "application/json") as reply:
            name, data = "message", ""
            for line in self._read_lines(reply):
                if line.startswith("event:"):
                    name = line[6:].strip()
                elif line.startswith("data:"):
                    data += line[5:].strip()
                elif not line and data:
                    yield name, json.loads(data)
                    name, data = "message", ""

    def _read_lines(self, reply: http.client.HTTPResponse) -> Iterator[str]:
        try:
            while line := reply.readline():
                yield line.decode("utf-8", "replace").rstrip("\r\n")
        except (OSError, http.client.HTTPException) as error:
            raise self._describe_break(error) from error

    @contextmanager
    def _open(self, method: str, path: str, body: bytes | None, kind: str | None) -> Iterator[http.client.HTTPResponse]:
        """A response with a status of success; raises the error that the server tells of. A busy server is asked again
        when it says, for up to `BUSY_SECONDS`."""
        end = time.monotonic() + min(BUSY_SECONDS, self._seconds)
        while True:
            try:
                made, reply = self._request(method, path, body, kind)
                break
            except QueueFull as busy:
                wait = busy.retry_after_seconds * random.uniform(1.0, 1.5)  # noqa: S311  # not all at once
                if time.monotonic() + wait > end:
                    raise
                time.sleep(wait)
        try:
            yield reply
        finally:
            made.close()

    def _request(
        self, method: str, path: str, body: bytes | None, kind: str | None
    ) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        if self._socket is not None:
            made: http.client.HTTPConnection = _UnixConnection(self._socket, self._seconds)
        elif self._tls:
            made = http.client.HTTPSConnection(
                self._host, self._port, timeout=self._seconds, context=ssl.create_default_context()
            )
        else:
            made = http.client.HTTPConnection(self._host, self._port, timeout=self._seconds)
        headers = {**self._headers, **({"Content-Type": kind} if kind else {})}
        try:
            made.request(method, self._prefix + path, body, headers)
            reply = made.getresponse()
            if reply.status >= 300:
                raise self._read_error(reply)
        except BaseException as error:
            made.close()
            if isinstance(error, OSError | http.client.HTTPException):
                raise self._describe_break(error) from error
            raise
        return made, reply

    def _read_json(self, reply: http.client.HTTPResponse) -> Json:
        try:
            data = json.loads(reply.read(MOST))
        except (OSError, http.client.HTTPException) as error:
            raise self._describe_break(error) from error
        except ValueError as error:
            raise Unavailable(f"{self.shown} answered with no JSON: is it a server of Ragstone?") from error
        if not isinstance(data, dict):
            raise Unavailable(f"{self.shown} answered with other JSON: is it a server of Ragstone?")
        return data

    def _read_error(self, reply: http.client.HTTPResponse) -> RagstoneError:
        try:
            told = json.loads(reply.read(MOST))["error"]
            message = str(told["message"])
        except (ValueError, KeyError, TypeError):
            return Unavailable(f"{self.shown} answered {reply.status}: is it a server of Ragstone?")
        if reply.status == 401:
            return UsageError(f"{self.shown} refuses the key: {message}")
        if reply.status == 429:
            wait = reply.headers.get("Retry-After", "1")
            return QueueFull(int(wait) if wait.isdecimal() else 1)
        kind = ERRORS.get(reply.status, UsageError if reply.status < 500 else Unavailable)
        return kind(message)

    def _describe_break(self, error: Exception) -> Unavailable:
        said = (error.strerror if isinstance(error, OSError) else None) or str(error)
        why = f"it sent nothing for {self._seconds:g} s" if isinstance(error, TimeoutError) else said
        return Unavailable(f"{self.shown} cannot be reached: {why or type(error).__name__}; is the server running?")


def escape_part(text: str) -> str:
    """A name as one part of a path."""
    return quote(text, safe="")


def _write_query(query: Mapping[str, object]) -> str:
    """The query of an address, without what is None."""
    given = {name: value for name, value in query.items() if value is not None}
    return f"?{urlencode(given)}" if given else ""
