"""Voyage's wire: embeddings alone, which tell documents from questions."""

from __future__ import annotations

from ragstone.providers import openai
from ragstone.providers.wire_format import Batch, Call, Json


class Speech(openai.Speech):
    """Written from the API reference; not run against the service."""

    most = 128

    def embedded(self, batch: Batch) -> Call:
        body: Json = {"model": batch.model, "input": list(batch.texts), "input_type": batch.kind, "truncation": True}
        return Call("/embeddings", body if batch.dimensions is None else {**body, "output_dimension": batch.dimensions})
