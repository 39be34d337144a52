"""The endpoints of the pgEdge RAG Server: named pipelines, health, counts of tokens."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict
from sse_starlette import ServerSentEvent
from starlette.requests import Request

from ragstone.access import Permission
from ragstone.core.answers import Answer, Event
from ragstone.core.errors import STORE_FAILED, RagstoneError, UsageError
from ragstone.core.types import Hit, Json
from ragstone.engine import Engine
from ragstone.guard import mask_secrets
from ragstone.server import answer_shapes as shapes
from ragstone.server.bodies import ConditionsBody, PassageCount, Text, Turn
from ragstone.server.certificate import Certificate
from ragstone.server.checked_routes import CheckedRoute
from ragstone.server.descriptions import describe_answer, responses
from ragstone.server.errors import StreamFailed
from ragstone.server.readiness import STARTING, find_obstacle
from ragstone.server.routes.questions import open_pipeline
from ragstone.server.state import open_engine, state_of
from ragstone.server.stream_shapes import PipelineEvent
from ragstone.server.streams import EventStream, begin_stream, describe_failure, make_event, run_for_client
from ragstone.server.token_counts import count_question

router = APIRouter(tags=["pipelines"], route_class=CheckedRoute)
TABLE = "table"  # the recipe of rows
NOT_IN_FORCE = "the last change is not in force: see the server's log"
READ_ONLY = "read_only"  # a newer version migrated it
CHECK_SECONDS = 5.0  # that a vendor has to list its models: probes give up soon


class QueryBody(BaseModel):
    """A question to a pipeline; unknown fields are ignored, as that server does."""

    model_config = ConfigDict(extra="ignore")
    query: Text
    stream: bool = False
    top_n: PassageCount | None = None
    filter: ConditionsBody | None = None
    include_sources: bool = False
    messages: list[Turn] = []


@router.get("/v1/pipelines", responses=responses(401, 403, answer=shapes.PipelinesJson), summary="List the pipelines")
async def list_pipelines(request: Request) -> Response:
    """The configured pipelines with their descriptions."""
    engine = await open_engine(request)
    await engine.sign_in()
    infos = engine.pipelines()
    return JSONResponse({"pipelines": [{"name": one.name, "description": one.description} for one in infos]})


@router.post(
    "/v1/pipelines/{name:any}",
    responses=responses(400, 401, 403, 404, 429, answer=shapes.PipelineAnswer, events=(PipelineEvent,)),
    summary="Ask a pipeline",
)
async def ask_pipeline(request: Request, name: str, body: QueryBody) -> Response:
    """An answer with the number of its tokens and, if wanted, its sources; with `stream`, as events."""
    engine = await open_engine(request)
    target = open_pipeline(engine, name)
    if not body.query.strip():
        raise UsageError("query is required")
    options: Json = {
        "top_k": body.top_n,
        "where": body.filter.to_where() if body.filter else None,
        "history": [turn.model_dump() for turn in body.messages],
    }
    state = state_of(request)
    turn = state.admission.enter(engine.scope.tenant)
    counted = count_question(state.tokens, engine.scope.tenant, target, name, body.query)
    if body.stream:
        stack = AsyncExitStack()
        try:
            begun = await run_for_client(request, begin_stream(stack, turn, target.events(body.query, **options)))
        except BaseException as error:
            await stack.aclose()
            if isinstance(error, RagstoneError):
                raise StreamFailed(str(error)) from error
            raise
        chunks = _frame_chunks(begun, counted.add_answer)
        return EventStream(request, chunks, stack, frame_failure=_frame_failure)

    async def work() -> Answer:
        async with turn:
            return await target.ask(body.query, **options)

    made = await run_for_client(request, work())
    counted.add_answer(made)
    answer: Json = {"answer": mask_secrets(made.text), "tokens_used": count_tokens(made)}
    if body.include_sources:
        answer["sources"] = [_source_json(hit) for hit in made.hits]
    return JSONResponse(answer)


def count_tokens(answer: Answer) -> int:
    """The tokens that the language model read and wrote for an answer."""
    return answer.usage.get("prompt_tokens", 0) + answer.usage.get("completion_tokens", 0)


def _source_json(hit: Hit) -> Json:
    """A passage; its id is that of its row for a table, else of its chunk."""
    text = mask_secrets(hit.chunk.text, hit.chunk.spans, hit.chunk.secrets)
    chunk = hit.chunk
    identity = chunk.metadata["id"] if chunk.document.recipe == TABLE else chunk.id
    return {"id": identity, "content": text, "score": hit.score}


async def _frame_chunks(events: AsyncIterator[Event], ended: Any) -> AsyncGenerator[ServerSentEvent]:
    """The text of an answer as `chunk`s, then `done`; an error ends the stream."""
    said = ""
    try:
        async for event in events:
            if event.name == "message" and event.data["delta"]:  # quoted sentences come with the answer
                said += event.data["text"]
                yield make_event({"type": "chunk", "content": mask_secrets(event.data["text"])})
            elif event.name == "final_answer":
                answer: Answer = event.data["answer"]
                ended(answer)
                if not said and answer.text:  # quotes and abstentions are not streamed
                    yield make_event({"type": "chunk", "content": mask_secrets(answer.text)})
    except Exception as error:
        yield _frame_failure(*describe_failure(error))
    else:
        yield make_event({"type": "done"})


def _frame_failure(_code: str, message: str) -> ServerSentEvent:
    return make_event({"type": "error", "error": message})


@router.get("/v1/live", responses=describe_answer(shapes.Live), summary="Whether the process runs")
async def live() -> Response:
    """Touches nothing."""
    return JSONResponse({"status": "ok"})


@router.get(
    "/v1/ready", responses=responses(503, answer=shapes.Ready), summary="Whether the server is ready for questions"
)
async def ready(request: Request) -> Response:
    """200 when all that the server needs was checked and is loaded and its store answers, else 503."""
    obstacle = await find_obstacle(request)
    if obstacle is None:
        limits = {"store": READ_ONLY} if state_of(request).probe.is_read_only else {}
        return JSONResponse({"status": "ready", **limits})
    return JSONResponse({"status": obstacle}, 503, headers={"Retry-After": "1"})


@router.get(
    "/v1/health",
    responses=describe_answer(shapes.Health),
    summary="Whether the store and the models of the pipelines can be reached",
)
async def health(request: Request) -> Response:
    """Always 200; `degraded` while the store or a model cannot be reached or the server still starts."""
    if obstacle := await find_obstacle(request):  # no key can be looked at where the store is away
        why: Json = {"starting": True} if obstacle == STARTING else {"store": STORE_FAILED.sentence}
        return JSONResponse({"status": "degraded", "pipelines": [], **why})
    problems = _list_problems(request)
    try:
        engine = await open_engine(request)
        names = [one.name for one in engine.pipelines()]
    except RagstoneError:  # who has no key learns that the server runs, and no names
        return JSONResponse({"status": "degraded" if problems else "healthy", "pipelines": []})
    if problems and not await _may_read_problems(engine):
        problems = dict.fromkeys(problems, NOT_IN_FORCE)
    found = await asyncio.gather(*(_check_pipeline(open_pipeline(engine, name), name) for name in names))
    well = all(part["reachable"] for one in found for part in one.values() if isinstance(part, dict))
    status: Json = {"status": "healthy" if well and not problems else "degraded", "pipelines": found}
    return JSONResponse({**status, **problems})


async def _may_read_problems(engine: Engine) -> bool:
    """Whether the caller may see the names of the server's files, which problems of settings name."""
    try:
        await engine.authenticator.admit(Permission.EXPORT, what="reading problems of settings")
    except RagstoneError:
        return False
    return True


def _list_problems(request: Request) -> Json:
    """What was written last and is not in force: of the configuration, of the certificate."""
    certificate: Certificate | None = request.app.state.certificate
    found = {
        "configuration": state_of(request).problem,
        "certificate": certificate.problem if certificate is not None else None,
    }
    return {name: problem for name, problem in found.items() if problem is not None}


async def _check_pipeline(target: Any, name: str) -> Json:
    """Whether a pipeline's models answer; a vendor is asked for its list of models, never for an answer."""
    found: Json = {"name": name, "embedding": {"reachable": True}}
    missing = [source.model_missing for source in target.search_context.sources if source.model_missing]
    if missing:
        found["embedding"] = {"reachable": False, "error": missing[0]}
    if target.writing is not None:
        try:
            async with asyncio.timeout(CHECK_SECONDS):
                problems = await target.writing.model.check()
        except TimeoutError:
            problems = [f"no answer within {CHECK_SECONDS:g} s"]
        found["completion"] = {"reachable": False, "error": problems[0]} if problems else {"reachable": True}
    return found


@router.get("/v1/stats", responses=responses(401, 403, answer=shapes.Stats), summary="Tokens that each pipeline used")
async def stats(request: Request) -> Response:
    """Counts since the start of the process, for each pipeline."""
    engine = await open_engine(request)
    names = [one.name for one in engine.pipelines()]
    counts = state_of(request).tokens
    return JSONResponse({"pipelines": [counts.describe(engine.scope.tenant, name) for name in names]})
