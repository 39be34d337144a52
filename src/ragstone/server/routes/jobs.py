"""Jobs of uploads and ingestions that nobody waited for: list, show, repeat, drop."""

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response
from starlette.requests import Request

from ragstone.core.ports import Job, JobStatus
from ragstone.core.types import Json, Scope
from ragstone.engine import Engine
from ragstone.server import answer_shapes as shapes
from ragstone.server.checked_routes import OwnRoute
from ragstone.server.descriptions import responses
from ragstone.server.errors import NotFound
from ragstone.server.state import open_engine, state_of

router = APIRouter(tags=["jobs"], route_class=OwnRoute)
MOST = 1000


@router.get("/v1/jobs", responses=responses(400, 401, 403, answer=shapes.JobsJson), summary="List the jobs")
async def list_jobs(
    request: Request,
    status: Annotated[list[JobStatus] | None, Query()] = None,
    limit: Annotated[int, Query(ge=1, le=MOST)] = 100,
) -> Response:
    """The caller's jobs, the latest first; `status=dead` gives those that failed for good."""
    engine = await open_engine(request)
    found = await engine.jobs(statuses=tuple(status or ()), limit=limit)
    return JSONResponse({"schema": 1, "jobs": [job_json(job) for job in found]})


@router.get("/v1/jobs/{identity}", responses=responses(400, 401, 403, 404, answer=Job), summary="Show a job")
async def show_job(request: Request, identity: str) -> Response:
    """The state of a job, for a day after its end."""
    return JSONResponse({"schema": 1, **job_json(await _find_job(await open_engine(request), identity))})


@router.post(
    "/v1/jobs/{identity}/retry",
    status_code=202,
    responses=responses(400, 401, 403, 404, answer=shapes.Accepted, status=202),
    summary="Retry a job",
)
async def retry_job(request: Request, identity: str) -> Response:
    """Queues a dead job again."""
    engine = await open_engine(request)
    await _find_job(engine, identity)
    await engine.retry_job(identity)
    state_of(request).queue.wake_up()
    return respond_accepted(await _find_job(engine, identity))


@router.delete(
    "/v1/jobs/{identity}", responses=responses(400, 401, 403, 404, answer=shapes.DroppedJson), summary="Drop a job"
)
async def drop_job(request: Request, identity: str) -> Response:
    """Takes a job that does not run out of the record, with its file."""
    engine = await open_engine(request)
    job = await _find_job(engine, identity)
    await engine.drop_job(identity)
    await state_of(request).uploads.discard_waiting(Scope(job.tenant, job.collection), [identity])
    return JSONResponse({"schema": 1, "dropped": identity})


async def _find_job(engine: Engine, identity: str) -> Job:
    job = await engine.find_job(identity)
    if job is None:
        raise NotFound(f"unknown job {identity!r:.80}: GET /v1/jobs lists them")
    return job


def job_json(job: Job) -> Json:
    """A job as clients see it."""
    shown = asdict(job)
    return {name: value for name, value in shown.items() if name not in shapes.PRIVATE_TO_SERVER}


def respond_accepted(job: Job) -> Response:
    """202 with the job, and where its state can be read."""
    return JSONResponse({"schema": 1, "job": job_json(job)}, 202, headers={"Location": f"/v1/jobs/{job.id}"})
