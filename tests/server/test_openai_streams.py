"""A growing text cannot be taken back: what a stream adds when the checked answer is there."""

from collections.abc import AsyncIterator

from ragstone.core.answers import Answer, Event
from ragstone.core.errors import Unavailable
from ragstone.server.openai_api.streaming import TextStream, stream_text


async def told(*events: Event | Exception) -> AsyncIterator[Event]:
    for event in events:
        if isinstance(event, Exception):
            raise event
        yield event


def piece(text: str, *, delta: bool = True) -> Event:
    return Event("message", {"text": text, "citations": (), "delta": delta})


def final(text: str, *, abstained: bool = False) -> Event:
    return Event("final_answer", {"answer": Answer(text, abstained=abstained)})


async def read(*events: Event | Exception) -> tuple[list[str], TextStream]:
    text = TextStream()
    return [part async for part in stream_text(told(*events), text)], text


async def test_written_pieces_are_passed_on_and_not_said_twice() -> None:
    pieces, text = await read(piece("Kept "), piece("15 days."), final("Kept 15 days."))
    assert (pieces, text.shown) == (["Kept ", "15 days."], "Kept 15 days.")


async def test_quoted_sentences_come_once_with_the_answer() -> None:
    pieces, _ = await read(piece("Kept 15 days.", delta=False), final("Kept 15 days. [1]"))
    assert pieces == ["Kept 15 days. [1]"]


async def test_an_abstention_after_text_follows_it() -> None:
    pieces, _ = await read(piece("Kept for ever."), final("I don't know.", abstained=True))
    assert pieces == ["Kept for ever.", "\n\nI don't know."]


async def test_an_error_ends_the_text_and_is_told() -> None:
    pieces, text = await read(piece("Kept "), Unavailable("the model is away"))
    assert pieces == ["Kept "]
    assert text.failure is not None
    assert text.failure[1] == "the model is away"
    assert text.answer is None
