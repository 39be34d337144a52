"""The contract of a store, in sentences: inherit `StoreContract` and give it a `store` fixture.

Parts that need vectors, versions or snapshots are skipped by what the store's `capabilities` leave out.
"""

from ragstone.testing.stores.actions import (
    as_exporter,
    as_reembedding,
    create_collection,
    fill_second_model,
    fill_vectors,
    list_model_states,
    open_search_cache,
    read_texts,
    require_capabilities,
    require_keys,
    search_nearest,
    search_texts,
    write_revisions,
)
from ragstone.testing.stores.collections import CAPABILITIES, CollectionContract
from ragstone.testing.stores.documents import DocumentContract
from ragstone.testing.stores.exporting import ExportContract
from ragstone.testing.stores.keys import KeyContract
from ragstone.testing.stores.replacing import ReplaceContract
from ragstone.testing.stores.runs import RunContract
from ragstone.testing.stores.samples import (
    DIMENSION,
    EVERYTHING,
    MODEL,
    NEW_YEAR,
    OTHER,
    SCOPE,
    SECOND_DIMENSION,
    SECOND_MODEL,
    VARIANT,
    make_document,
    make_key,
    make_revision,
    make_search,
    make_vector,
    make_vector_key,
    make_wide_vector,
)
from ragstone.testing.stores.search_cache import SearchCacheContract
from ragstone.testing.stores.searching import SearchContract
from ragstone.testing.stores.second_model import SecondModelContract
from ragstone.testing.stores.sparse_index import SparseIndexContract, fill_sparse, make_sparse, search_sparse
from ragstone.testing.stores.vectors import VectorContract
from ragstone.testing.stores.versions import VersionContract
from ragstone.testing.stores.written_index import WrittenIndexContract, fill_written, make_written, search_written

__all__ = [
    "CAPABILITIES",
    "DIMENSION",
    "EVERYTHING",
    "MODEL",
    "NEW_YEAR",
    "OTHER",
    "SCOPE",
    "SECOND_DIMENSION",
    "SECOND_MODEL",
    "VARIANT",
    "StoreContract",
    "as_exporter",
    "as_reembedding",
    "create_collection",
    "fill_second_model",
    "fill_sparse",
    "fill_vectors",
    "fill_written",
    "list_model_states",
    "make_document",
    "make_key",
    "make_revision",
    "make_search",
    "make_sparse",
    "make_vector",
    "make_vector_key",
    "make_wide_vector",
    "make_written",
    "open_search_cache",
    "read_texts",
    "require_capabilities",
    "require_keys",
    "search_nearest",
    "search_sparse",
    "search_texts",
    "search_written",
    "write_revisions",
]


class StoreContract(
    CollectionContract,
    DocumentContract,
    ReplaceContract,
    VersionContract,
    ExportContract,
    SecondModelContract,
    SparseIndexContract,
    WrittenIndexContract,
    SearchContract,
    VectorContract,
    RunContract,
    SearchCacheContract,
    KeyContract,
):
    """Every store must pass. Override `store`; override `open_empty_store` when it has versions, and `key_store` when
    another role than that of `store` makes keys."""
