"""Where the vectors of a model stand: the active one's, or those of a second model beside it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class VectorTables:
    """Names of tables, and what the names in `meta` begin with."""

    vectors: str
    blocks: str
    meta: str


ACTIVE = VectorTables("vectors", "vector_blocks", "")
SECOND = VectorTables("beside_vectors", "beside_blocks", "beside_")
