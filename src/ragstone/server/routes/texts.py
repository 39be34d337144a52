"""Documents as texts in the body of a request: for programs that have no files."""

import asyncio
import binascii
from base64 import b64decode
from typing import Annotated, Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response
from pydantic import Field
from starlette.requests import Request

from ragstone.access import Permission
from ragstone.core.errors import UsageError
from ragstone.core.records import Run
from ragstone.engine.arguments import SOURCE_NAME
from ragstone.engine.verbs.ingestion import TEXTS
from ragstone.server.bodies import Body, CollectionName, Name
from ragstone.server.checked_routes import OwnRoute
from ragstone.server.descriptions import responses
from ragstone.server.routes.runs import run_json
from ragstone.server.state import open_engine, state_of
from ragstone.server.uploads import run_when_free

router = APIRouter(tags=["documents"], route_class=OwnRoute)
MOST_DOCUMENTS = 10_000  # of one request


class DocumentBody(Body):
    """A text with metadata, or the bytes of a file."""

    text: str | None = None
    meta: dict[str, Any] | None = None
    base64: str | None = None


class TextsBody(Body):
    """Documents by path."""

    texts: Annotated[dict[Name, str | DocumentBody], Field(min_length=1, max_length=MOST_DOCUMENTS)]
    source: str = TEXTS
    collection: CollectionName | None = None


@router.post(
    "/v1/texts",
    status_code=201,
    responses=responses(400, 401, 403, 404, 409, 422, answer=Run, status=201),
    summary="Add documents as texts",
)
async def add_texts(request: Request, body: TextsBody) -> Response:
    """Adds or replaces documents by path, each a text, a text with `meta` (its path then ends in .md), or a file in
    `base64`; the others of their `source` stay. Answers with the run, whose stats name documents that were skipped."""
    engine = await open_engine(request, collection=body.collection)
    await engine.admit(Permission.WRITE, what="ingestion")  # before anything of a caller who may not write is decoded
    SOURCE_NAME.check("source", body.source)
    texts = {path: given if isinstance(given, str) else _read_given(path, given) for path, given in body.texts.items()}

    async def work() -> list[Run]:
        return [await run_when_free(lambda: engine.ingest_texts(texts, name=body.source))]

    # Once the texts are here, they are ingested whether or not the client waits.
    [run] = await asyncio.shield(state_of(request).start_ingestion(work()))
    return JSONResponse({"schema": 1, **run_json(run)}, 201)


def _read_given(path: str, given: DocumentBody) -> bytes | dict[str, Any]:
    if (given.text is None) == (given.base64 is None) or (given.meta and given.base64 is not None):
        raise UsageError(f"invalid document {path!r:.80}: expected a `text`, with `meta` or without, or `base64`")
    if given.base64 is None:
        return {"text": given.text, "meta": given.meta}
    try:
        return b64decode(given.base64, validate=True)
    except (binascii.Error, ValueError) as error:
        raise UsageError(
            f"invalid `base64` of document {path!r:.80}: {str(error)[:1].lower()}{str(error)[1:]}"
        ) from error
