"""Where the vectors of a model stand: the active one's, or those of a second model beside it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tables:
    """Names of tables, and what the names in `meta` begin with."""

    vectors: str
    blocks: str
    meta: str


ACTIVE = Tables("vectors", "vector_blocks", "")
BESIDE = Tables("beside_vectors", "beside_blocks", "beside_")
