"""Voyage's wire format: embeddings only, which distinguish documents from questions."""

from __future__ import annotations

from ragstone.providers import openai
from ragstone.providers.wire_format import EmbeddingBatch, Json, WireRequest


class WireFormat(openai.WireFormat):
    """Written from the API reference; not run against the service."""

    most = 128

    def build_embedding_request(self, batch: EmbeddingBatch) -> WireRequest:
        body: Json = {"model": batch.model, "input": list(batch.texts), "input_type": batch.kind, "truncation": True}
        return WireRequest(
            "/embeddings", body if batch.dimensions is None else {**body, "output_dimension": batch.dimensions}
        )
