"""The contract of every language model behind HTTP, as tests: inherit `CompletionContract`, give the fixture `behind`.

Nothing here looks at what a model says: only at how it is asked, how its answer comes, and what happens without one.
"""

import asyncio
import json
from collections.abc import Sequence
from contextlib import aclosing
from typing import Any, Protocol

import pytest

from ragstone.core.errors import Unavailable, UsageError
from ragstone.core.ports import Completion, CompletionResult, Message, Prompt

LONG_QUESTION = "Write a very long story about a librarian, with many chapters."
ALL_EVENTS = 1_000  # events: more than an answer of six tokens has
SCHEMA = {
    "type": "object",
    "properties": {"scores": {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}},
    "required": ["scores"],
    "additionalProperties": False,
}


class ScriptedVendor(Protocol):
    """A model with a server in between that remembers requests and misbehaves when told to."""

    schemas: bool  # whether what is behind really writes by a schema

    def completion(self, **changes: Any) -> Completion:
        """The model: `changes` are fields of `Reach`, and `model`."""
        ...

    def list_requests(self) -> list[tuple[dict[str, str], dict[str, Any]]]:
        """Headers (names in lower case) and body of each request for an answer."""
        ...

    def read_key(self, headers: dict[str, str]) -> str:
        """The key that stands in the headers of a request."""
        ...

    def fail_next(self, status: int, body: Any = None, **headers: str) -> None:
        """The next request gets an error; `_` in headers' names are hyphens."""
        ...

    def cut(self, after: int) -> None:
        """The next answer breaks off after `after` events."""
        ...

    def ends(self, after: int) -> None:
        """The next answer ends after `after` events as if it were whole."""
        ...

    def insert_bytes(self, piece: bytes, after: int) -> None:
        """The next answer has foreign bytes after `after` events."""
        ...

    def stall_after(self, after: int) -> None:
        """The next answer stalls after `after` events."""
        ...

    def repeat_event(self, piece: int) -> None:
        """The next answer says its n-th event for ever."""
        ...

    async def has_client_left(self) -> bool:
        """Whether the server saw the client go away before its answer was done; waits for it a while."""
        ...

    async def is_idle(self) -> bool:
        """Whether the model has stopped writing; waits for it a while."""
        ...


def make_prompt(text: str = "Say hello.", *, max_tokens: int = 6, schema: dict[str, Any] | None = None) -> Prompt:
    """A short question with instructions before it."""
    return Prompt((Message("system", "You are brief."), Message("user", text)), max_tokens=max_tokens, schema=schema)


async def collect_stream(model: Completion, wanted: Prompt) -> tuple[list[str], CompletionResult]:
    """The pieces of a stream, and its end."""
    pieces: list[str] = []
    async with aclosing(model.stream(wanted)) as stream:
        async for piece in stream:
            if isinstance(piece, CompletionResult):
                return pieces, piece
            pieces.append(piece)
    raise AssertionError("the stream has no end")


class CompletionContract:
    """Subclass it as `class TestMine(CompletionContract)` with a fixture that gives a `ScriptedVendor`.

    `first` is how many events come before the first text of an answer, `wild` a piece that is not an event of the
    vendor.
    """

    first = 1
    wild: Sequence[bytes] = (b'data: {"choi\n\n', b"data: [1, 2]\n\n", b"data: \xff\xfe\n\n")

    async def test_it_names_itself(self, behind: ScriptedVendor) -> None:
        model = behind.completion()
        assert model.vendor
        assert model.model
        assert model.context is None or model.context > 0

    async def test_an_answer_comes_whole_with_its_tokens(self, behind: ScriptedVendor) -> None:
        done = await behind.completion().complete(make_prompt(LONG_QUESTION))
        assert done.text
        assert done.ended == "length"
        assert (done.prompt_tokens or 0) > 0
        assert 0 < (done.completion_tokens or 0) <= 6

    async def test_a_stream_is_the_same_in_pieces(self, behind: ScriptedVendor) -> None:
        model = behind.completion()
        pieces, done = await collect_stream(model, make_prompt(LONG_QUESTION))
        assert len(pieces) > 1
        assert all(pieces)
        assert "".join(pieces) == done.text == (await model.complete(make_prompt(LONG_QUESTION))).text

    async def test_every_answer_is_streamed_on_the_wire(self, behind: ScriptedVendor) -> None:
        await behind.completion().complete(make_prompt())
        [(_, body)] = behind.list_requests()
        assert body.get("stream", True) is True

    async def test_key_and_headers_are_on_the_wire(self, behind: ScriptedVendor) -> None:
        model = behind.completion(headers={"X-Team": "library"})
        await model.complete(make_prompt())
        [(headers, _)] = behind.list_requests()
        assert headers["x-team"] == "library"
        assert behind.read_key(headers)

    async def test_a_wrong_key_is_said_without_showing_it(self, behind: ScriptedVendor) -> None:
        behind.fail_next(401, {"error": {"message": "wrong key 'very-secret-key', see 'library-secret'"}})
        model = behind.completion(key="very-secret-key", headers={"X-Team": "library-secret"})
        with pytest.raises(UsageError, match=r"refuses the key .*llm\.api_key") as caught:
            await model.complete(make_prompt())
        assert "very-secret-key" not in str(caught.value)
        assert "library-secret" not in str(caught.value)
        assert "very-secret-key" not in repr(model.__dict__)
        assert len(behind.list_requests()) == 1

    async def test_what_may_pass_is_asked_again(self, behind: ScriptedVendor) -> None:
        for status in (408, 409, 425, 429, 500, 503, 529):
            behind.fail_next(status)
        assert (await behind.completion(retries=7).complete(make_prompt())).text
        assert len(behind.list_requests()) == 8

    async def test_it_gives_up_after_the_retries(self, behind: ScriptedVendor) -> None:
        for _ in range(3):
            behind.fail_next(503)
        with pytest.raises(Unavailable, match=r"503.*tried 3 times"):
            await behind.completion(retries=2).complete(make_prompt())
        assert len(behind.list_requests()) == 3

    async def test_the_vendors_wish_to_wait_is_heeded_up_to_the_total(self, behind: ScriptedVendor) -> None:
        behind.fail_next(429, Retry_After="3600")
        with pytest.raises(Unavailable, match=r"429.*too late.*llm\.total"):
            await behind.completion(total=20.0).complete(make_prompt())
        behind.fail_next(429, Retry_After="0")
        # Without the header's word the first pause would be longer than the total.
        assert (await behind.completion(first=3600.0, most=3600.0).complete(make_prompt())).text

    async def test_what_is_refused_is_not_asked_again(self, behind: ScriptedVendor) -> None:
        behind.fail_next(400, {"error": {"message": "no such field: colour"}})
        with pytest.raises(UsageError, match="colour"):
            await behind.completion().complete(make_prompt())
        assert len(behind.list_requests()) == 1

    async def test_a_prompt_that_is_too_long_is_said(self, behind: ScriptedVendor) -> None:
        behind.fail_next(400, {"error": {"message": "This model's maximum context length is 8 tokens"}})
        with pytest.raises(UsageError, match="longer than the model's context"):
            await behind.completion().complete(make_prompt())

    async def test_an_unknown_model_is_said(self, behind: ScriptedVendor) -> None:
        behind.fail_next(404, {"error": {"message": "model 'nope' not found"}})
        with pytest.raises(UsageError, match=r"nope at .* was not found"):
            await behind.completion(model="nope").complete(make_prompt())

    async def test_an_answer_that_breaks_off_is_no_answer(self, behind: ScriptedVendor) -> None:
        behind.cut(self.first + 1)
        with pytest.raises(Unavailable, match="broke off in the middle"):
            await behind.completion().complete(make_prompt(LONG_QUESTION))
        assert len(behind.list_requests()) == 1  # it had begun

    async def test_an_answer_without_its_end_is_no_answer(self, behind: ScriptedVendor) -> None:
        behind.ends(self.first + 1)
        with pytest.raises(Unavailable, match="has no end"):
            await behind.completion().complete(make_prompt(LONG_QUESTION))

    async def test_an_answer_that_has_ended_is_kept_whatever_becomes_of_the_connection(
        self, behind: ScriptedVendor
    ) -> None:
        for fault in (behind.stall_after, behind.cut):
            fault(ALL_EVENTS)
            async with asyncio.timeout(300):
                done = await behind.completion(timeout=600.0, linger=0.5, retries=0).complete(
                    make_prompt(LONG_QUESTION)
                )
            assert (bool(done.text), done.ended) == (True, "length")
            assert (done.completion_tokens or 0) > 0

    async def test_a_stream_that_broke_before_its_first_piece_is_asked_again(self, behind: ScriptedVendor) -> None:
        behind.cut(0)
        pieces, done = await collect_stream(behind.completion(), make_prompt())
        assert "".join(pieces) == done.text
        assert len(behind.list_requests()) == 2

    async def test_pieces_that_make_no_sense_are_said(self, behind: ScriptedVendor) -> None:
        for piece in self.wild:
            behind.insert_bytes(piece, self.first)
            with pytest.raises(Unavailable, match="invalid response"):
                await behind.completion(retries=0).complete(make_prompt(LONG_QUESTION))

    async def test_a_stream_that_stands_still_ends(self, behind: ScriptedVendor) -> None:
        behind.stall_after(self.first + 1)
        with pytest.raises(Unavailable, match=r"sent nothing for 0\.5 s"):
            await behind.completion(timeout=0.5).complete(make_prompt(LONG_QUESTION))

    async def test_everything_together_ends(self, behind: ScriptedVendor) -> None:
        for _ in range(3):
            behind.stall_after(0)
        with pytest.raises(Unavailable, match=r"llm\.total"):
            await behind.completion(timeout=0.3, total=0.5, retries=50).complete(make_prompt(LONG_QUESTION))

    async def test_an_answer_that_never_ends_is_cut(self, behind: ScriptedVendor) -> None:
        behind.repeat_event(self.first)
        done = await behind.completion().complete(make_prompt(LONG_QUESTION, max_tokens=4))
        assert done.ended == "length"
        assert 4_000 < len(done.text) < 10_000

    async def test_who_stops_listening_ends_the_work(self, behind: ScriptedVendor) -> None:
        behind.repeat_event(self.first)
        async with aclosing(behind.completion().stream(make_prompt(LONG_QUESTION, max_tokens=100_000))) as stream:
            assert await anext(stream)
        assert await behind.has_client_left()
        assert await behind.is_idle()

    async def test_who_is_cancelled_ends_the_work(self, behind: ScriptedVendor) -> None:
        behind.stall_after(self.first + 1)
        async with aclosing(behind.completion().stream(make_prompt(LONG_QUESTION, max_tokens=1_000))) as stream:
            assert await anext(stream)
            waiting = asyncio.ensure_future(anext(stream))
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        assert await behind.is_idle()

    async def test_a_schema_goes_along(self, behind: ScriptedVendor) -> None:
        done = await behind.completion().complete(make_prompt("Two numbers.", max_tokens=200, schema=SCHEMA))
        [(_, body)] = behind.list_requests()
        assert '"scores"' in json.dumps(body)
        if behind.schemas:
            assert len(json.loads(done.text)["scores"]) == 2

    async def test_a_model_that_is_there_has_no_problem(self, behind: ScriptedVendor) -> None:
        assert await behind.completion().check() == []
        [problem] = await behind.completion(model="nope").check()
        assert "nope" in problem
        assert behind.completion().model in problem.partition("to one that it has: ")[2]

    async def test_a_vendor_that_is_not_there_is_one_problem(self, behind: ScriptedVendor) -> None:
        gone = behind.completion(base_url="http://127.0.0.1:9", retries=0)
        [problem] = await gone.check()
        assert "cannot be reached" in problem
        with pytest.raises(Unavailable, match="cannot be reached"):
            await gone.complete(make_prompt())

    async def test_closing_twice_does_no_harm(self, behind: ScriptedVendor) -> None:
        model = behind.completion()
        await model.complete(make_prompt())
        await model.close()
        await model.close()
