"""A question's own vector by the model of each source."""

from collections.abc import Mapping
from dataclasses import dataclass

from ragstone.core.ports import Embedder, Vectors
from ragstone.core.trace import Trace
from ragstone.providers.batching import check_vectors
from ragstone.retrieval.comparable_vectors import can_read
from ragstone.retrieval.question import Question
from ragstone.retrieval.search_context import SearchContext, Source, refusal_code

ModelKey = tuple[tuple[str, str] | None, str | None]  # a source's model, and why there is none


@dataclass(frozen=True, slots=True)
class QueryVectors:
    """The question's own vector by the model of each source; None where there is none."""

    by_model: Mapping[ModelKey, Vectors | None]

    def vector_for(self, source: Source) -> Vectors | None:
        return self.by_model.get(find_model_key(source)) if source.has_vectors else None

    @property
    def first(self) -> Vectors | None:
        """The vector of the first source that has one."""
        return next((vector for vector in self.by_model.values() if vector is not None), None)


def find_model_key(source: Source) -> ModelKey:
    """A source's model, and why it has none: sources that agree in both share the vector of a question."""
    return source.model, source.model_missing


async def embed_question(context: SearchContext, question: Question, trace: Trace) -> QueryVectors:
    """The question's vector by each model, made once; a note where there is no model for it."""
    found: dict[ModelKey, Vectors | None] = {}
    for source in context.sources:
        if source.has_vectors and (key := find_model_key(source)) not in found:
            found[key] = await _embed_for(source, question, trace, seconds=context.deadlines.embed)
    return QueryVectors(found)


async def _embed_for(source: Source, question: Question, trace: Trace, *, seconds: float) -> Vectors | None:
    if question.mode == "keyword":
        return None
    embedder = source.embedder
    if embedder is None:
        _note_keyword_only(trace, source.model_missing)
        return None
    if question.mode == "hybrid" and not can_read(embedder, question.text, trace):
        return None
    work = _embed(embedder, question.text)
    vector = await trace.attempt("embedding", work, None, seconds=seconds, refused=refusal_code(embedder))
    if vector is None:
        _note_keyword_only(trace, None)
    return vector


async def _embed(embedder: Embedder, text: str) -> Vectors:
    vectors = await embedder.embed([text], kind="query")
    row: Vectors = check_vectors(vectors, dimension=embedder.dimension, references=["the question"])[0]
    return row


def _note_keyword_only(trace: Trace, why: str | None) -> None:
    trace.note("semantic_unavailable", "semantic unavailable; fallback=keyword-only")
    if why:
        trace.note("model_missing", why)
