"""The wire format of Text Embeddings Inference: its rerankers and sparse vectors. One server has one model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragstone.providers.score_scales import Scale
from ragstone.providers.wire_format import IndexedScore, RerankBatch, WeightedTerm, WireRequest, parse_score

MOST = 32  # texts of a request, unless the server is started with another --max-client-batch-size


class _Server:
    most = MOST
    mend = "start the server with MODEL"

    def headers(self, key: str | None) -> dict[str, str]:
        return {} if key is None else {"Authorization": f"Bearer {key}"}


class Reranking(_Server):
    """Its `/rerank`: the server applies the logistic function itself unless raw scores are asked for."""

    def build_rerank_request(self, batch: RerankBatch) -> WireRequest:
        body = {"query": batch.question, "texts": list(batch.texts), "raw_scores": False, "truncate": True}
        return WireRequest("/rerank", body)

    def parse_scores(self, reply: Any) -> list[IndexedScore]:
        return [parse_score(one, "score") for one in reply]

    def scale_of(self, model: str) -> Scale:  # noqa: ARG002  # all of its models have one scale
        return "unit"


class SparseEncoding(_Server):
    """Its `/embed_sparse`, of a server with `--pooling splade`."""

    def build_sparse_request(self, texts: Sequence[str]) -> WireRequest:
        return WireRequest("/embed_sparse", {"inputs": list(texts), "truncate": True})

    def parse_sparse(self, reply: Any) -> list[list[WeightedTerm]]:
        return [[parse_score(one, "value") for one in terms] for terms in reply]
