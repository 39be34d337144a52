"""The way to a vendor: addresses, keys, headers, what is hidden, and how long to wait."""

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from ragstone.config import vendors
from ragstone.config.model_settings import AnswerSettings, LlmSettings
from ragstone.config.vendors import VENDORS
from ragstone.core.errors import ConfigError, Unavailable, UsageError
from ragstone.core.ports import CompletionResult, Message, Prompt
from ragstone.providers import make_completion, ollama
from ragstone.providers.completion import TokenUsage, VendorCompletion
from ragstone.providers.endpoint import Endpoint
from ragstone.providers.retries import parse_retry_after
from ragstone.testing.completions import SCHEMA
from tests.patience import HANG
from tests.providers.serving import backends
from tests.providers.serving.between import Reply, Seen, standing

PROMPT = Prompt((Message("user", "Hello"),), max_tokens=8)


def test_every_vendor_that_is_named_has_its_files() -> None:
    for vendor in VENDORS.values():
        if vendor.completes:
            make_completion(f"{vendor.name}/any", reach=Endpoint(vendor, "llm"))
        assert vendor.completes or vendor.embeds or vendor.reranks
        assert vendor.keyed is not vendors.is_local_address(vendor.base_url)


@pytest.mark.parametrize(
    ("model", "verb", "said"),
    [
        ("anthropic/x", vendors.EMBED, "anthropic cannot embed; ollama, openai, "),
        ("voyage/voyage-3.5", vendors.COMPLETE, "voyage cannot complete; ollama, openai, "),
        ("fastembed/x", vendors.COMPLETE, "fastembed cannot complete"),
        ("olama/x", vendors.COMPLETE, "did you mean 'ollama'"),
        ("zebra/x", vendors.COMPLETE, "unknown vendor .zebra.; expected one of: "),
        ("nobody/x", vendors.COMPLETE, "expected one of: ollama, openai"),
        ("openai/", vendors.COMPLETE, "expected openai/MODEL"),
        ("openai", vendors.COMPLETE, "expected openai/MODEL"),
    ],
)
def test_what_a_vendor_lacks_is_said_with_who_has_it(model: str, verb: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        vendors.parse_model_name(model, verb=verb, key="m")


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("ftp://host/v1", "expected a URL"),
        ("host:8000", "expected a URL"),
        ("http://", "expected a URL"),
        ("http://host:99999", "expected a URL"),
        ("http://user:word@host/v1", "a key belongs in llm.api_key"),
    ],
)
def test_an_address_that_is_none_is_said_and_no_secret_shown(address: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said) as caught:
        Endpoint(VENDORS["openai"], "llm", base_url=address).validate()
    assert "word" not in str(caught.value).replace("a password", "")


@pytest.mark.parametrize("headers", [{"X Y": "1"}, {"": "1"}, {"X": "a\r\nB: c"}, {"X": "grün"}])
def test_headers_that_cannot_be_sent_are_said(headers: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match=r"llm\.headers"):
        Endpoint(VENDORS["openai"], "llm", headers=headers).validate()


async def test_without_a_key_a_vendor_that_needs_one_is_not_asked() -> None:
    model = make_completion("openai/gpt-4o-mini", reach=Endpoint(VENDORS["openai"], "llm"))
    with pytest.raises(
        UsageError, match=r"llm\.api_key or llm\.api_key_file, or the environment variable OPENAI_API_KEY"
    ):
        await model.complete(PROMPT)
    assert "OPENAI_API_KEY" in (await model.check())[0]


def test_a_key_that_cannot_be_sent_is_said_without_showing_it() -> None:
    with pytest.raises(UsageError, match="characters that are not allowed in a key") as caught:
        Endpoint(VENDORS["openai"], "llm", key="schlüssel\n").require_key()
    assert "schl" not in str(caught.value)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "Sun, 22 Nov 2026 08:00:30 GMT"}, 30.0),
        ({"retry-after": "Sun, 22 Nov 2020 08:00:30 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({}, None),
    ],
)
def test_the_wish_to_wait_is_a_number_or_a_date(header: dict[str, str], seconds: float | None) -> None:
    assert parse_retry_after(header, datetime(2026, 11, 22, 8, 0, tzinfo=UTC)) == seconds


async def test_a_model_that_takes_no_temperature_is_asked_without() -> None:
    def backend(seen: Seen) -> Reply:
        if "temperature" in seen.json:
            message = "Unsupported value: 'temperature' does not support 0 with this model."
            return backends.line({"error": {"message": message}}, status=400)
        chunk = b'data: {"choices": [{"delta": {"content": "yes"}, "finish_reason": "stop"}]}\n\n'
        return Reply(iter([chunk, b"data: [DONE]\n\n"]))

    with standing(backend) as between:
        model = make_completion("openai/o9", reach=Endpoint(VENDORS["openai"], "llm", base_url=between.url))
        assert (await model.complete(PROMPT)).text == "yes"
        assert (await model.complete(PROMPT)).text == "yes"
        assert ["temperature" in seen.json for seen in between.requests] == [True, False, False]
        await model.close()


async def test_an_error_in_the_middle_of_a_stream_is_one() -> None:
    for vendor, event in (
        ("openai", b'data: {"error": {"message": "overloaded"}}\n\n'),
        ("anthropic", b'event: error\ndata: {"type": "error", "error": {"message": "overloaded"}}\n\n'),
        ("ollama", b'{"error": "overloaded"}\n'),
        ("gemini", b'data: {"error": {"message": "overloaded"}}\n\n'),
    ):
        with standing(lambda _seen, event=event: Reply(iter([event]))) as between:  # type: ignore[misc]  # bound at once
            reach = Endpoint(VENDORS[vendor], "llm", base_url=between.url, key="k", retries=1, first=0.001)
            model = make_completion(f"{vendor}/m", reach=reach)
            with pytest.raises(Exception, match=r"failed while it answered \(overloaded\).*tried 2 times"):
                await model.complete(PROMPT)
            await model.close()


STOPPED = b'data: {"choices": [{"delta": {"content": "x"}, "finish_reason": "stop"}]}\n\n'


async def test_how_an_answer_ended_is_told() -> None:
    for vendor, event, ended in (
        ("openai", b'data: {"choices": [{"delta": {"refusal": "no"}, "finish_reason": "stop"}]}\n\n', "refused"),
        ("openai", b'data: {"choices": [{"delta": {}, "finish_reason": "content_filter"}]}\n\n', "refused"),
        ("anthropic", b'data: {"type": "message_delta", "delta": {"stop_reason": "refusal"}}\n\n', "refused"),
        ("anthropic", b'data: {"type": "message_delta", "delta": {"stop_reason": "pause_turn"}}\n\n', "other"),
        ("gemini", b'data: {"candidates": [{"finishReason": "SAFETY"}]}\n\n', "refused"),
        ("gemini", b'data: {"promptFeedback": {"blockReason": "SAFETY"}}\n\n', "refused"),
        ("ollama", b'{"message": {"content": "x"}, "done": true, "done_reason": "load"}\n', "other"),
        # what comes behind the end takes nothing from it
        ("openai", STOPPED + b'data: {"error": {"message": "overloaded"}}\n\n', "stop"),
        ("openai", STOPPED + b'data: {"choices": [], "usage": 7}\n\n', "stop"),
    ):
        with standing(lambda _seen, event=event: Reply(iter([event]))) as between:  # type: ignore[misc]  # bound at once
            model = make_completion(
                f"{vendor}/m", reach=Endpoint(VENDORS[vendor], "llm", base_url=between.url, key="k")
            )
            done = await model.complete(PROMPT)
            assert (vendor, done.ended) == (vendor, ended)
            assert done.completion_tokens is None
            await model.close()


async def test_geminis_request_is_what_the_reference_says() -> None:
    parts = b'[{"text": "hm", "thought": true}, {"text": "yes"}]'
    said = b'data: {"candidates": [{"content": {"parts": %s}, "finishReason": "STOP"}]}\n\n' % parts
    turns = (Message("system", "Be brief."), Message("user", "A?"), Message("assistant", "B."), Message("user", "C?"))
    with standing(lambda _seen: Reply(iter([said]))) as between:
        model = make_completion("gemini/g-1", reach=Endpoint(VENDORS["gemini"], "llm", base_url=between.url, key="k"))
        assert (await model.complete(Prompt(turns, max_tokens=9, schema=SCHEMA))).text == "yes"
        [seen] = between.requests
        assert (seen.path, seen.headers["x-goog-api-key"]) == ("/models/g-1:streamGenerateContent?alt=sse", "k")
        assert seen.json == {
            "systemInstruction": {"parts": [{"text": "Be brief."}]},
            "contents": [
                {"role": "user", "parts": [{"text": "A?"}]},
                {"role": "model", "parts": [{"text": "B."}]},
                {"role": "user", "parts": [{"text": "C?"}]},
            ],
            "generationConfig": {
                "temperature": 0.0,
                "maxOutputTokens": 9,
                "responseMimeType": "application/json",
                "responseSchema": {name: value for name, value in SCHEMA.items() if name != "additionalProperties"},
            },
        }
        await model.close()


async def test_ollama_is_told_how_much_it_shall_read() -> None:
    said = b'{"message": {"content": "yes"}, "done": true}\n'
    long = Prompt((Message("system", "word " * 4000), Message("user", "word " * 4000)), max_tokens=800)
    with standing(lambda _seen: Reply(iter([said]))) as between:
        reach = Endpoint(VENDORS["ollama"], "llm", base_url=between.url)
        for context in (4096, None):
            model = make_completion("ollama/m", reach=reach, context=context)
            for prompt in (PROMPT, long, PROMPT):
                await model.complete(prompt)
            await model.close()
        options = [seen.json["options"] for seen in between.requests]
        assert options[0] == {"temperature": 0.0, "num_predict": 8, "num_ctx": 4096}
        # Without a context there is room for a long prompt; it is kept, for another number loads the model anew.
        assert [each["num_ctx"] for each in options] == [4096] * 3 + [8192, 12288, 12288]
    assert AnswerSettings().tokens + LlmSettings().max_tokens <= ollama.LEAST_CONTEXT


async def test_the_newer_name_of_the_limit_is_for_openai_alone() -> None:
    with standing(lambda _seen: Reply(iter([b'data: {"choices": [{"finish_reason": "stop"}]}\n\n']))) as between:
        for vendor in VENDORS.values():
            if vendor.completes != "openai":
                continue
            own = Endpoint(replace(vendor, base_url=between.url), "llm", key="k")
            elsewhere = Endpoint(vendor, "llm", base_url=between.url, key="k")
            for reach, newer in ((own, True), (elsewhere, False)) if vendor.name == "openai" else ((own, False),):
                model = make_completion(f"{vendor.name}/m", reach=reach)
                await model.complete(PROMPT)
                await model.close()
                body = between.requests[-1].json
                named = [name for name in ("max_tokens", "max_completion_tokens") if body.get(name) == 8]
                assert (vendor.name, named) == (vendor.name, ["max_completion_tokens" if newer else "max_tokens"])


@pytest.mark.parametrize(
    ("start", "end", "read"),
    [
        ({"input_tokens": 0, "output_tokens": 0}, {"input_tokens": 11, "output_tokens": 2}, 11),
        ({"input_tokens": 3, "cache_read_input_tokens": 8}, {"output_tokens": 2}, 11),
        ({"input_tokens": 3, "cache_creation_input_tokens": 6}, {"input_tokens": 5, "output_tokens": 2}, 11),
        ({"input_tokens": 11}, {"input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 2}, 11),
        ({}, {"cache_read_input_tokens": 7, "cache_creation_input_tokens": 4, "output_tokens": 2}, 11),
        ({}, {"output_tokens": 2}, None),
    ],
)
async def test_anthropics_last_counts_stand(start: dict[str, int], end: dict[str, int], read: int | None) -> None:
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"usage": start}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": end},
    ]
    with standing(lambda _seen: Reply(iter([sse(event) for event in events]))) as between:
        model = make_completion(
            "anthropic/m", reach=Endpoint(VENDORS["anthropic"], "llm", base_url=between.url, key="k")
        )
        done = await model.complete(PROMPT)
        assert (done.prompt_tokens, done.completion_tokens) == (read, 2)
        await model.close()


# An answer, its end, and what may come after it: counts of tokens and the vendor's mark that all was said.
WHOLE: dict[str, list[dict[str, Any]]] = {
    "openai": [
        {"choices": [{"delta": {"content": "yes"}}]},
        {"choices": [{"delta": {}, "finish_reason": "stop"}]},
        {"choices": [], "usage": {"completion_tokens": 2}},
    ],
    "anthropic": [
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "yes"}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    ],
    "ollama": [{"message": {"content": "yes"}}, {"message": {"content": ""}, "done": True, "eval_count": 2}],
    "gemini": [
        {"candidates": [{"content": {"parts": [{"text": "yes"}]}, "finishReason": "STOP"}]},
        {"usageMetadata": {"candidatesTokenCount": 2}},
    ],
}


def sse(event: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(event).encode() + b"\n\n"


def whole_answer(vendor: str) -> Iterator[bytes]:
    return iter([json.dumps(one).encode() + b"\n" if vendor == "ollama" else sse(one) for one in WHOLE[vendor]])


@pytest.mark.parametrize("vendor", WHOLE)
async def test_what_was_heard_to_its_end_is_kept_whatever_becomes_of_the_connection(vendor: str) -> None:
    with standing(lambda _seen: Reply(whole_answer(vendor))) as between:
        at = Endpoint(VENDORS[vendor], "llm", base_url=between.url, key="k", timeout=2 * HANG, retries=0)
        for fault, linger in ((between.stall_after, 0.5), (between.cut, 2 * HANG)):
            fault(len(WHOLE[vendor]))
            model = make_completion(f"{vendor}/m", reach=replace(at, linger=linger))
            async with asyncio.timeout(HANG):
                done = await model.complete(PROMPT)
            assert (done.text, done.ended, done.completion_tokens) == ("yes", "stop", 2)
            await model.close()


async def test_a_slow_reader_is_no_silence_of_the_vendor() -> None:
    for seconds in (0.5, 5.0, 50.0):  # on a busy machine the vendor itself may be silent for that long
        try:
            return await slowly_read(seconds)
        except Unavailable as error:
            last = error
    raise last


async def slowly_read(seconds: float) -> None:
    back = threading.Event()

    def parts() -> Iterator[bytes]:
        yield sse(WHOLE["gemini"][0])
        back.wait(HANG)
        yield sse(WHOLE["gemini"][1])

    with standing(lambda _seen: Reply(parts())) as between:
        reach = Endpoint(VENDORS["gemini"], "llm", base_url=between.url, key="k", timeout=seconds)
        model = make_completion("gemini/m", reach=reach)
        async with aclosing(model.stream(PROMPT)) as pieces:
            assert await anext(pieces) == "yes"
            await asyncio.sleep(1.2 * seconds)  # not to wait for something: it is what is tested
            back.set()
            assert await anext(pieces) == CompletionResult("yes", completion_tokens=2)
        await model.close()


@pytest.mark.parametrize("vendor", ["anthropic", "ollama"])
async def test_nothing_after_a_vendors_mark_of_the_end_is_heard(vendor: str) -> None:
    marks = {"anthropic": b'data: {"type": "message_stop"}\n\n', "ollama": b'{"done": true}\n'}
    after = {"anthropic": sse(WHOLE[vendor][0]), "ollama": b'{"message": {"content": "more"}}\n'}
    with standing(lambda _seen: Reply(iter([marks[vendor], after[vendor]]))) as between:
        model = make_completion(f"{vendor}/m", reach=Endpoint(VENDORS[vendor], "llm", base_url=between.url, key="k"))
        assert (await model.complete(PROMPT)).text == ""
        await model.close()


@pytest.mark.parametrize("vendor", ["anthropic", "ollama"])
async def test_answers_share_a_connection(vendor: str) -> None:
    with standing(lambda _seen: Reply(whole_answer(vendor))) as between:
        reach = Endpoint(VENDORS[vendor], "llm", base_url=between.url, key="k", linger=300.0)
        model = make_completion(f"{vendor}/m", reach=reach)
        for _ in range(2):
            assert (await model.complete(PROMPT)).text == "yes"
        assert len({seen.port for seen in between.requests}) == 1
        await model.close()


async def test_tokens_are_counted_over_all_answers() -> None:
    usage = b'data: {"choices": [{"finish_reason": "stop"}], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}\n\n'
    with standing(lambda _seen: Reply(iter([usage]))) as between:
        model = make_completion("openai/m", reach=Endpoint(VENDORS["openai"], "llm", base_url=between.url))
        assert isinstance(model, VendorCompletion)
        for _ in range(3):
            await model.complete(PROMPT)
        assert model.spent == TokenUsage(3, 21, 6)
        await model.close()


async def test_thinking_is_no_silence_and_no_answer() -> None:
    event = b'data: {"choices": [{"delta": {"reasoning_content": "hm"}}]}\n\n'
    last = b'data: {"choices": [{"delta": {"content": "yes"}, "finish_reason": "stop"}]}\n\n'
    with standing(lambda _seen: Reply(iter([event, event, last]))) as between:
        model = make_completion("openai/m", reach=Endpoint(VENDORS["openai"], "llm", base_url=between.url))
        assert (await model.complete(PROMPT)).text == "yes"
        await model.close()


async def test_a_redirect_is_not_followed_with_the_key() -> None:
    with standing(lambda _seen: Reply(iter([b"{}"]), 302, {"Location": "http://127.0.0.1:9/"})) as between:
        model = make_completion("openai/m", reach=Endpoint(VENDORS["openai"], "llm", base_url=between.url, key="k"))
        with pytest.raises(UsageError, match="redirects elsewhere"):
            await model.complete(PROMPT)
        await model.close()
