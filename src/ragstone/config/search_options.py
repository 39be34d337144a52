"""How a question may be searched: what settings give it as defaults, and who asks may say otherwise."""

from dataclasses import dataclass
from typing import Literal

from ragstone.core.types import Hyde, Mode


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """`fusion` is rrf or minmax, weights are per leg; `fusion_at` server leaves both legs and their fusion to the
    store, where it can.

    `min_cosine` is a threshold on the raw cosine; `fold` puts near-duplicates behind the best of them;
    `per_document` is how many chunks of one document may be among the results.

    A language model may help: `hyde` searches with what it imagines as answers (`adaptive`: where the best cosine is
    under `hyde_below`), `multi_query` with so many paraphrases too, `filter` leaves out passages that it scores under
    `filter_below`. `cache` serves what a question that asks the same has found within
    `cache_hours` (0: however long ago), of at most `cache_entries`, at a cosine of `cache_cosine` or more.
    """

    mode: Mode = "hybrid"
    top_k: int = 10
    fusion: Literal["rrf", "minmax"] = "minmax"
    fusion_at: Literal["client", "server"] = "client"
    bm25_weight: float = 0.4
    cosine_weight: float = 0.6
    min_cosine: float | None = None
    keyword_boost: bool = False
    fold: bool = True
    per_document: int | None = None
    hyde: Hyde = "off"
    hyde_documents: int | None = None
    hyde_below: float = 0.5
    multi_query: int = 0
    filter: bool = False
    filter_below: float = 0.5
    cache: bool = False
    cache_cosine: float = 0.9
    cache_hours: float = 24.0
    cache_entries: int = 1000
