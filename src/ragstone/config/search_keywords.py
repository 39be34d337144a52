"""The options of a search as keywords. `tests/house/test_search_keywords.py` writes this file."""

from typing import Literal, TypedDict


class SearchKeywords(TypedDict, total=False):
    """Options of a search; None and what is left out mean the setting's default."""

    mode: Literal["hybrid", "semantic", "keyword"] | None
    """Retrievers: hybrid (both), semantic (vectors) or keyword (words)."""
    top_k: int | None
    """How many passages a search gives."""
    fusion: Literal["minmax", "rrf"] | None
    """How the rankings become one: minmax (by score) or rrf (by rank)."""
    fusion_at: Literal["client", "server"] | None
    """Where they are fused: client, or server where the store can."""
    bm25_weight: float | None
    """Weight of the ranking by words."""
    cosine_weight: float | None
    """Weight of the ranking by vectors."""
    min_cosine: float | None
    """Leave out passages below this cosine."""
    keyword_boost: bool | None
    """Raise passages that hold the words of the question."""
    fold: bool | None
    """Put near-duplicates behind the best of them."""
    per_document: int | None
    """The most passages of one document."""
    hyde: Literal["off", "standard", "adaptive", "multi"] | None
    """Search by answers that the model imagines: off, standard, adaptive or multi."""
    hyde_documents: int | None
    """How many answers the model imagines [default: 1, of multi 3]."""
    hyde_below: float | None
    """Adaptive HyDE runs where the best cosine is under this."""
    multi_query: int | None
    """Search for this number of paraphrases by the model too."""
    filter: bool | None
    """Leave out passages that the model scores too low."""
    filter_below: float | None
    """The score from 0 to 1 under which the filter leaves a passage out."""
    cache: bool | None
    """Serve and keep the results of questions that ask the same."""
    cache_cosine: float | None
    """How near two questions must be for the cache."""
    cache_hours: float | None
    """How long the cache keeps a search; 0 for ever."""
    cache_entries: int | None
    """How many searches the cache keeps of a collection."""
