"""The wire format of Text Embeddings Inference: rerankers and weights of terms. One server has one model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragstone.core.ports import SparseVector
from ragstone.providers.score_scales import Scale
from ragstone.providers.wire_format import IndexedScore, RerankBatch, WireRequest, parse_score

MOST = 32  # texts of a request, unless the server is started with another --max-client-batch-size


class Endpoints:
    """Its headers, and what mends a wrong address."""

    most = MOST
    mend = "start the server with MODEL"

    def headers(self, key: str | None) -> dict[str, str]:
        return {} if key is None else {"Authorization": f"Bearer {key}"}


class Reranking(Endpoints):
    """Its `/rerank`: the server applies the logistic function itself unless raw scores are asked for."""

    def build_rerank_request(self, batch: RerankBatch) -> WireRequest:
        body = {"query": batch.question, "texts": list(batch.texts), "raw_scores": False, "truncate": True}
        return WireRequest("/rerank", body)

    def parse_scores(self, reply: Any) -> list[IndexedScore]:
        return [parse_score(one, "score") for one in reply]

    def scale_of(self, model: str) -> Scale:  # noqa: ARG002  # all of its models have one scale
        return "unit"


class SparseWeights(Endpoints):
    """Its `/embed_sparse`, for a server that pools as SPLADE does."""

    def build_sparse_request(self, texts: Sequence[str]) -> WireRequest:
        return WireRequest("/embed_sparse", {"inputs": list(texts), "truncate": True})

    def parse_sparse(self, reply: Any) -> list[SparseVector]:
        return [{int(one["index"]): float(one["value"]) for one in vector} for vector in reply]
