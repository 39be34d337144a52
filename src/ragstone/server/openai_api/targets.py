"""The collections and pipelines that OpenAI's clients call models."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.requests import Request

from ragstone.core.errors import Forbidden, NotAStore, NotBuilt, Unauthorized, UsageError
from ragstone.engine import Engine
from ragstone.engine.question_verbs import QuestionVerbs
from ragstone.server.errors import NotFound
from ragstone.server.state import open_engine


class ModelNotFound(NotFound):
    """There is no such pipeline or collection, for this caller."""

    code = "model_not_found"
    disclosure = NotFound.disclosure


async def list_models(request: Request) -> list[str]:
    """The names of the pipelines, then those of the collections."""
    engine = await open_engine(request)
    await engine.sign_in()
    names = [one.name for one in engine.pipelines()]
    return [
        *names,
        *(info.scope.collection for info in await engine.collections() if info.scope.collection not in names),
    ]


@asynccontextmanager
async def open_model(request: Request, name: str) -> AsyncIterator[tuple[Engine, QuestionVerbs]]:
    """The engine of a model, and the pipeline or collection; inside, a collection that does not exist is a model that
    does not exist."""
    engine = await open_engine(request)
    await engine.sign_in()
    try:
        if name in {one.name for one in engine.pipelines()}:
            yield engine, engine.pipeline(name)
        else:
            engine = await _open_collection(request, name)
            yield engine, engine
    except NotBuilt as error:
        raise describe_unknown(name) from error


async def _open_collection(request: Request, name: str) -> Engine:
    try:
        engine = await open_engine(request, collection=name)
        exists = await engine.exists()
    except (Unauthorized, Forbidden, NotAStore):
        raise
    except UsageError as error:  # a name that no collection may have
        raise describe_unknown(name) from error
    if not exists:
        raise describe_unknown(name)
    return engine


def describe_unknown(name: str) -> ModelNotFound:
    """The error for a model that does not exist."""
    return ModelNotFound(f"the model {name!r:.80} does not exist: GET /v1/models lists pipelines and collections")
