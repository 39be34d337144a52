"""What hayhooks serves: Haystack's store in memory, read from a file, both retrievers joined by reciprocal ranks."""

import os
from typing import Any

from hayhooks import BasePipelineWrapper
from haystack.components.joiners import DocumentJoiner
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from haystack.document_stores.in_memory import InMemoryDocumentStore
from shared_model import embed

RESULTS = 10


class PipelineWrapper(BasePipelineWrapper):
    """A pipeline as hayhooks finds it in its folder."""

    def setup(self) -> None:
        """Read the store that `servers.py` filled."""
        store = InMemoryDocumentStore.load_from_disk(os.environ["SERVED_STORE"])
        self._vectors = InMemoryEmbeddingRetriever(store, top_k=RESULTS)
        self._keywords = InMemoryBM25Retriever(store, top_k=RESULTS)
        self._joiner = DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=RESULTS)

    def run_api(self, query: str) -> list[dict[str, Any]]:
        """The ten best passages."""
        near = self._vectors.run(query_embedding=embed([query])[0].tolist())["documents"]
        same = self._keywords.run(query=query)["documents"]
        found = self._joiner.run([near, same])["documents"]
        return [{"content": one.content, "score": one.score, "meta": one.meta} for one in found]
