"""An answer's events as one growing text, for clients that cannot take back what they showed."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from ragstone.core.answers import Answer, Event
from ragstone.guard import mask_secrets
from ragstone.server.openai_api.rendering import list_sources
from ragstone.server.streams import describe_failure


@dataclass(slots=True)
class TextStream:
    """The text that was shown so far, the answer when it is there, or code and sentence of the error."""

    shown: str = ""
    answer: Answer | None = None
    failure: tuple[str, str] | None = None

    def take(self, event: Event) -> str:
        """Add an event's text; give what it added."""
        piece = ""
        if event.name == "message" and event.data["delta"]:  # quoted sentences come with the answer, at once
            piece = mask_secrets(event.data["text"])
        elif event.name == "final_answer":
            self.answer = event.data["answer"]
            piece = self._finish(self.answer)
        self.shown += piece
        return piece

    def _finish(self, answer: Answer) -> str:
        """What the checked answer adds: all of it where nothing was shown, or where it is another one."""
        text = mask_secrets(answer.text)
        said = self.shown.strip()
        rest = "" if said and not answer.abstained else f"\n\n{text}" if said else text
        return rest + list_sources(answer)


async def stream_text(events: AsyncIterator[Event], text: TextStream) -> AsyncIterator[str]:
    """The pieces of the text; an error is noted in `text` and ends them."""
    try:
        async for event in events:
            if piece := text.take(event):
                yield piece
    except Exception as error:
        text.failure = describe_failure(error)
