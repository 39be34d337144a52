"""Our own endpoints for questions: search, answers (whole or as they come), the fate of a document."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response
from sse_starlette import ServerSentEvent
from starlette.requests import Request

from ragstone.answering.formats import answer_json, event_json, found_json
from ragstone.answering.shapes import AnswerJson, FoundJson
from ragstone.core.answers import Event
from ragstone.core.errors import UsageError
from ragstone.core.types import Json
from ragstone.engine import Engine
from ragstone.engine.question_verbs import QuestionVerbs
from ragstone.guard import mask_secrets
from ragstone.retrieval.explain import Explanation, to_json
from ragstone.server.bodies import AskBody, ExplainBody, SearchBody
from ragstone.server.checked_routes import OwnRoute
from ragstone.server.descriptions import responses
from ragstone.server.errors import NotFound
from ragstone.server.state import open_engine, state_of
from ragstone.server.stream_shapes import ANSWER_EVENTS
from ragstone.server.streams import (
    EventStream,
    begin_stream,
    describe_failure,
    frame_failure,
    make_event,
    run_for_client,
)

router = APIRouter(tags=["questions"], route_class=OwnRoute)


@router.post(
    "/v1/search", responses=responses(400, 401, 403, 404, 429, answer=FoundJson), summary="Find the best passages"
)
async def search(request: Request, body: SearchBody) -> Response:
    """The best passages for a query, best first, with their places and signals."""
    engine = await open_engine(request, collection=body.collection)
    target, options = select_target(engine, body), body.options()

    async def work() -> FoundJson:
        async with state_of(request).admission.enter(engine.scope.tenant):
            return found_json(await target.search(body.query, **options), mask=mask_secrets)

    return JSONResponse(await run_for_client(request, work()))


@router.post(
    "/v1/ask",
    responses=responses(400, 401, 403, 404, 429, answer=AnswerJson, events=ANSWER_EVENTS),
    summary="Answer from the documents",
)
async def ask(request: Request, body: AskBody) -> Response:
    """An answer whose sentences are cited and checked, or an abstention; with `stream`, as events while it comes."""
    engine = await open_engine(request, collection=body.collection)
    target, admission = select_target(engine, body), state_of(request).admission
    turns = [turn.model_dump() for turn in body.messages]
    if body.stream:
        stack = AsyncExitStack()
        try:
            events = target.events(body.query, history=turns, strict=body.strict, **body.options())
            begun = await run_for_client(request, begin_stream(stack, admission.enter(engine.scope.tenant), events))
        except BaseException:
            await stack.aclose()
            raise
        return EventStream(request, _frame_events(begun), stack, frame_failure=frame_failure)

    async def work() -> AnswerJson:
        async with admission.enter(engine.scope.tenant):
            made = await target.ask(body.query, history=turns, strict=body.strict, **body.options())
            return answer_json(made, mask=mask_secrets)

    return JSONResponse(await run_for_client(request, work()))


@router.post(
    "/v1/explain", responses=responses(400, 401, 403, 404, 429, answer=Explanation), summary="Explain a document's rank"
)
async def explain(request: Request, body: ExplainBody) -> Response:
    """The stage at which a search lost a document, its ranks and its signals."""
    engine = await open_engine(request, collection=body.collection)
    target, options = select_target(engine, body), body.options()

    async def work() -> Json:
        async with state_of(request).admission.enter(engine.scope.tenant):
            return to_json(await target.explain(body.query, path=body.path, source=body.source, **options))

    return JSONResponse(await run_for_client(request, work()))


def select_target(engine: Engine, body: SearchBody) -> QuestionVerbs:
    """The collection, or the pipeline that a body names; raises `NotFound` for a pipeline that is none."""
    if body.pipeline is None:
        return engine
    if body.collection is not None:
        raise UsageError("both a pipeline and a collection are named: leave one out")
    return open_pipeline(engine, body.pipeline)


def open_pipeline(engine: Engine, name: str) -> QuestionVerbs:
    """The pipeline of this name; raises `NotFound`."""
    if name not in {one.name for one in engine.pipelines()}:
        raise NotFound(f"unknown pipeline {name!r:.80}: GET /v1/pipelines lists them")
    return engine.pipeline(name)


async def _frame_events(events: AsyncIterator[Event]) -> AsyncGenerator[ServerSentEvent]:
    """Events of an answer as they are sent, `done` after the last; an error in the middle is an event too."""
    try:
        async for event in events:
            data = event_json(event, mask=mask_secrets)
            name = data.pop("event")
            yield make_event(data, name)
    except Exception as error:
        yield frame_failure(*describe_failure(error))
    else:
        yield make_event({}, "done")
