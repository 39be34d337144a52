"""The endpoint of Prometheus."""

import asyncio
from contextlib import suppress
from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import Response
from starlette.requests import Request

from ragstone.access import Permission
from ragstone.core.errors import RagstoneError
from ragstone.server.descriptions import responses
from ragstone.server.ingestion_queue import find_queue
from ragstone.server.metrics import CONTENT_TYPE, measure_folder
from ragstone.server.state import ServerState, is_loopback, open_engine, state_of
from ragstone.server.store_probe import LOOK_SECONDS
from ragstone.stores import local_place

router = APIRouter(tags=["monitoring"])
FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip")


@router.get("/metrics", responses=responses(401, 403), summary="Show metrics for Prometheus", response_class=Response)
async def metrics(request: Request) -> Response:
    """The metrics: for callers of this machine, and for keys of the role `admin`."""
    if not _is_local(request):
        engine = await open_engine(request)
        await engine.sign_in()
        await engine.authenticator.admit(Permission.EXPORT, what="reading metrics")
    state = state_of(request)
    state.metrics.running.set(state.admission.running)
    state.metrics.waiting.set(state.admission.waiting)
    is_away = await state.probe.find_problem(state) is not None
    state.metrics.store_reachable.set(not is_away)
    if not is_away:
        with suppress(RagstoneError, TimeoutError):  # the last counts stay: the other figures do not wait for a store
            async with asyncio.timeout(LOOK_SECONDS):
                await _count_jobs(state)
    return Response(await asyncio.to_thread(_render, state), media_type=CONTENT_TYPE)


async def _count_jobs(state: ServerState) -> None:
    queue = find_queue(await state.pool.open(trusted=True))
    counts = await queue.count() if queue is not None else {}
    for status in ("queued", "running", "dead"):
        state.metrics.jobs.labels(status).set(counts.get(status, 0))


def _render(state: ServerState) -> bytes:
    place = local_place(state.settings.store)
    if place is not None:
        state.metrics.store_bytes.set(measure_folder(Path(place)))
    return state.metrics.render()


def _is_local(request: Request) -> bool:
    """Whether a program of this machine asks, and not a proxy for somebody else."""
    if any(name in request.headers for name in FORWARDED):
        return False
    return request.client is not None and is_loopback(request.client.host)
