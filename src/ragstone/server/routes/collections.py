"""Collections: list, create, show, erase."""

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response
from starlette.requests import Request

from ragstone.engine.json_views import InfoJson, info_json
from ragstone.server import answer_shapes as shapes
from ragstone.server.bodies import Body, CollectionName
from ragstone.server.checked_routes import OwnRoute
from ragstone.server.descriptions import responses
from ragstone.server.errors import NotFound
from ragstone.server.state import open_engine, state_of

router = APIRouter(tags=["documents"], route_class=OwnRoute)


class CollectionBody(Body):
    """A collection to make."""

    name: CollectionName


@router.get(
    "/v1/collections", responses=responses(401, 403, answer=shapes.CollectionsJson), summary="List the collections"
)
async def list_collections(request: Request) -> Response:
    """The collections of the caller's tenant."""
    engine = await open_engine(request)
    return JSONResponse({"schema": 1, "collections": [info_json(info) for info in await engine.collections()]})


@router.post(
    "/v1/collections",
    status_code=201,
    responses=responses(400, 401, 403, answer=InfoJson, status=201),
    summary="Create a collection",
)
async def create_collection(request: Request, body: CollectionBody) -> Response:
    """Makes an empty collection; one that exists stays as it is."""
    engine = await open_engine(request, collection=body.name)
    return JSONResponse(info_json(await engine.create()), 201)


@router.get(
    "/v1/collections/{name:any}", responses=responses(401, 403, 404, answer=InfoJson), summary="Show a collection"
)
async def show_collection(request: Request, name: str) -> Response:
    """The state of a collection."""
    engine = await open_engine(request, collection=name)
    return JSONResponse(info_json(await engine.info()))


@router.delete(
    "/v1/collections/{name:any}",
    responses=responses(401, 403, 404, 409, answer=shapes.ErasedJson),
    summary="Erase a collection",
)
async def erase_collection(request: Request, name: str) -> Response:
    """Erases a collection with its documents and uploads."""
    engine = await open_engine(request, collection=name)
    if not await engine.drop(name):
        raise NotFound(f"unknown collection {name!r:.80}: GET /v1/collections lists them")
    await state_of(request).uploads.erase(engine.scope)
    return JSONResponse({"schema": 1, "erased": name})
