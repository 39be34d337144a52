"""Jina's wire format, its rerankers only; vLLM, Infinity and many others serve `/rerank` in its shape."""

from __future__ import annotations

from ragstone.providers.score_scales import Scale
from ragstone.providers.wire_format import IndexedScore, Json, RerankBatch, WireRequest, parse_score

COSINE_MODELS = "jina-reranker-v3"  # the model's card: its scores are cosines


class Reranking:
    """Written from the API reference; not run against the service."""

    most = 1000
    mend = "name a reranker that it serves, such as jina-reranker-v2-base-multilingual"

    def headers(self, key: str | None) -> dict[str, str]:
        return {} if key is None else {"Authorization": f"Bearer {key}"}

    def build_rerank_request(self, batch: RerankBatch) -> WireRequest:
        body = {"model": batch.model, "query": batch.question, "documents": list(batch.texts)}
        return WireRequest("/rerank", {**body, "top_n": len(batch.texts), "return_documents": False})

    def parse_scores(self, reply: Json) -> list[IndexedScore]:
        return [parse_score(one, "relevance_score") for one in reply["results"]]

    def scale_of(self, model: str) -> Scale:
        """A cosine for the third generation of Jina's models, else from 0 to 1."""
        return "cosine" if model.rpartition("/")[2].startswith(COSINE_MODELS) else "unit"
