"""The systems that are compared, each put together as its own documentation does it, around one and the same model.

Every system has `fill(folder, documents)`, which keeps a list of (id, text), and `ask(question)`, which gives ids, best
first, the same id at most once. A `mode` is one of `hybrid`, `keyword`, `semantic`.
"""

import asyncio
import re
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

DEPTH = 50  # candidates of each retriever
LONGEST = 1000  # characters of a piece, and
OVERLAP = 100  # of what two pieces share
Embed = Callable[[Sequence[str]], Any]


def unique(ids: Iterable[str]) -> list[str]:
    """Each id once, where it came first."""
    return list(dict.fromkeys(ids))


def words(text: str) -> list[str]:
    """Lower-case words, which rank-bm25 needs to be at its best."""
    return re.findall(r"\w+", text.lower())


class Ragstone:
    """This project with its defaults: an embedded store on disk."""

    def __init__(self, mode: str, _embed: Embed) -> None:
        import ragstone

        self._mode = mode
        self._folder = tempfile.TemporaryDirectory()
        self._loop = asyncio.new_event_loop()
        self._engine = ragstone.Engine(ragstone.load(store=f"{self._folder.name}/store"))

    def fill(self, folder: Path, _documents: Sequence[tuple[str, str]]) -> None:
        from ragstone.evaluation import BeirSource

        self._source = BeirSource(folder)
        self._loop.run_until_complete(self._engine.__aenter__())
        self._loop.run_until_complete(self._engine.ingest_source(self._source))

    def ask(self, question: str) -> list[str]:
        found = self._loop.run_until_complete(self._engine.search(question, mode=self._mode, top_k=DEPTH))
        return unique(self._source.id_of(hit.chunk.document.path) for hit in found.hits)


class LangChain:
    """Recursive splitter, FAISS and rank-bm25, fused by the ensemble retriever (reciprocal ranks)."""

    def __init__(self, mode: str, embed: Embed) -> None:
        from langchain_core.embeddings import Embeddings

        class Shared(Embeddings):
            def embed_documents(self, texts: list[str]) -> list[list[float]]:
                return [row.tolist() for row in embed(texts)]

            def embed_query(self, text: str) -> list[float]:
                return list(embed([text])[0].tolist())

        self._mode, self._embeddings = mode, Shared()

    def fill(self, _folder: Path, documents: Sequence[tuple[str, str]]) -> None:
        from langchain_community.retrievers import BM25Retriever
        from langchain_community.vectorstores import FAISS
        from langchain_core.documents import Document
        from langchain_text_splitters import RecursiveCharacterTextSplitter

        splitter = RecursiveCharacterTextSplitter(chunk_size=LONGEST, chunk_overlap=OVERLAP)
        pieces = splitter.split_documents([Document(text, metadata={"id": id_}) for id_, text in documents])
        legs: list[Any] = []
        if self._mode != "keyword":
            legs.append(FAISS.from_documents(pieces, self._embeddings).as_retriever(search_kwargs={"k": DEPTH}))
        if self._mode != "semantic":
            legs.append(BM25Retriever.from_documents(pieces, preprocess_func=words, k=DEPTH))
        if len(legs) == 1:
            self._retriever = legs[0]
        else:
            from langchain_classic.retrievers import EnsembleRetriever

            self._retriever = EnsembleRetriever(retrievers=legs)

    def ask(self, question: str) -> list[str]:
        return unique(found.metadata["id"] for found in self._retriever.invoke(question))


class LlamaIndex:
    """Sentence splitter, its vector index and its BM25 (bm25s, with stems), fused by reciprocal ranks."""

    def __init__(self, mode: str, embed: Embed) -> None:
        from llama_index.core.base.embeddings.base import BaseEmbedding

        class Shared(BaseEmbedding):
            def _get_text_embedding(self, text: str) -> list[float]:
                return list(embed([text])[0].tolist())

            def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
                return [row.tolist() for row in embed(texts)]

            def _get_query_embedding(self, query: str) -> list[float]:
                return self._get_text_embedding(query)

            async def _aget_query_embedding(self, query: str) -> list[float]:
                return self._get_text_embedding(query)

        self._mode, self._model = mode, Shared(embed_batch_size=64)

    def fill(self, _folder: Path, documents: Sequence[tuple[str, str]]) -> None:
        import Stemmer
        from llama_index.core import Document, VectorStoreIndex
        from llama_index.core.llms import MockLLM
        from llama_index.core.node_parser import SentenceSplitter
        from llama_index.core.retrievers import QueryFusionRetriever
        from llama_index.retrievers.bm25 import BM25Retriever

        splitter = SentenceSplitter(chunk_size=256, chunk_overlap=20)
        nodes = splitter.get_nodes_from_documents(
            [Document(text=text, metadata={}, id_=id_) for id_, text in documents]
        )
        legs: list[Any] = []
        if self._mode != "keyword":
            index = VectorStoreIndex(nodes, embed_model=self._model)
            legs.append(index.as_retriever(similarity_top_k=DEPTH))
        if self._mode != "semantic":
            stemmer = Stemmer.Stemmer("english")
            legs.append(BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=DEPTH, stemmer=stemmer))
        if len(legs) == 1:
            self._retriever = legs[0]
        else:
            self._retriever = QueryFusionRetriever(
                legs, llm=MockLLM(), num_queries=1, mode="reciprocal_rerank", similarity_top_k=DEPTH, use_async=False
            )

    def ask(self, question: str) -> list[str]:
        return unique(str(found.node.ref_doc_id) for found in self._retriever.retrieve(question))


class Haystack:
    """Its splitter by words, the store in memory with both retrievers, joined by reciprocal ranks."""

    def __init__(self, mode: str, embed: Embed) -> None:
        from haystack.document_stores.in_memory import InMemoryDocumentStore

        self._mode, self._embed = mode, embed
        self._store = InMemoryDocumentStore(embedding_similarity_function="cosine")

    def fill(self, _folder: Path, documents: Sequence[tuple[str, str]]) -> None:
        from haystack import Document
        from haystack.components.joiners import DocumentJoiner
        from haystack.components.preprocessors import DocumentSplitter
        from haystack.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever

        splitter = DocumentSplitter(split_by="word", split_length=150, split_overlap=15)
        pieces = splitter.run([Document(content=text, meta={"id": id_}) for id_, text in documents])["documents"]
        if self._mode != "keyword":
            for piece, row in zip(pieces, self._embed([piece.content for piece in pieces]), strict=True):
                piece.embedding = row.tolist()
        self._store.write_documents(pieces)
        self._vectors = InMemoryEmbeddingRetriever(self._store, top_k=DEPTH)
        self._keywords = InMemoryBM25Retriever(self._store, top_k=DEPTH)
        self._joiner = DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=DEPTH)

    def ask(self, question: str) -> list[str]:
        legs: list[Any] = []
        if self._mode != "keyword":
            vector = self._embed([question])[0].tolist()
            legs.append(self._vectors.run(query_embedding=vector)["documents"])
        if self._mode != "semantic":
            legs.append(self._keywords.run(query=question)["documents"])
        found = legs[0] if len(legs) == 1 else self._joiner.run(legs)["documents"]
        return unique(str(one.meta["id"]) for one in found)


class Txtai:
    """Its embeddings database with an external model, hybrid by its own weights; whole documents, as it keeps them."""

    def __init__(self, mode: str, embed: Embed) -> None:
        from txtai import Embeddings

        model = {"method": "external", "transform": lambda texts: embed(list(texts))}
        kinds = {"hybrid": {**model, "hybrid": True}, "keyword": {"keyword": True}, "semantic": model}
        self._embeddings = Embeddings(**kinds[mode])

    def fill(self, _folder: Path, documents: Sequence[tuple[str, str]]) -> None:
        self._embeddings.index([(id_, text, None) for id_, text in documents if text.strip()])

    def ask(self, question: str) -> list[str]:
        return unique(str(found[0]) for found in self._embeddings.search(question, DEPTH))


SYSTEMS: dict[str, Any] = {
    "ragstone": Ragstone,
    "langchain": LangChain,
    "llamaindex": LlamaIndex,
    "haystack": Haystack,
    "txtai": Txtai,
}
