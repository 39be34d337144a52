"""The protocols between packages, by purpose. A package implements one of them; callers know nothing else of it.

A store has four protocols, each for one scope: `Reader` (one consistent view, for questions), `Writer` (changes of an
ingestion), `Ledger` (documents and runs), `Admin` (collections, repair, erasure). A fifth, `Keys`, finds the tenant of
a key.
"""

from ragstone.core.arrays import Vectors
from ragstone.core.ports.administration import Admin, CollectionModel, Keys, ReembeddingStore, Sealer, SealingStore
from ragstone.core.ports.documents import (
    Chunker,
    Extractor,
    GivenDocument,
    ListedFile,
    NotingSource,
    PeekingSource,
    RecallingSource,
    Source,
)
from ragstone.core.ports.jobs import Job, JobQueue, JobStatus, QueueingStore
from ragstone.core.ports.models import (
    Completion,
    CompletionResult,
    Embedder,
    Message,
    Prompt,
    Reranker,
    ScriptReader,
    SparseEncoder,
    SparseVector,
    Tokenizer,
    TokenMatcher,
    TokenMatches,
)
from ragstone.core.ports.reading import (
    Exporter,
    FusingReader,
    KeywordReader,
    Reader,
    SideBySideReader,
    StoredRevision,
    word_signal,
)
from ragstone.core.ports.search_cache import CachedSearch, SearchCache, SearchCachingStore
from ragstone.core.ports.sparse_index import SparseIndex, SparseIndexingStore, SparseReader, SparseState
from ragstone.core.ports.store import ArtifactStorage, CachingStore, IdentifiedStore, OutgrownStore, PlacedStore, Store
from ragstone.core.ports.writing import FileMemory, Filler, Ledger, Writer
from ragstone.core.ports.written_vectors import WrittenIndex, WrittenIndexingStore, WrittenReader

__all__ = [
    "Admin",
    "ArtifactStorage",
    "CachedSearch",
    "CachingStore",
    "Chunker",
    "CollectionModel",
    "Completion",
    "CompletionResult",
    "Embedder",
    "Exporter",
    "Extractor",
    "FileMemory",
    "Filler",
    "FusingReader",
    "GivenDocument",
    "IdentifiedStore",
    "Job",
    "JobQueue",
    "JobStatus",
    "Keys",
    "KeywordReader",
    "Ledger",
    "ListedFile",
    "Message",
    "NotingSource",
    "OutgrownStore",
    "PeekingSource",
    "PlacedStore",
    "Prompt",
    "QueueingStore",
    "Reader",
    "RecallingSource",
    "ReembeddingStore",
    "Reranker",
    "ScriptReader",
    "Sealer",
    "SealingStore",
    "SearchCache",
    "SearchCachingStore",
    "SideBySideReader",
    "Source",
    "SparseEncoder",
    "SparseIndex",
    "SparseIndexingStore",
    "SparseReader",
    "SparseState",
    "SparseVector",
    "Store",
    "StoredRevision",
    "TokenMatcher",
    "TokenMatches",
    "Tokenizer",
    "Vectors",
    "Writer",
    "WrittenIndex",
    "WrittenIndexingStore",
    "WrittenReader",
    "word_signal",
]
