"""The contract of a store, in sentences: inherit `StoreContract` and give it a `store` fixture.

Parts that need vectors, versions or snapshots are skipped by what the store's `capabilities` leave out.
"""

from ragstone.testing.stores.acts import (
    contents,
    created,
    fill_second,
    filled,
    giving,
    near,
    needs,
    needs_keys,
    remembering,
    states,
    texts_of,
    two_models,
    written,
)
from ragstone.testing.stores.collections import CAPABILITIES, Collections
from ragstone.testing.stores.documents import Documents
from ragstone.testing.stores.given_out import GivenOut
from ragstone.testing.stores.keys import KeysOfTenants
from ragstone.testing.stores.made import (
    DIMENSION,
    EVERYTHING,
    MODEL,
    NEW_YEAR,
    OTHER,
    SCOPE,
    SECOND,
    VARIANT,
    WIDER,
    key_of,
    make_document,
    make_key,
    make_revision,
    searched,
    vector_of,
    wide,
)
from ragstone.testing.stores.replacing import Replacing
from ragstone.testing.stores.runs import Runs
from ragstone.testing.stores.searches import Searches
from ragstone.testing.stores.searching import Searching
from ragstone.testing.stores.second_model import SecondModel
from ragstone.testing.stores.vectors import VectorsOfChunks
from ragstone.testing.stores.versions import Versions

__all__ = [
    "CAPABILITIES",
    "DIMENSION",
    "EVERYTHING",
    "MODEL",
    "NEW_YEAR",
    "OTHER",
    "SCOPE",
    "SECOND",
    "VARIANT",
    "WIDER",
    "StoreContract",
    "contents",
    "created",
    "fill_second",
    "filled",
    "giving",
    "key_of",
    "make_document",
    "make_key",
    "make_revision",
    "near",
    "needs",
    "needs_keys",
    "remembering",
    "searched",
    "states",
    "texts_of",
    "two_models",
    "vector_of",
    "wide",
    "written",
]


class StoreContract(
    Collections,
    Documents,
    Replacing,
    Versions,
    GivenOut,
    SecondModel,
    Searching,
    VectorsOfChunks,
    Runs,
    Searches,
    KeysOfTenants,
):
    """Every store must pass. Override `store`; override `another` when it has versions, and `keeper` when another role
    than that of `store` makes keys."""
