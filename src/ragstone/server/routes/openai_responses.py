"""OpenAI's endpoint of responses: one answer, with its citations as annotations of files."""

import time
import uuid
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack
from itertools import count

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response
from sse_starlette import ServerSentEvent
from starlette.requests import Request

from ragstone.core.answers import Answer, Event
from ragstone.core.types import Json
from ragstone.guard import mask_secrets
from ragstone.server.checked_routes import CheckedRoute
from ragstone.server.descriptions import responses
from ragstone.server.openai_api import shapes
from ragstone.server.openai_api.bodies import ResponseBody, split_conversation
from ragstone.server.openai_api.rendering import count_usage, find_mentions, list_sources
from ragstone.server.openai_api.streaming import TextStream, stream_text
from ragstone.server.openai_api.targets import open_model
from ragstone.server.state import state_of
from ragstone.server.streams import EventStream, begin_stream, make_event, run_for_client

router = APIRouter(tags=["openai"], route_class=CheckedRoute)
PLACE = {"output_index": 0, "content_index": 0}


@router.post(
    "/v1/responses",
    responses=responses(400, 401, 403, 404, 429, answer=shapes.ModelResponse, events=()),
    summary="Answer from the documents, for OpenAI's clients of responses",
)
async def create_response(request: Request, body: ResponseBody) -> Response:
    """An answer whose `model` is a pipeline or collection; nothing of it is stored."""
    made = _ModelResponse(body.model)
    async with open_model(request, body.model) as (engine, target):
        question, turns = split_conversation(body.list_messages())
        turn = state_of(request).admission.enter(engine.scope.tenant)
        if body.stream:
            stack = AsyncExitStack()
            try:
                events = target.events(question, history=turns, strict=True)
                begun = await run_for_client(request, begin_stream(stack, turn, events))
            except BaseException:
                await stack.aclose()
                raise
            return EventStream(request, made.frame(begun), stack, frame_failure=made.frame_failure)

        async def work() -> Answer:
            async with turn:
                return await target.ask(question, history=turns)

        answer = await run_for_client(request, work())
    return JSONResponse(made.describe(answer, mask_secrets(answer.text) + list_sources(answer)))


class _ModelResponse:
    """One response: its ids and time are those of each of its events."""

    def __init__(self, model: str) -> None:
        self._about = {"id": f"resp_{uuid.uuid4().hex}", "object": "response", "created_at": int(time.time())}
        self._model = model
        self._item = f"msg_{uuid.uuid4().hex}"
        self._numbers = count()

    def describe(self, answer: Answer, text: str) -> Json:
        """The response when it is whole."""
        read, written = count_usage(answer)
        usage = {
            "input_tokens": read,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": written,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": read + written,
        }
        return self._describe("completed", [self._message("completed", [_content(answer, text)])], usage)

    def _describe(self, status: str, output: list[Json], usage: Json | None = None) -> Json:
        return {
            **self._about,
            "status": status,
            "model": self._model,
            "output": output,
            "usage": usage,
            "error": None,
            "incomplete_details": None,
            "instructions": None,
            "metadata": {},
            "parallel_tool_calls": False,
            "temperature": None,
            "tool_choice": "auto",
            "tools": [],
            "top_p": None,
        }

    def _message(self, status: str, content: list[Json]) -> Json:
        return {"id": self._item, "type": "message", "role": "assistant", "status": status, "content": content}

    async def frame(self, events: AsyncIterator[Event]) -> AsyncGenerator[ServerSentEvent]:
        """The typed events of the answer; an error ends the stream."""
        text = TextStream()
        empty = {"type": "output_text", "text": "", "annotations": []}
        yield self._event("response.created", {"response": self._describe("in_progress", [])})
        yield self._event("response.in_progress", {"response": self._describe("in_progress", [])})
        added = {"output_index": 0, "item": self._message("in_progress", [])}
        yield self._event("response.output_item.added", added)
        yield self._event("response.content_part.added", {"item_id": self._item, **PLACE, "part": empty})
        async for piece in stream_text(events, text):
            delta = {"item_id": self._item, **PLACE, "delta": piece, "logprobs": []}
            yield self._event("response.output_text.delta", delta)
        if text.failure is not None:
            yield self.frame_failure(*text.failure)
            return
        if text.answer is not None:
            for event in self._end(text.answer, text.shown):
                yield event

    def frame_failure(self, code: str, message: str) -> ServerSentEvent:
        """The event of an error, which ends the stream."""
        return self._event("error", {"code": code, "message": message, "param": None})

    def _end(self, answer: Answer, text: str) -> list[ServerSentEvent]:
        """The events after the last piece of the text."""
        whole, content = self.describe(answer, text), _content(answer, text)
        place = {"item_id": self._item, **PLACE}
        notes = [
            self._event(
                "response.output_text.annotation.added", {**place, "annotation_index": n, "annotation": annotation}
            )
            for n, annotation in enumerate(content["annotations"])
        ]
        return [
            *notes,
            self._event("response.output_text.done", {**place, "text": text, "logprobs": []}),
            self._event("response.content_part.done", {**place, "part": content}),
            self._event("response.output_item.done", {"output_index": 0, "item": whole["output"][0]}),
            self._event("response.completed", {"response": whole}),
        ]

    def _event(self, kind: str, data: Json) -> ServerSentEvent:
        return make_event({"type": kind, "sequence_number": next(self._numbers), **data}, kind)


def _content(answer: Answer, text: str) -> Json:
    """The text with its citations, each where its marker ends."""
    annotations = [
        {
            "type": "file_citation",
            "index": one.end,
            "file_id": one.citation.document.id,
            "filename": mask_secrets(one.citation.document.path),
        }
        for one in find_mentions(text, answer)
    ]
    return {"type": "output_text", "text": text, "annotations": annotations, "logprobs": []}
