"""Collections from one store to another, whole: nothing is extracted, chunked or embedded again."""

from ragstone.engine.transfer.checksums import KINDS, Sums
from ragstone.engine.transfer.copy_run import ALL_VERSIONS, CopyResult, CopyRoute, copy_collection, is_same_store
from ragstone.engine.transfer.plan import Changes

__all__ = ["ALL_VERSIONS", "KINDS", "Changes", "CopyResult", "CopyRoute", "Sums", "copy_collection", "is_same_store"]
