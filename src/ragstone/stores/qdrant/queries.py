"""Queries of a reader to Qdrant, and the order of their results."""

from collections.abc import Sequence

import numpy as np
from qdrant_client import models

from ragstone.core.filters import Where
from ragstone.core.ports import Vectors
from ragstone.core.types import Chunk, Scope, total_order
from ragstone.stores import bm25
from ragstone.stores.cosine import Scores, cosines
from ragstone.stores.qdrant import points
from ragstone.stores.qdrant.filters import build_point_filter
from ragstone.stores.qdrant.points import scope_filter
from ragstone.stores.qdrant.space import Space

RankKey = tuple[float, str, str, int]


def score_passing(passing: Sequence[tuple[Chunk, Vectors]], query: Scores) -> list[tuple[RankKey, str]]:
    """Each chunk's place in the total order, and its id."""
    if not passing:
        return []
    found = cosines(np.stack([row for _, row in passing]), np.arange(len(passing)), query)
    return [
        (total_order(score, chunk_place(chunk)), chunk.id)
        for score, (chunk, _) in zip(np.round(found, bm25.DECIMALS).tolist(), passing, strict=True)
    ]


def build_prefetches(
    space: Space, scope: Scope, query: str, vector: list[float], where: Where, limit: int
) -> list[models.Prefetch]:
    """Both retrievers, one where the question has no word; rarity counts within this tenant's collection alone."""
    named, words = build_point_filter(scope, where), points.encode_sparse_query(query)
    own = models.SearchParams(idf=models.IdfCorpusParams(corpus=scope_filter(scope)))
    prefetches = [models.Prefetch(query=vector, using=space.dense or None, filter=named, limit=limit)]
    if words.indices:
        prefetches.append(models.Prefetch(query=words, using=space.sparse, filter=named, limit=limit, params=own))
    return prefetches


def chunk_place(chunk: Chunk) -> tuple[str, str, int]:
    """The place that breaks ties."""
    return chunk.document.path, chunk.document.source, chunk.ordinal
