"""The endpoint of the production RAG specification: one question, one answer, five shapes of response."""

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict
from starlette.requests import Request

from ragstone.access import Permission
from ragstone.answering.abstention.abstain import ABSTENTION
from ragstone.answering.formats import hit_json, note_json
from ragstone.core.answers import Answer, Citation
from ragstone.core.errors import UsageError
from ragstone.core.types import Json
from ragstone.guard import mask_secrets
from ragstone.retrieval.reranking import is_reranker_skipped
from ragstone.server import answer_shapes as shapes
from ragstone.server.bodies import PassageCount, TenantName, Text
from ragstone.server.checked_routes import CheckedRoute
from ragstone.server.descriptions import responses
from ragstone.server.errors import Problem, shape_problem
from ragstone.server.state import open_engine, state_of
from ragstone.server.streams import run_for_client

router = APIRouter(tags=["query"], route_class=CheckedRoute)

MODEL_FAILED = ("llm_unavailable", "llm_refused")  # notes of an answer that a model should have written


class CompanyBody(BaseModel):
    """A question; the tenant is the credential's where there is one."""

    model_config = ConfigDict(extra="ignore")
    tenant_id: TenantName | None = None
    question: Text
    top_k: PassageCount = 10
    debug: bool = False


@router.post(
    "/v1/query", responses=responses(400, 401, 403, 404, 429, 502, answer=shapes.QueryAnswer), summary="Ask a question"
)
async def query(request: Request, body: CompanyBody) -> Response:
    """An answer with its citations, or an abstention; `debug` tells how it came about, to those who may explain."""
    engine = await open_engine(request, tenant=body.tenant_id)
    if body.debug:
        await engine.authenticator.admit(Permission.EXPLAIN, what="debug")
    if not body.question.strip():
        raise UsageError("question is required")

    async def work() -> Answer:
        async with state_of(request).admission.enter(engine.scope.tenant):
            return await engine.ask(body.question, top_k=body.top_k)

    made = await run_for_client(request, work())
    failed = next((note for note in made.notes if note.code in MODEL_FAILED), None)
    if failed is not None:
        status, error = shape_problem(request.url.path, Problem(502, "llm_unavailable", failed.message, {}))
        return JSONResponse(error, status)
    return JSONResponse(
        {
            "answer": ABSTENTION if made.abstained else mask_secrets(made.text),
            "citations": [] if made.abstained else _list_passages(made),
            "abstained": made.abstained,
            "debug": _debug_json(made) if body.debug else None,
        }
    )


def _list_passages(answer: Answer) -> list[Json]:
    """The cited passages, each once."""
    return [_citation_json(one) for one in {one.chunk: one for one in reversed(answer.citations)}.values()][::-1]


def _citation_json(citation: Citation) -> Json:
    document = citation.document
    return {
        "doc_id": document.id,
        "doc_version_id": document.version,
        "chunk_id": citation.chunk,
        "title": document.title or document.path,
        "version_label": document.version_label,
    }


def _debug_json(answer: Answer) -> Json:
    """The way of an answer: passages with their signals, notes, seconds, and what kept a reranker from its work."""
    skipped = next((note for note in answer.notes if is_reranker_skipped([note.code])), None)
    return {
        "reason": answer.reason,
        "answerability": answer.answerability,
        "hits": [hit_json(hit, mask=mask_secrets) for hit in answer.hits],
        "notes": [note_json(note) for note in answer.notes],
        "usage": dict(answer.usage),
        "timings": dict(answer.timings),
        "reranker_skipped": skipped is not None,
        **({"reranker_error": mask_secrets(skipped.message)} if skipped else {}),
    }
