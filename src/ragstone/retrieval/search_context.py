"""The sources of a search, and the models, deadlines and caller that belong to it."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial

from ragstone.config.deadlines import DEFAULT_DEADLINES, Deadlines
from ragstone.core.errors import UsageError
from ragstone.core.ports import Completion, Embedder, Reader, SparseEncoder, Store
from ragstone.core.types import Scope
from ragstone.providers.custom_embedder import CustomEmbedder
from ragstone.retrieval.reranking import GetReranking

REFUSED = "embedding_refused"
ModelName = tuple[str, str]  # model and variant
GetModel = Callable[[], Completion | None]


def get_no_model() -> None:
    """No language model is configured."""


def get_no_reranking(wanted: bool | str | None) -> None:
    """No reranker is configured; raises `UsageError` where one is asked for."""
    if wanted:
        raise UsageError("no reranker is configured: set rerank.model")


GetSparseEncoder = Callable[[], SparseEncoder]  # raises `UsageError` where there is none


def get_no_sparse_encoder() -> SparseEncoder:
    """No model of sparse vectors is configured."""
    raise UsageError("no model of sparse vectors is configured: set sparse.model, or use search.sparse bm25")


@dataclass(frozen=True, slots=True)
class Source:
    """One reader of a search: a collection, or a text column of an existing table.

    `open_view` opens one consistent view. `model_missing` says why there is no embedder. A source without
    `has_vectors` is searched by words alone. The rows of a table (`is_table`) come unchecked: their flags and secrets
    are found now, and a row is a document of which one passage is enough. `store` and `scope` are those of a
    collection, None for a table.
    """

    name: str
    open_view: Callable[[], AbstractAsyncContextManager[Reader]]
    embedder: Embedder | None = None
    model_missing: str | None = None
    has_vectors: bool = True
    is_table: bool = False
    store: Store | None = None
    scope: Scope | None = None

    @property
    def model(self) -> ModelName | None:
        """The model of the question's vector; None where there is no embedder."""
        return (self.embedder.model, self.embedder.variant) if self.embedder else None


def collection_source(
    store: Store, scope: Scope, embedder: Embedder | None, model_missing: str | None = None
) -> Source:
    """A collection as a source."""
    view = partial(store.reader, scope)
    return Source(scope.collection, view, embedder, model_missing, store=store, scope=scope)


@dataclass(frozen=True, slots=True)
class SearchContext:
    """The context of a search: one source or several, the deadlines, the language model that may help, what reranks
    the results, what makes sparse vectors, and `reader`, which names the caller: the semantic cache shows no caller the
    results of another."""

    sources: tuple[Source, ...]
    deadlines: Deadlines = DEFAULT_DEADLINES
    model: GetModel = get_no_model
    reader: str = ""
    reranking: GetReranking = get_no_reranking
    sparse: GetSparseEncoder = get_no_sparse_encoder

    @classmethod
    def of_collection(
        cls,
        store: Store,
        scope: Scope,
        embedder: Embedder | None,
        model_missing: str | None = None,
        *,
        deadlines: Deadlines = DEFAULT_DEADLINES,
        model: GetModel = get_no_model,
        reader: str = "",
        reranking: GetReranking = get_no_reranking,
        sparse: GetSparseEncoder = get_no_sparse_encoder,
    ) -> "SearchContext":
        """The context of one collection; `model_missing` says why there is no embedder."""
        source = collection_source(store, scope, embedder, model_missing)
        return cls((source,), deadlines, model, reader, reranking, sparse)

    @property
    def is_single(self) -> bool:
        """Whether there is one source: its notes need no name, and its failure is the search's."""
        return len(self.sources) == 1


def refusal_code(embedder: Embedder) -> str | None:
    """The code of a note about what an embedder refuses, such as a wrong key: the vendor or the settings must fix
    that, and keyword search works without it. None for one that was handed in: that is the caller's own mistake."""
    return None if isinstance(embedder, CustomEmbedder) else REFUSED
