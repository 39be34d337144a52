"""The application: endpoints, checks, errors, start and end."""

import logging
from collections.abc import AsyncGenerator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request

from ragstone.config.settings import Settings
from ragstone.core.errors import RagstoneError
from ragstone.core.version import __version__
from ragstone.engine.tracing import send_traces
from ragstone.server.background import run_beside
from ragstone.server.certificate import Certificate
from ragstone.server.described_app import DescribedApp
from ragstone.server.errors import respond_with_error
from ragstone.server.memory import release_now_and_then
from ragstone.server.methods import MethodMiddleware
from ragstone.server.metrics import Metrics
from ragstone.server.middleware import (
    LOOPBACK_NAMES,
    REQUEST_ID,
    DoorMiddleware,
    FailureMiddleware,
    HeadersMiddleware,
    StateMiddleware,
)
from ragstone.server.observation import ObserveMiddleware, TraceMiddleware
from ragstone.server.reload import Configuration, follow_configuration
from ragstone.server.routes import (
    api_reference,
    collections,
    jobs,
    library,
    monitoring,
    notes,
    openai,
    openai_responses,
    pipelines,
    query,
    questions,
    runs,
    texts,
    web_page,
)
from ragstone.server.startup import Startup
from ragstone.server.state import ServerState, is_loopback
from ragstone.server.streams import ClientGone

log = logging.getLogger("ragstone")

ROUTERS = (
    questions,
    collections,
    library,
    texts,
    runs,
    jobs,
    pipelines,
    notes,
    query,
    openai,
    openai_responses,
    monitoring,
    web_page,
    api_reference,
)
NO_READER = 499  # nobody gets it: the client closed the connection


def create_app(
    settings: Settings,
    *,
    configuration: Configuration | None = None,
    certificate: Certificate | None = None,
    metrics: Metrics | None = None,
    startup: Startup | None = None,
) -> FastAPI:
    """The server of some settings; its stores and models are opened when they are first needed.

    With a `configuration` the settings are loaded again whenever its files change, and so is a `certificate`. `metrics`
    are those of several processes, where this is one of them. With a `startup` all is checked and opened at once,
    beside the first requests.
    """

    @asynccontextmanager
    async def live(app: FastAPI) -> AsyncGenerator[None]:
        async with AsyncExitStack() as stack:
            stack.enter_context(send_traces(settings.traces))
            if configuration is not None:
                await stack.enter_async_context(follow_configuration(app, configuration))
            if certificate is not None:
                await stack.enter_async_context(run_beside(certificate.follow()))
            await stack.enter_async_context(_prepare(app.state.server, startup))
            await stack.enter_async_context(release_now_and_then())
            await stack.enter_async_context(app.state.server.queue.work(lambda: app.state.server))
            yield
        await app.state.server.close()

    app = DescribedApp(
        title="Ragstone",
        version=__version__,
        description="Passages, checked answers and documents.",
        openapi_url="/v1/openapi.json",
        docs_url=None,  # FastAPI's pages would come from elsewhere: ours is at /docs/
        redoc_url=None,
        redirect_slashes=False,  # to an address that the server makes up, which is a proxy's
        lifespan=live,
        generate_unique_id_function=lambda route: route.name,  # what a generated client calls its functions
    )
    app.state.server = ServerState.of_settings(settings, metrics)
    app.state.startup = startup
    app.state.certificate = certificate
    for module in ROUTERS:
        app.include_router(module.router)
    for kind in (RagstoneError, HTTPException, RequestValidationError, Exception):
        app.add_exception_handler(kind, respond_with_error)
    app.add_exception_handler(ClientGone, _drop_response)
    _add_checks(app, settings)
    return app


@asynccontextmanager
async def _prepare(state: ServerState, startup: Startup | None) -> AsyncGenerator[None]:
    """Prepare the server while the block runs, then clear up what a killed one left."""

    async def hold_and_prepare() -> None:
        async with state.hold():  # also where the configuration changes meanwhile
            if startup is not None:
                await startup.prepare(state.settings, state.pool.shared)
            if startup is None or startup.failure is None:
                await _sweep_uploads(state)

    async with run_beside(hold_and_prepare()):
        yield


async def _sweep_uploads(state: ServerState) -> None:
    try:
        await state.uploads.sweep(state.pool)
    except (RagstoneError, OSError) as error:  # it stays for the next start
        log.warning("what is left of uploads cannot be removed now: %s", error)


def _add_checks(app: FastAPI, settings: Settings) -> None:
    """The last one added sees a request first."""
    serve = settings.serve
    routes = [*app.routes, *(route for module in ROUTERS for route in module.router.routes)]
    app.add_middleware(MethodMiddleware, routes=routes)
    app.add_middleware(FailureMiddleware)
    app.add_middleware(StateMiddleware, find=lambda: app.state.server)
    app.add_middleware(
        DoorMiddleware,
        hosts=list_hosts(settings),
        origins=serve.allowed_origins,
        body_bytes=serve.body_bytes,
        upload_bytes=serve.upload_bytes,
    )
    if serve.allowed_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(serve.allowed_origins),
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["Authorization", "Content-Type", "X-API-Key", REQUEST_ID],
            expose_headers=[REQUEST_ID, "Link", "Retry-After"],
        )
    app.add_middleware(ObserveMiddleware, find=lambda: app.state.server)
    app.add_middleware(TraceMiddleware)
    app.add_middleware(HeadersMiddleware)


def list_hosts(settings: Settings) -> Iterable[str]:
    """The names by which clients may call the server; any, where it listens to the world and none is configured: keys
    protect it there."""
    serve = settings.serve
    if serve.allowed_hosts:
        return (*serve.allowed_hosts, *LOOPBACK_NAMES)
    return (*LOOPBACK_NAMES, serve.listen_address) if is_loopback(serve.listen_address) else ("*",)


async def _drop_response(_request: Request, _error: Any) -> Response:
    return JSONResponse({}, NO_READER)
