"""A language model over HTTP in any wire format: streamed inside, bounded in time and length, tried again where it
may help."""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from types import EllipsisType

from ragstone.core.errors import RagstoneError, Unavailable, UsageError
from ragstone.core.ports import CompletionResult, Prompt, Tokenizer
from ragstone.providers.endpoint import Endpoint
from ragstone.providers.http import HttpTransport, Rejected
from ragstone.providers.retries import Attempts, TransientError
from ragstone.providers.wire_format import CompletionRequest, FinishReason, Json, StreamEvent, WireFormat, WireRequest

# Bytes of an answer: a token of running text has four, of code or another script some more. Who does not obey
# `max_tokens` is cut here.
BYTES_A_TOKEN = 32
LEAST_BYTES = 4_000
MOST_NAMED = 8  # of a vendor's models in a sentence
LONGEST_NAME = 80
SIMILAR_NAME = 0.4  # ratio of `difflib`, from 0 to 1


@dataclass(slots=True)
class TokenUsage:
    """The usage of a model since it was made: answered requests, tokens read and written."""

    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def add(self, prompt: int | None, completion: int | None = None) -> None:
        """Count one request that was answered."""
        self.requests += 1
        self.prompt_tokens += prompt or 0
        self.completion_tokens += completion or 0


@dataclass(slots=True)
class StreamState:
    """The answer so far; `at` is the time of the last event, or of the reader's return, by the loop's clock."""

    at: float
    text: str = ""
    bytes: int = 0
    ended: FinishReason | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None

    def take_event(self, event: StreamEvent) -> None:
        """Take in an event; later counts stand for earlier ones."""
        self.text += event.text
        self.bytes += len(event.text.encode("utf-8", "replace"))
        self.ended = event.ended or self.ended
        for name in ("prompt_tokens", "completion_tokens", "cached_tokens"):
            if (count := getattr(event, name)) is not None:
                setattr(self, name, count)

    def build_result(self) -> CompletionResult:
        """The whole."""
        read = [self.prompt_tokens, self.cached_tokens]
        prompt = None if read == [None, None] else sum(filter(None, read))
        return CompletionResult(self.text, self.ended or "other", prompt, self.completion_tokens)


class VendorCompletion:
    """Writes texts with a vendor's language model over HTTP; implements `Completion`."""

    def __init__(
        self,
        reach: Endpoint,
        speech: WireFormat,
        *,
        model: str,
        context: int | None = None,
        tokenizer: Tokenizer | None = None,
    ) -> None:
        self.vendor = reach.vendor.name
        self.model = model
        self.context = context
        self.tokenizer = tokenizer
        self.spent = TokenUsage()
        self._endpoint = reach.validate()
        self._wire_format = speech
        self._transport: HttpTransport | None = None
        self._omit_temperature = False

    async def complete(self, prompt: Prompt) -> CompletionResult:
        """The answer as a whole. It is streamed inside: a vendor goes on writing for one who waits for all at once and
        then goes away."""
        async with aclosing(self.stream(prompt)) as pieces:
            async for piece in pieces:
                if isinstance(piece, CompletionResult):
                    return piece
        raise Unavailable(f"{self._open_transport().name} gave no answer")

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | CompletionResult]:
        """The pieces, then the whole. A failed request is repeated only before its first piece was passed on."""
        attempts = Attempts(self._endpoint)
        while True:
            begun = False
            try:
                async with aclosing(self._stream_once(prompt, attempts)) as pieces:
                    async for piece in pieces:
                        begun = True
                        yield piece
                return
            except TransientError as failure:
                if begun:
                    raise Unavailable(str(failure)) from failure
                await attempts.wait_before_retry(failure)
            except Rejected as error:  # some models take no temperature: said once, it is left out from then on
                if begun or self._omit_temperature or "temperature" not in str(error):
                    raise
                self._omit_temperature = True

    async def check(self) -> list[str]:
        """The problems that keep it from working, each with its remedy; asks for the list of models, once."""
        try:
            line = self._open_transport()
            async with asyncio.timeout(self._endpoint.timeout):
                names = self._wire_format.parse_models(await line.fetch_reply(self._wire_format.build_models_request()))
        except TimeoutError:
            return [f"{self._endpoint.describe_model(self.model)} did not answer within {self._endpoint.timeout:g} s"]
        except (KeyError, TypeError, ValueError):
            return [
                f"{self._endpoint.describe_model(self.model)} gave no list of models: "
                f"is {self._endpoint.group}.base_url right?"
            ]
        except RagstoneError as error:
            return [str(error)]
        known = self.model in names or any(name.startswith(f"{self.model}-") for name in names)
        if known or not self._endpoint.vendor.lists:
            return []
        wanted = f"set {self._endpoint.group}.model{_list_names(self.model, names)}"
        return [f"{line.name} was not found: {self._remedy()}, or {wanted}"]

    async def close(self) -> None:
        """Give back the connections; the next request would open new ones."""
        if self._transport is not None:
            await self._transport.close()

    def _open_transport(self) -> HttpTransport:
        """The line, made at first use: until then no key is needed."""
        if self._transport is None:
            headers = self._wire_format.headers(self._endpoint.require_key())
            self._transport = HttpTransport(self._endpoint, headers, model=self.model, mend=self._remedy())
        return self._transport

    def _remedy(self) -> str:
        return self._wire_format.mend.replace("MODEL", self.model)

    async def _stream_once(self, prompt: Prompt, attempts: Attempts) -> AsyncGenerator[str | CompletionResult]:
        loop = asyncio.get_running_loop()
        line, state = self._open_transport(), StreamState(loop.time())
        most = LEAST_BYTES + BYTES_A_TOKEN * prompt.max_tokens
        async with aclosing(line.stream_events(self._build_request(prompt), self._wire_format.framing)) as events:
            while (event := await self._next_event(line, events, attempts, state)) is not ...:
                try:
                    parsed = StreamEvent(over=True) if event is None else self._parse_event(line, event)
                except (TransientError, Unavailable):
                    if state.ended is None:
                        raise
                    break  # the answer had ended
                state.take_event(parsed)
                if parsed.text:
                    yield parsed.text
                if parsed.text or parsed.alive or parsed.ended:
                    state.at = loop.time()  # what a slow reader of the pieces takes is no silence of the vendor
                if state.bytes > most:
                    state.ended = "length"
                    break
                if parsed.over:
                    await _drain_stream(events, self._endpoint.linger / 10)
                    break
        if state.ended is None and event is ...:
            raise TransientError(f"{line.name} broke off in the middle: its answer has no end")
        done = state.build_result()
        self.spent.add(done.prompt_tokens, done.completion_tokens)
        yield done

    async def _next_event(
        self, line: HttpTransport, events: AsyncGenerator[Json | None], attempts: Attempts, state: StreamState
    ) -> Json | EllipsisType | None:
        """The next event, None for the mark at the end, `...` where there is none: a stream that stalls or breaks after
        the answer has ended changes nothing."""
        linger = self._endpoint.linger if state.ended else None
        try:
            async with asyncio.timeout_at(attempts.deadline_after(state.at, linger)):
                return await anext(events, ...)
        except TimeoutError:
            if not state.ended:
                raise self._silence_error(line, asyncio.get_running_loop().time() >= attempts.end) from None
        except Unavailable:
            if not state.ended:
                raise
        return ...

    def _build_request(self, prompt: Prompt) -> WireRequest:
        if not any(turn.role != "system" for turn in prompt.messages):
            raise UsageError("a prompt needs a message of the user")
        call = self._wire_format.build_completion_request(
            CompletionRequest(self.model, prompt, self.context, self._endpoint.limit, self.tokenizer)
        )
        if self._omit_temperature and call.body is not None:
            call.body.pop("temperature", None)
        return call

    def _parse_event(self, line: HttpTransport, event: Json) -> StreamEvent:
        try:
            parsed = self._wire_format.parse_event(event)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise line.protocol_error(f"a piece of another shape ({type(error).__name__}: {error})") from error
        if parsed.failed is not None:
            raise TransientError(
                f"{line.name} failed while it answered ({self._endpoint.hide_secrets(parsed.failed) or 'no reason'})"
            )
        return parsed

    def _silence_error(self, line: HttpTransport, over: bool) -> Unavailable:
        group, reach = self._endpoint.group, self._endpoint
        if over:
            return Unavailable(f"{line.name} did not end its answer within {reach.total:g} s ({group}.total)")
        return TransientError(f"{line.name} sent nothing for {reach.timeout:g} s ({group}.timeout)")


async def _drain_stream(events: AsyncGenerator[Json | None], seconds: float) -> None:
    """Wait a moment for the end of a stream that holds nothing more: a connection that was read whole serves again."""
    with suppress(TimeoutError, Unavailable):
        async with asyncio.timeout(seconds):
            async for _ in events:
                pass


def _list_names(model: str, names: Sequence[str]) -> str:
    """The models that the vendor has, those of similar names first."""
    near = difflib.get_close_matches(model, names, n=MOST_NAMED, cutoff=SIMILAR_NAME)
    named = [f"{name:.{LONGEST_NAME}}" for name in dict.fromkeys((*near, *sorted(names)))]
    more = f" and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
    return f" to one that it has: {', '.join(named[:MOST_NAMED])}{more}" if named else ""
