"""Voyage's wire format: embeddings, which distinguish documents from questions, and rerankers."""

from __future__ import annotations

from ragstone.providers import openai
from ragstone.providers.score_scales import Scale
from ragstone.providers.wire_format import (
    EmbeddingBatch,
    IndexedScore,
    Json,
    RerankBatch,
    WireRequest,
    parse_score,
)


class WireFormat(openai.WireFormat):
    """Written from the API reference; not run against the service."""

    most = 128

    def build_embedding_request(self, batch: EmbeddingBatch) -> WireRequest:
        body: Json = {"model": batch.model, "input": list(batch.texts), "input_type": batch.kind, "truncation": True}
        return WireRequest(
            "/embeddings", body if batch.dimensions is None else {**body, "output_dimension": batch.dimensions}
        )


class Reranking:
    """Its `/rerank`; its scores are from 0 to 1."""

    most = 1000
    mend = "name a reranker of Voyage, such as rerank-2.5"

    def headers(self, key: str | None) -> dict[str, str]:
        return {} if key is None else {"Authorization": f"Bearer {key}"}

    def build_rerank_request(self, batch: RerankBatch) -> WireRequest:
        body = {"model": batch.model, "query": batch.question, "documents": list(batch.texts), "truncation": True}
        return WireRequest("/rerank", body)

    def parse_scores(self, reply: Json) -> list[IndexedScore]:
        return [parse_score(one, "relevance_score") for one in reply["data"]]

    def scale_of(self, model: str) -> Scale:  # noqa: ARG002  # all of its models have one scale
        return "unit"
