"""Cohere's wire format, its rerankers only: version 2 of the API."""

from __future__ import annotations

from ragstone.providers.score_scales import Scale
from ragstone.providers.wire_format import IndexedScore, Json, RerankBatch, WireRequest, parse_score


class Reranking:
    """Its `/v2/rerank`; its scores are from 0 to 1. Compared with the official client; not run against the service."""

    most = 1000
    mend = "name a reranker of Cohere, such as rerank-v3.5"

    def headers(self, key: str | None) -> dict[str, str]:
        return {} if key is None else {"Authorization": f"Bearer {key}"}

    def build_rerank_request(self, batch: RerankBatch) -> WireRequest:
        return WireRequest(
            "/v2/rerank", {"model": batch.model, "query": batch.question, "documents": list(batch.texts)}
        )

    def parse_scores(self, reply: Json) -> list[IndexedScore]:
        return [parse_score(one, "relevance_score") for one in reply["results"]]

    def scale_of(self, model: str) -> Scale:  # noqa: ARG002  # all of its models have one scale
        return "unit"
