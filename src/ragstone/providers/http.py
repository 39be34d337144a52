"""HTTP transport to a vendor: one request at a time, bounded in bytes, and every failure as one sentence."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ragstone.core.errors import Unavailable, UsageError
from ragstone.core.spans import NO_SPAN, Span, Value, is_tracing, start_span
from ragstone.providers.endpoint import Endpoint
from ragstone.providers.openai import read_error_message
from ragstone.providers.retries import TransientError, is_transient, parse_retry_after
from ragstone.providers.wire_format import Json, WireRequest

if TYPE_CHECKING:  # 0.1 s to import: only who asks a vendor pays
    import httpx2

LINE_LIMIT = 4_000_000  # bytes of one line of a stream
STREAM_LIMIT = 64_000_000  # bytes of a whole stream, its wrapping included
REPLY_LIMIT = 256_000_000  # bytes of one reply: 2,048 vectors of 3,072 numbers are 130 MB
COMPLAINT_LIMIT = 64_000  # bytes of an error's text that are read
SHOWN_LENGTH = 300  # characters of it that are shown
# What vendors write when a prompt is too long; their codes differ, and some have none.
TOO_LONG = (
    "context length",
    "context_length",
    "context size",
    "context window",
    "too long",
    "exceed_context",
    "token count",
)
NO_KEY = "api key not valid"  # Gemini's word, with a status of 400
NO_MODEL = (
    "model not found",
    "model_not_found",
    "not a valid model",
    "unknown model",
    "no such model",
    "invalid model",
)
PACKAGE_MISSING = "the package httpx2 is missing: pip install 'ragstone[{}]'"


class HttpTransport:
    """Requests to one vendor; messages are about `model`."""

    def __init__(self, reach: Endpoint, headers: dict[str, str], *, model: str, mend: str) -> None:
        self.reach = reach
        self._headers = headers
        self._model = model
        self._mend = mend
        self._client: tuple[asyncio.AbstractEventLoop, httpx2.AsyncClient] | None = None

    @property
    def name(self) -> str:
        """The name of the endpoint for messages."""
        return self.reach.describe_model(self._model)

    async def stream_events(self, call: WireRequest, framing: str) -> AsyncGenerator[Json | None]:
        """The events of a streamed answer, None for the mark at its end; closing it ends the request.

        Raises `TransientError` for what may be gone the next time, `UsageError` for a request that is refused,
        `Unavailable` for an invalid response.
        """
        async with aclosing(self._stream_bytes(call, STREAM_LIMIT)) as data, aclosing(self._split_lines(data)) as lines:
            if framing == "lines":
                async for line in lines:
                    if line.strip():
                        yield self._parse_json(line)
                return
            event: list[str] = []
            async for line in lines:
                if line.startswith("data:"):
                    event.append(line[5:].removeprefix(" "))
                elif not line and event:
                    yield self._parse_event(event)
                    event = []
            if event:
                yield self._parse_event(event)

    async def fetch_reply(self, call: WireRequest) -> Json:
        """One JSON object as a whole; raises as `stream_events` does."""
        return self._parse_json(await self._fetch_text(call))

    async def fetch_value(self, call: WireRequest) -> Any:
        """One JSON value, which may be a list; raises as `stream_events` does."""
        return self._parse_value(await self._fetch_text(call))

    async def _fetch_text(self, call: WireRequest) -> str:
        whole = bytearray()
        async with aclosing(self._stream_bytes(call, REPLY_LIMIT)) as data:
            async for piece in data:
                whole += piece
        return self._decode_text(bytes(whole))

    async def close(self) -> None:
        """Give back the connections."""
        if self._client is not None:
            loop, client = self._client
            self._client = None
            if loop is asyncio.get_running_loop():
                await client.aclose()

    def protocol_error(self, why: str) -> Unavailable:
        """An error for what a vendor should not say."""
        return Unavailable(f"{self.name} gave an invalid response: {self.reach.hide_secrets(why)[:SHOWN_LENGTH]}")

    async def _stream_bytes(self, call: WireRequest, limit: int) -> AsyncGenerator[bytes]:
        client = self._open_client()
        import httpx2

        response = None
        span = self._start_span(call)
        try:
            response = await self._send_request(client, call, span)
            span.set("http.response.status_code", response.status_code)
            if response.status_code != 200:
                raise await self._read_refusal(response)
            if response.headers.get("content-encoding", "identity") != "identity":
                raise self.protocol_error("it is compressed, which Ragstone did not ask for")
            got = 0
            async for piece in response.aiter_raw():
                got += len(piece)
                if got > limit:
                    raise self.protocol_error(f"more than {limit:,} bytes")
                yield piece
        except (httpx2.HTTPError, OSError) as error:
            span.fail(type(error).__name__)
            raise self._connection_error(error, begun=response is not None) from error
        except httpx2.InvalidURL as error:
            raise UsageError(f"{self.reach.group}.base_url leads nowhere: {error}") from error
        finally:
            if response is not None:
                if response.status_code >= 400:
                    span.fail(str(response.status_code))
                await response.aclose()
            span.end()

    def _start_span(self, call: WireRequest) -> Span:
        """The span of one request; an attempt that follows has another."""
        if not is_tracing():
            return NO_SPAN
        address, method = urlsplit(self.reach.address), "GET" if call.body is None else "POST"
        attributes: dict[str, Value] = {
            "http.request.method": method,
            "server.address": address.hostname or "",
            "server.port": address.port or (443 if address.scheme == "https" else 80),
            "url.full": self.reach.hide_secrets(f"{self.reach.address}{call.path}".partition("?")[0]),
        }
        return start_span(method, attributes, kind="client")

    async def _send_request(self, client: httpx2.AsyncClient, call: WireRequest, span: Span) -> httpx2.Response:
        import msgspec

        method, body = ("GET", None) if call.body is None else ("POST", msgspec.json.encode(call.body))
        # Own headers last: an explicit one wins, be it the vendor's own. Unpacked, so that bytes can be counted.
        headers = {
            "content-type": "application/json",
            **self._headers,
            **self.reach.headers,
            "accept-encoding": "identity",
            **span.headers(),
        }
        request = client.build_request(method, self.reach.address + call.path, content=body, headers=headers)
        return await client.send(request, stream=True)

    def _open_client(self) -> httpx2.AsyncClient:
        """A client of the running loop, for connections belong to one. No proxy stands between this machine and
        itself; to elsewhere the proxy that the system names is used."""
        try:
            import httpx2
        except ImportError as error:
            raise Unavailable(PACKAGE_MISSING.format(self.reach.vendor.name)) from error
        loop = asyncio.get_running_loop()
        if self._client is None or self._client[0] is not loop:
            # Time is kept from outside: see `Attempts`.
            is_plain = self.reach.is_local and self.reach.address.startswith("http://")
            # To read the system's certificates takes 20 ms, and nobody here shows one.
            verify = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if is_plain else True
            self._client = loop, httpx2.AsyncClient(verify=verify, timeout=None, trust_env=not self.reach.is_local)
        return self._client[1]

    async def _split_lines(self, data: AsyncIterator[bytes]) -> AsyncGenerator[str]:
        rest = b""
        async for piece in data:
            *lines, rest = (rest + piece).split(b"\n")
            if len(rest) > LINE_LIMIT:
                raise self.protocol_error(f"a line of more than {LINE_LIMIT:,} bytes")
            for line in lines:
                yield self._decode_text(line.removesuffix(b"\r"))
        if rest:
            yield self._decode_text(rest.removesuffix(b"\r"))

    def _decode_text(self, data: bytes) -> str:
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise self.protocol_error(f"it is not UTF-8 at byte {error.start}") from error

    def _parse_event(self, lines: list[str]) -> Json | None:
        data = "\n".join(lines)
        return None if data.strip() == "[DONE]" else self._parse_json(data)

    def _parse_json(self, line: str) -> Json:
        data = self._parse_value(line)
        if not isinstance(data, dict):
            raise self.protocol_error(f"a piece that is not an object ({line[:60]!r})")
        return data

    def _parse_value(self, line: str) -> Any:
        import msgspec

        try:
            return msgspec.json.decode(line)
        except (msgspec.DecodeError, RecursionError) as error:
            raise self.protocol_error(f"a piece that is not JSON ({line[:60]!r})") from error

    def _connection_error(self, error: Exception, *, begun: bool) -> TransientError:
        import httpx2

        why = self.reach.hide_secrets(str(error)) or type(error).__name__
        if begun:
            return TransientError(f"{self.name} broke off in the middle: {why}")
        if isinstance(error, httpx2.RemoteProtocolError | httpx2.ReadError | httpx2.WriteError):
            return TransientError(f"{self.name} closed the connection without an answer: {why}")
        mend = "start it, or set" if self.reach.is_local else "check the network and"
        return TransientError(f"{self.name} cannot be reached ({why}): {mend} {self.reach.group}.base_url")

    async def _read_refusal(self, response: httpx2.Response) -> UsageError | Unavailable:
        """The error for a status other than 200."""
        text = bytearray()
        with suppress(Exception):  # a complaint that breaks off is still one
            async for piece in response.aiter_raw():
                text += piece
                if len(text) > COMPLAINT_LIMIT:
                    break
        status = response.status_code
        said = self.reach.hide_secrets(read_complaint(bytes(text[:COMPLAINT_LIMIT])))[:SHOWN_LENGTH] or "without a word"
        if is_transient(status):
            return TransientError(f"{self.name} failed ({status}: {said})", parse_retry_after(response.headers))
        return self._refusal_error(status, said)

    def _refusal_error(self, status: int, said: str) -> UsageError | Unavailable:
        reach, told = self.reach, f"({status}: {said})"
        if status in (401, 403) or NO_KEY in said.lower():
            return UsageError(f"{reach.vendor.name} at {reach.host} refuses the key {told}: {reach.key_hint}")
        if 300 <= status < 400:
            return UsageError(
                f"{self.name} redirects elsewhere ({status}): set {reach.group}.base_url to the final address"
            )
        if any(words in said.lower() for words in TOO_LONG):
            context = "a shorter prompt, or a model that reads more"
            return UsageError(f"{self.name}: the prompt is longer than the model's context {told}; it takes {context}")
        if status == 404 or any(words in said.lower() for words in NO_MODEL):
            return UsageError(f"{self.name} was not found {told}: {self._mend}, or set {reach.group}.model or base_url")
        return Rejected(f"{self.name} refuses the request {told}")


class Rejected(UsageError):
    """A request that a vendor refuses for a reason of its own."""

    disclosure = UsageError.disclosure


def read_complaint(data: bytes) -> str:
    """The message in the body of an error, on one line.

    >>> read_complaint(b'{"error": {"message": "no such model"}}'), read_complaint(b"<html>Bad gateway")
    ('no such model', '<html>Bad gateway')
    """
    import msgspec

    text = data.decode("utf-8", "replace")
    with suppress(msgspec.DecodeError, RecursionError):
        parsed = msgspec.json.decode(text)
        first = parsed[0] if isinstance(parsed, list) and parsed else parsed  # Gemini wraps some in a list
        if isinstance(first, dict):
            text = read_error_message(first) or text
    return " ".join(text.split())
