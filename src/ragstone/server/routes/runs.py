"""Ingestion runs: start one over the configured sources, list them, follow one."""

import asyncio
import re
from collections.abc import AsyncGenerator
from dataclasses import asdict
from typing import Annotated, Any
from urllib.parse import unquote, urlsplit

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response
from sse_starlette import ServerSentEvent
from starlette.requests import Request

from ragstone.core.errors import NotBuilt, tell_kind
from ragstone.core.records import Run
from ragstone.core.types import Json
from ragstone.engine import Engine
from ragstone.server import answer_shapes as shapes
from ragstone.server.bodies import Body, CollectionName
from ragstone.server.checked_routes import OwnRoute
from ragstone.server.descriptions import describe_events, responses
from ragstone.server.errors import NotFound
from ragstone.server.routes.library import Collection
from ragstone.server.state import open_engine, state_of
from ragstone.server.stream_shapes import RUN_EVENTS
from ragstone.server.streams import EventStream, describe_failure, frame_failure, make_event

router = APIRouter(tags=["runs"], route_class=OwnRoute)

MOST_RUNS = 1000
# Of a run's settings: folders and addresses of the server.
PLACES = frozenset(("root", "place", "artifacts", "artifacts_before"))
POLL_SECONDS = 0.2  # a run may be another process's: its record is all that tells of it


class RunBody(Body):
    """An ingestion of the configured sources."""

    collection: CollectionName | None = None
    refresh: bool = False
    checksum: bool = False
    allow_removals: bool = False


EVERYTHING = RunBody()


@router.post(
    "/v1/runs",
    status_code=202,
    responses=responses(400, 401, 403, 409, answer=shapes.RunsJson, status=202),
    summary="Start an ingestion",
)
async def start_run(request: Request, body: RunBody = EVERYTHING) -> Response:
    """Starts an ingestion of the collection's configured sources; answers with the run that began."""
    engine = await open_engine(request, collection=body.collection)
    options = body.model_dump(exclude={"collection"})
    before = {run.id for run in await _list_runs(engine, MOST_RUNS)}
    work = state_of(request).start_ingestion(engine.ingest(**options))
    while True:
        begun = [run for run in await _list_runs(engine, MOST_RUNS) if run.id not in before]
        if begun or work.done():
            break
        await asyncio.wait((work,), timeout=POLL_SECONDS)
    if work.done() and work.exception() is not None:
        await work  # raises what kept it from beginning
    runs = begun or work.result()
    return JSONResponse({"schema": 1, "runs": [run_json(run) for run in runs]}, 202)


@router.get("/v1/runs", responses=responses(401, 403, answer=shapes.RunsJson), summary="List the runs")
async def list_runs(
    request: Request, collection: Collection = None, limit: Annotated[int, Query(ge=1, le=MOST_RUNS)] = 20
) -> Response:
    """The latest ingestion runs of a collection, the newest first."""
    engine = await open_engine(request, collection=collection)
    runs = await _list_runs(engine, limit)
    return JSONResponse({"schema": 1, "runs": [run_json(run) for run in runs]})


@router.get("/v1/runs/{identity}", responses=responses(401, 403, 404, answer=Run), summary="Show a run")
async def show_run(request: Request, identity: str, collection: Collection = None) -> Response:
    """The state and the counts of a run."""
    engine = await open_engine(request, collection=collection)
    return JSONResponse({"schema": 1, **run_json(await _find_run(engine, identity))})


@router.get(
    "/v1/runs/{identity}/events",
    response_class=Response,
    responses={**describe_events(*RUN_EVENTS), **responses(401, 403, 404)},
    summary="Follow a run",
)
async def follow_run(request: Request, identity: str, collection: Collection = None) -> Response:
    """`progress` whenever the counts of the run change, `done` when it has ended."""
    engine = await open_engine(request, collection=collection)
    events = _frame_progress(engine, await _find_run(engine, identity))
    return EventStream(request, events, frame_failure=frame_failure)


async def _frame_progress(engine: Engine, run: Run) -> AsyncGenerator[ServerSentEvent]:
    shown: Json | None = None
    try:
        while True:
            if (now := run_json(run)) != shown and run.status == "running":
                shown = now
                yield make_event(now, "progress")
            if run.status != "running":
                yield make_event(now, "done")
                return
            await asyncio.sleep(POLL_SECONDS)
            run = await _find_run(engine, run.id)
    except Exception as error:
        yield frame_failure(*describe_failure(error))


async def _find_run(engine: Engine, identity: str) -> Run:
    for run in await _list_runs(engine, MOST_RUNS):
        if run.id == identity:
            return run
    raise NotFound(f"unknown run {identity!r:.80}: GET /v1/runs lists them")


async def _list_runs(engine: Engine, limit: int) -> list[Run]:
    """The latest runs; a collection that was never made has none."""
    try:
        return await engine.runs(limit)
    except NotBuilt:
        return []


def run_json(run: Run) -> Json:
    """A run as clients see it: without places of the server, its error in words for them and without its trace."""
    config = {name: value for name, value in run.config.items() if name not in PLACES}
    places = _find_places([run.config.get(name) for name in PLACES])
    stats = _hide_places(run.stats, places) if places is not None else run.stats
    return {**asdict(run), "config": config, "stats": stats, "error": _tell_error(run.error) if run.error else None}


def _find_places(configured: list[Any]) -> re.Pattern[str] | None:
    """A pattern of these places, also of folders that are written as addresses; None without any. It does not match
    the same name in the path of a document."""
    written = set(_list_texts(configured))
    written |= {unquote(urlsplit(one).path) for one in written if one.startswith("file:")}
    places = sorted({place for one in written if len(place := one.rstrip("/")) > 1}, key=len, reverse=True)
    return re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, places))})(?![\w-])") if places else None


def _list_texts(value: Any) -> list[str]:
    """All strings in a JSON value."""
    if isinstance(value, dict | list):
        return [text for part in (value.values() if isinstance(value, dict) else value) for text in _list_texts(part)]
    return [value] if isinstance(value, str) else []


def _hide_places(value: Any, places: re.Pattern[str]) -> Any:
    """A JSON value with an ellipsis for each place in its strings: a warning may name the file that it is about.

    >>> _hide_places({"warnings": ["/srv/docs/a.md is empty"]}, re.compile("/srv/docs"))
    {'warnings': ['…/a.md is empty']}
    """
    if isinstance(value, dict):
        return {name: _hide_places(part, places) for name, part in value.items()}
    if isinstance(value, list):
        return [_hide_places(part, places) for part in value]
    return places.sub("…", value) if isinstance(value, str) else value


def _tell_error(recorded: str) -> str:
    """The stage, the kind and the sentence of a recorded error."""
    stage, kind, message = [*recorded.splitlines()[0].split(": ", 2), "", ""][:3]
    return f"{stage}: {kind}: {tell_kind(kind, message)}"
