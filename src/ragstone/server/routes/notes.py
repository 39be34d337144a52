"""The endpoints of nadir: a search, or an answer as plain text while it comes; an ingestion of the configured roots."""

from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack

from fastapi import APIRouter
from fastapi.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from pydantic import BaseModel, ConfigDict
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from ragstone.core.answers import Answer, Event
from ragstone.core.errors import UsageError
from ragstone.core.filters import Where
from ragstone.core.types import Hit, Json
from ragstone.guard import mask_secrets
from ragstone.server import answer_shapes as shapes
from ragstone.server.bodies import PassageCount, Text
from ragstone.server.checked_routes import CheckedRoute
from ragstone.server.descriptions import describe_answer, responses
from ragstone.server.readiness import find_obstacle
from ragstone.server.routes.jobs import respond_accepted
from ragstone.server.state import open_engine, state_of
from ragstone.server.streams import begin_stream, run_for_client

router = APIRouter(tags=["notes"], route_class=CheckedRoute)


class NotesFilter(BaseModel):
    """Exact values of a passage's place; what is empty does not filter."""

    model_config = ConfigDict(extra="ignore")
    file_path: str = ""
    header: str = ""
    source_sha: str = ""

    def to_where(self) -> Where:
        """The filter; raises `UsageError` for a hash that is none."""
        return Where(
            paths=(self.file_path,) * bool(self.file_path),
            headers=(self.header,) * bool(self.header),
            shas=(self.source_sha,) * bool(self.source_sha),
        )


class NotesBody(BaseModel):
    """A search: `query` by meaning and words, `keyword` by words alone; with `generate` an answer is written."""

    model_config = ConfigDict(extra="ignore")
    query: Text = ""
    top_k: PassageCount | None = None
    keyword: Text = ""
    generate: bool = False
    filter: NotesFilter | None = None


@router.post(
    "/search",
    responses=responses(400, 401, 403, 404, 429, answer=shapes.Passages, text=True),
    summary="Search, or answer as plain text",
)
async def search_notes(request: Request, body: NotesBody) -> Response:
    """Passages with their place, score and window; or the answer as it is written."""
    text = body.query.strip() or body.keyword.strip()
    if not text:
        raise UsageError("query or keyword is required")
    engine = await open_engine(request)
    options: Json = {"top_k": body.top_k, "where": body.filter.to_where() if body.filter else None}
    if not body.query.strip():
        options["mode"] = "keyword"
    turn = state_of(request).admission.enter(engine.scope.tenant)
    if body.generate:
        stack = AsyncExitStack()
        try:
            begun = await run_for_client(request, begin_stream(stack, turn, engine.events(text, **options)))
        except BaseException:
            await stack.aclose()
            raise
        return _TextStream(_write_text(begun), stack)

    async def work() -> list[Json]:
        async with turn:
            return [_result_json(hit) for hit in await engine.search(text, **options)]

    return JSONResponse({"results": await run_for_client(request, work())})


def _result_json(hit: Hit) -> Json:
    """A passage; its text is the window where chunks have one."""
    chunk = hit.chunk
    return {
        "file_path": chunk.document.path,
        "header": mask_secrets(chunk.heading_path[-1]) if chunk.heading_path else "",
        "line_start": chunk.spans[0].line_start if chunk.spans else 0,
        "score": hit.score,
        "text": mask_secrets(chunk.text, chunk.spans, chunk.secrets),
    }


async def _write_text(events: AsyncIterator[Event]) -> AsyncGenerator[str]:
    said = ""
    async for event in events:
        if event.name == "message" and event.data["delta"]:  # quoted sentences come with the answer, with their marks
            said += event.data["text"]
            yield mask_secrets(event.data["text"])
        elif event.name == "final_answer" and not said:
            answer: Answer = event.data["answer"]
            yield mask_secrets(answer.text)


class _TextStream(StreamingResponse):
    """Plain text as it comes; the turn of its question ends with it."""

    def __init__(self, pieces: AsyncIterator[str], stack: AsyncExitStack) -> None:
        super().__init__(pieces, media_type="text/plain; charset=utf-8")
        self._stack = stack

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._stack.aclose()


@router.post(
    "/ingest",
    responses={
        **describe_answer(shapes.Accepted, 202),
        **responses(400, 401, 403, 409, 429, answer=shapes.Ingested),
    },
    summary="Ingest the configured roots",
)
async def ingest_sources(request: Request, wait: bool = True) -> Response:
    """Runs an ingestion of the configured sources and gives its counts; with `wait=false` a job is queued."""
    engine = await open_engine(request)
    if not wait:
        state = state_of(request)
        return respond_accepted(await state.queue.enqueue(state, engine, None))
    runs = await run_for_client(request, engine.ingest())
    state_of(request).metrics.observe_runs(runs)
    counts: Counter[str] = Counter()
    for run in runs:
        counts.update({name: count for name, count in run.stats.get("documents", {}).items() if isinstance(count, int)})
    failed = [run.source for run in runs if run.status == "failed"]
    status = {"status": "partial", "failed": failed} if failed else {"status": "ok"}
    return JSONResponse({**status, "runs": [run.id for run in runs], **counts})


@router.get(
    "/healthz",
    responses={503: {"description": "The server still starts, or its store does not answer."}},
    summary="Whether the server can serve",
    response_class=PlainTextResponse,
)
async def healthz(request: Request) -> Response:
    """200 while requests are taken, 503 while the server starts or its store does not answer."""
    obstacle = await find_obstacle(request)
    return PlainTextResponse("ok") if obstacle is None else PlainTextResponse(obstacle, 503)
