"""llama.cpp's wire format of rerankers: Jina's shape with raw logits. For all else it speaks OpenAI's language."""

from __future__ import annotations

from ragstone.providers import jina
from ragstone.providers.score_scales import Scale


class Reranking(jina.Reranking):
    """The `/v1/rerank` of its server, started with `--reranking`."""

    mend = "start the server with --reranking and a model that reranks"

    def scale_of(self, model: str) -> Scale:  # noqa: ARG002  # it normalises no model's scores
        return "logit"
