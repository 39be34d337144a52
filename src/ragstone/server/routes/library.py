"""Documents: list, upload, read, draw, delete."""

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response
from pydantic import Field
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request

from ragstone.access import Permission
from ragstone.core.document_paths import check_document_path
from ragstone.core.errors import Refused, UsageError
from ragstone.core.types import NAME_LENGTH, Document, Span
from ragstone.engine import Engine
from ragstone.engine.arguments import DOCUMENT_PATH, SOURCE_NAME
from ragstone.engine.json_views import ChunkJson, chunk_json, full_document_json
from ragstone.engine.verbs.ingestion import UPLOADS
from ragstone.guard import mask_and_follow
from ragstone.server import answer_shapes as shapes
from ragstone.server.checked_routes import OwnRoute
from ragstone.server.descriptions import describe_answer, responses
from ragstone.server.errors import NotFound
from ragstone.server.routes.jobs import respond_accepted
from ragstone.server.state import open_engine, state_of
from ragstone.server.streams import run_for_client

router = APIRouter(tags=["documents"], route_class=OwnRoute)
Collection = Annotated[str | None, Query(min_length=1, max_length=NAME_LENGTH)]
MOST_BOXES = 100  # places of a document that a request names
Places = Annotated[list[Annotated[int, Field(ge=0)]] | None, Query(max_length=MOST_BOXES)]
PIECE = 1 << 20  # bytes
BAD_REQUEST = 400
LARGEST_PAGE = 20_000.0  # points


@router.get(
    "/v1/documents", responses=responses(400, 401, 403, 404, answer=shapes.DocumentsJson), summary="List the documents"
)
async def list_documents(
    request: Request,
    collection: Collection = None,
    source: str | None = None,
    path: Annotated[str | None, Query(min_length=1)] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    cursor: str | None = None,
) -> Response:
    """Documents by source and path, with `path` those at it; `next` is the cursor of the following page, null on the
    last."""
    engine = await open_engine(request, collection=collection)
    await engine.info()  # a collection that does not exist is named
    if path is not None:
        DOCUMENT_PATH.check("path", path)
    after = _read_cursor(cursor)
    documents = sorted(await engine.documents(source, within=path), key=_order)
    rest = [one for one in documents if path in (None, one.path) and (after is None or _order(one) > after)]
    page = rest[:limit]
    shown = await asyncio.to_thread(lambda: [full_document_json(document) for document in page])  # masks each
    following = _write_cursor(page[-1]) if len(rest) > limit else None
    return JSONResponse({"schema": 1, "documents": shown, "next": following})


def _order(document: Document) -> tuple[str, str]:
    return document.source, document.path


def _write_cursor(document: Document) -> str:
    return base64.urlsafe_b64encode("\0".join(_order(document)).encode()).decode()


def _read_cursor(cursor: str | None) -> tuple[str, str] | None:
    if cursor is None:
        return None
    try:
        source, path = base64.urlsafe_b64decode(cursor.encode()).decode().split("\0")
    except ValueError as error:
        raise UsageError("invalid cursor: expected the `next` of the page before") from error
    return source, path


@router.post(
    "/v1/documents",
    status_code=201,
    responses={
        **describe_answer(shapes.Accepted, 202),
        **responses(400, 401, 403, 409, 422, 429, answer=shapes.Uploaded, status=201),
    },
    summary="Upload a document",
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                "multipart/form-data": {
                    "schema": {
                        "type": "object",
                        "properties": {"file": {"type": "string", "format": "binary"}, "path": {"type": "string"}},
                        "required": ["file"],
                    }
                }
            },
        }
    },
)
async def upload_document(request: Request, collection: Collection = None, wait: bool = True) -> Response:
    """Adds or replaces one document: a form with `file`, and `path` unless it is called after the file. Of an archive,
    a mail or a PDF, `members` lists the documents that came of it, `skipped` the files in it that were not read. With
    `wait=false` a job is queued: the answer is 202 with its id, or 429 where too many wait."""
    engine = await open_engine(request, collection=collection)
    await engine.admit(Permission.WRITE, what="ingestion")  # before the file of a caller who may not write is read
    state = state_of(request)
    uploads = state.uploads
    if not request.headers.get("content-type", "").startswith("multipart/form-data"):
        raise UsageError("missing body: expected a form (multipart/form-data) with a field `file`")
    async with _read_form(request) as form, uploads.receive() as place:
        given, named = form.get("file"), form.get("path")
        if not isinstance(given, UploadFile):
            raise UsageError("missing field 'file': expected the document")
        path = check_document_path(str(named or given.filename or ""))
        with await asyncio.to_thread(place.open, "wb") as file:
            while piece := await given.read(PIECE):
                await asyncio.to_thread(file.write, piece)
        if not wait:
            queueing = state.queue.enqueue(state, engine, path, place)
            return respond_accepted(await asyncio.shield(asyncio.ensure_future(queueing)))
        await state.queue.supersede(state, engine, path)
        # Once it is there whole, it is ingested whether or not the client waits.
        added = await asyncio.shield(asyncio.ensure_future(uploads.add(engine, place, path)))
    members = [full_document_json(document) for document in added.members]
    inside = {"members": members, "skipped": added.skipped} if members else {}
    return JSONResponse({"schema": 1, **full_document_json(added.document), **inside}, 201)


@asynccontextmanager
async def _read_form(request: Request) -> AsyncIterator[FormData]:
    try:
        form = await request.form(max_files=1, max_fields=10)
    except HTTPException as error:
        if error.status_code != BAD_REQUEST:
            raise
        said = str(error.detail).rstrip(".")
        raise UsageError(f"invalid form: expected one file in the field `file` ({said})") from error
    try:
        yield form
    finally:
        await form.close()


@router.delete(
    "/v1/documents",
    responses=responses(400, 401, 403, 404, 409, answer=shapes.RemovedJson),
    summary="Delete the documents of a source",
)
async def delete_documents(request: Request, source: str, collection: Collection = None) -> Response:
    """Removes all documents of a source; an ingestion of it brings back those whose files are still there."""
    SOURCE_NAME.check("source", source)
    engine = await open_engine(request, collection=collection)
    await engine.admit(Permission.WRITE, what="ingestion")  # also where there is nothing to remove
    if source == UPLOADS:  # with their files
        removed = 0
        for document in await engine.store.ledger(engine.scope).documents(source):  # restricted ones too
            await state_of(request).queue.supersede(state_of(request), engine, document.path)
            removed += await state_of(request).uploads.remove(engine, document)
    else:
        removed = await engine.delete(source=source)
    return JSONResponse({"schema": 1, "removed": removed})


@router.get(
    "/v1/documents/{identity}",
    responses=responses(401, 403, 404, answer=shapes.DocumentText),
    summary="Show a document",
)
async def show_document(
    request: Request, identity: str, collection: Collection = None, start: Places = None, end: Places = None
) -> Response:
    """A document with its text of record, secrets masked. With `start` and `end`, characters of a citation's span,
    each once for every span, `places` has where they stand in the masked text, `marked` from the first to the last."""
    engine = await open_engine(request, collection=collection)
    document = await find_document(engine, identity)
    document, text = await engine.record(document.path, source=document.source)
    asked = start is not None or end is not None
    masked, places = mask_and_follow(text, _pair_places(start or [0], end or [len(text)], len(text)) if asked else [])
    whole = [min(first for first, _ in places), max(last for _, last in places)] if places else []
    marked = {"marked": whole, "places": places} if places else {}
    return JSONResponse({"schema": 1, **full_document_json(document), "text": masked, **marked})


def _pair_places(starts: list[int], ends: list[int], length: int) -> list[tuple[int, int]]:
    """The places in a text of this length; raises `UsageError` where a beginning has no end."""
    if len(starts) != len(ends):
        raise UsageError(f"{len(starts)} start and {len(ends)} end: expected one of each for every span")
    firsts = [min(start, length) for start in starts]
    return [(first, max(first, min(end, length))) for first, end in zip(firsts, ends, strict=True)]


@router.delete(
    "/v1/documents/{identity}",
    responses=responses(401, 403, 404, 409, answer=shapes.RemovedJson),
    summary="Delete a document",
)
async def delete_document(request: Request, identity: str, collection: Collection = None) -> Response:
    """Removes a document; an ingestion of its source brings it back if its file is still there."""
    engine = await open_engine(request, collection=collection)
    document = await find_document(engine, identity)
    if document.source == UPLOADS:
        await state_of(request).queue.supersede(state_of(request), engine, document.path)
    removed = await state_of(request).uploads.remove(engine, document)
    return JSONResponse({"schema": 1, "removed": removed})


@router.get(
    "/v1/documents/{identity}/original",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {}}}, **responses(401, 403, 404)},
    summary="Download a document's file",
)
async def download_original(request: Request, identity: str, collection: Collection = None) -> Response:
    """The bytes that were ingested, secrets included: for callers who may export."""
    engine = await open_engine(request, collection=collection)
    document = await find_document(engine, identity)
    try:
        _, data = await engine.original(document.path, source=document.source)
    except UsageError as error:
        _raise_absent(error)
        raise
    headers = {"Content-Disposition": "attachment", "Content-Security-Policy": "sandbox; default-src 'none'"}
    return Response(data, media_type="application/octet-stream", headers=headers)


@router.get(
    "/v1/documents/{identity}/pages/{number}",
    response_class=Response,
    responses={200: {"content": {"image/png": {}}}, **responses(400, 401, 403, 404)},
    summary="Draw a page",
)
async def draw_page(
    request: Request,
    identity: str,
    number: int,
    collection: Collection = None,
    chunk: str | None = None,
    box: Annotated[list[str] | None, Query(max_length=MOST_BOXES)] = None,
) -> Response:
    """A page (from 1) as a PNG; with `chunk`, the places of that passage are marked, and with `box` (a citation's
    `bbox`, as `x0,y0,x1,y1`) those."""
    engine = await open_engine(request, collection=collection)
    document = await find_document(engine, identity)
    spans = [*((await engine.get(chunk)).spans if chunk else ()), *(_read_box(one, number) for one in box or ())]
    try:
        data = await run_for_client(request, engine.page(document.path, number, source=document.source, spans=spans))
    except Refused as error:
        raise NotFound(str(error)) from error
    except UsageError as error:
        _raise_absent(error)
        raise
    return Response(data, media_type="image/png")


def _read_box(text: str, page: int) -> Span:
    """A place on a page; raises `UsageError`."""
    try:
        x0, y0, x1, y1 = map(float, text.split(","))
    except ValueError as error:
        raise UsageError(f"invalid box {text!r:.80}: expected x0,y0,x1,y1 in points") from error
    if not all(abs(value) < LARGEST_PAGE for value in (x0, y0, x1, y1)):  # NaN is none of them either
        raise UsageError(f"invalid box {text!r:.80}: expected points of a page")
    return Span(0, 0, 1, 1, page=page, bbox=(x0, y0, x1, y1))


@router.get("/v1/chunks/{identity}", responses=responses(401, 403, 404, answer=ChunkJson), summary="Show a passage")
async def show_chunk(request: Request, identity: str, collection: Collection = None) -> Response:
    """A passage with all that is stored with it, secrets masked."""
    engine = await open_engine(request, collection=collection)
    try:
        return JSONResponse(chunk_json(await engine.get(identity)))
    except UsageError as error:
        _raise_absent(error)
        raise


async def find_document(engine: Engine, identity: str) -> Document:
    """The newest revision of a document that the caller may see; raises `NotFound`."""
    for document in await engine.documents(identity=identity):
        return document
    raise NotFound(f"unknown document {identity!r:.80}: GET /v1/documents lists them")


def _raise_absent(error: UsageError) -> None:
    """A thing that is not there is no mistake in the request, unless the caller was not let in."""
    if type(error) is UsageError:
        raise NotFound(str(error)) from error
