"""The endpoints of OpenAI's API: models, chat completions, vectors, searches in a collection."""

import base64
import time
import uuid
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack

import numpy as np
from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response
from sse_starlette import ServerSentEvent
from starlette.requests import Request

from ragstone.core.answers import Answer, Event
from ragstone.core.errors import UsageError
from ragstone.core.types import Hit, Json
from ragstone.guard import mask_secrets
from ragstone.server.checked_routes import CheckedRoute
from ragstone.server.descriptions import responses
from ragstone.server.openai_api import shapes
from ragstone.server.openai_api.bodies import ChatBody, EmbeddingBody, VectorStoreSearchBody, split_conversation
from ragstone.server.openai_api.rendering import annotate, count_usage, list_sources
from ragstone.server.openai_api.streaming import TextStream, stream_text
from ragstone.server.openai_api.targets import describe_unknown, list_models, open_model
from ragstone.server.state import state_of
from ragstone.server.streams import EventStream, begin_stream, dump_line, run_for_client

router = APIRouter(tags=["openai"], route_class=CheckedRoute)
OWNER = "ragstone"


@router.get(
    "/v1/models",
    responses=responses(401, 403, answer=shapes.Models),
    summary="List pipelines and collections as models",
)
async def show_models(request: Request) -> Response:
    """The pipelines and collections of the caller, in OpenAI's shape."""
    names = await list_models(request)
    return JSONResponse({"object": "list", "data": [_model_json(name) for name in names]})


@router.get("/v1/models/{name:any}", responses=responses(401, 403, 404, answer=shapes.Model), summary="Show a model")
async def show_model(request: Request, name: str) -> Response:
    """One pipeline or collection, in OpenAI's shape."""
    if name not in await list_models(request):
        raise describe_unknown(name)
    return JSONResponse(_model_json(name))


def _model_json(name: str) -> Json:
    return {"id": name, "object": "model", "created": 0, "owned_by": OWNER}


@router.post(
    "/v1/chat/completions",
    responses=responses(400, 401, 403, 404, 429, answer=shapes.ChatCompletion, events=()),
    summary="Answer from the documents, for OpenAI's clients",
)
async def complete_chat(request: Request, body: ChatBody) -> Response:
    """An answer whose `model` is a pipeline or collection: its citations are annotations, and a list below the text."""
    made = _Completion(body, str(request.base_url))
    async with open_model(request, body.model) as (engine, target):
        question, turns = split_conversation(body.messages)
        turn = state_of(request).admission.enter(engine.scope.tenant)
        if body.stream:
            stack = AsyncExitStack()
            try:
                events = target.events(question, history=turns, strict=True)
                begun = await run_for_client(request, begin_stream(stack, turn, events))
            except BaseException:
                await stack.aclose()
                raise
            return EventStream(request, made.frame(begun), stack, frame_failure=_frame_failure)

        async def work() -> Answer:
            async with turn:
                return await target.ask(question, history=turns)

        return JSONResponse(made.describe(await run_for_client(request, work())))


class _Completion:
    """One chat completion: its id and time are those of each of its chunks."""

    def __init__(self, body: ChatBody, base_url: str) -> None:
        self._identity = {"id": f"chatcmpl-{uuid.uuid4().hex}", "created": int(time.time()), "model": body.model}
        self._base_url = base_url
        self._shows_usage = body.stream_options is not None and body.stream_options.include_usage

    def describe(self, answer: Answer) -> Json:
        text = mask_secrets(answer.text) + list_sources(answer)
        notes = annotate(text, answer, base_url=self._base_url)
        message = {"role": "assistant", "content": text, "refusal": None, "annotations": notes}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
        usage = _usage_json(answer)
        return {**self._identity, "object": "chat.completion", "choices": [choice], "usage": usage}

    async def frame(self, events: AsyncIterator[Event]) -> AsyncGenerator[ServerSentEvent]:
        """The answer as chunks, then `[DONE]`; an error ends the stream."""
        text = TextStream()
        yield self._chunk({"role": "assistant", "content": ""})
        async for piece in stream_text(events, text):
            yield self._chunk({"content": piece})
        if text.failure is not None:
            yield _frame_failure(*text.failure)
            return
        if text.answer is not None:
            yield self._chunk({"annotations": annotate(text.shown, text.answer, base_url=self._base_url)})
            yield self._chunk({}, finish_reason="stop")
            if self._shows_usage:
                usage = _usage_json(text.answer)
                yield _data({**self._identity, "object": "chat.completion.chunk", "choices": [], "usage": usage})
        yield ServerSentEvent("[DONE]", sep="\n")

    def _chunk(self, delta: Json, finish_reason: str | None = None) -> ServerSentEvent:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return _data({**self._identity, "object": "chat.completion.chunk", "choices": [choice]})


def _frame_failure(code: str, message: str) -> ServerSentEvent:
    return _data({"error": {"message": message, "type": "server_error", "param": None, "code": code}})


def _data(data: Json) -> ServerSentEvent:
    return ServerSentEvent(dump_line(data), sep="\n")


def _usage_json(answer: Answer) -> Json:
    read, written = count_usage(answer)
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


@router.post(
    "/v1/embeddings", responses=responses(400, 401, 403, 404, 429, answer=shapes.Embeddings), summary="Embed texts"
)
async def embed_texts(request: Request, body: EmbeddingBody) -> Response:
    """Vectors by the embedding model of a collection, which `model` names."""
    texts = body.list_texts()
    async with open_model(request, body.model) as (engine, target):
        if target is not engine:
            raise UsageError("the vectors of a pipeline: name one of its collections as `model`")

        async def work() -> Json:
            async with state_of(request).admission.enter(engine.scope.tenant):
                vectors = await engine.embed([mask_secrets(text) for text in texts])
                embedder = engine.search_context.sources[0].embedder
                return {"vectors": vectors, "tokens": sum(embedder.tokenizer.count(texts)) if embedder else 0}

        made = await run_for_client(request, work())
    vectors = np.asarray(made["vectors"], dtype="<f4")
    if body.dimensions is not None and body.dimensions != vectors.shape[1]:
        raise UsageError(f"dimensions: the model has {vectors.shape[1]}, not {body.dimensions}; leave it out")
    packed = body.encoding_format == "base64"
    rows = [base64.b64encode(row.tobytes()).decode() if packed else row.tolist() for row in vectors]
    data = [{"object": "embedding", "index": n, "embedding": row} for n, row in enumerate(rows)]
    usage = {"prompt_tokens": made["tokens"], "total_tokens": made["tokens"]}
    return JSONResponse({"object": "list", "data": data, "model": body.model, "usage": usage})


@router.post(
    "/v1/vector_stores/{name:any}/search",
    responses=responses(400, 401, 403, 404, 429, answer=shapes.StoreResults),
    summary="Search a collection, for OpenAI's clients",
)
async def search_vector_store(request: Request, name: str, body: VectorStoreSearchBody) -> Response:
    """The best passages of a collection or pipeline, as results of a vector store."""
    query, where = body.read_query(), body.filters.to_where() if body.filters else None
    async with open_model(request, name) as (engine, target):

        async def work() -> list[Hit]:
            async with state_of(request).admission.enter(engine.scope.tenant):
                return list((await target.search(query, where=where, top_k=body.max_num_results)).hits)

        hits = await run_for_client(request, work())
    least = body.ranking_options.score_threshold if body.ranking_options else None
    data = [_result_json(hit) for hit in hits if least is None or hit.score >= least]
    page = {"object": "vector_store.search_results.page", "search_query": [query], "data": data}
    return JSONResponse({**page, "has_more": False, "next_page": None})


def _result_json(hit: Hit) -> Json:
    document = hit.chunk.document
    text = mask_secrets(hit.chunk.text, hit.chunk.spans, hit.chunk.secrets)
    attributes = {"source": document.source, "title": document.title or "", "chunk_id": hit.chunk.id}
    return {
        "file_id": document.id,
        "filename": document.path,
        "score": hit.score,
        "attributes": attributes,
        "content": [{"type": "text", "text": text}],
    }
