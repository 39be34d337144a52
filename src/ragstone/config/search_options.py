"""The options of a search, each with its type, bounds, default and sentence of help."""

from dataclasses import dataclass
from typing import Annotated, Literal

from ragstone.config.validation import MANY, Option
from ragstone.core.types import Hyde, Mode


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """How a question is searched: settings give the defaults, a call may say otherwise."""

    mode: Annotated[Mode, Option("Retrievers: hybrid (both), semantic (vectors) or keyword (words).")] = "hybrid"
    top_k: Annotated[int, Option("How many passages a search gives.", 1, 1000)] = 10
    fusion: Annotated[
        Literal["minmax", "rrf"], Option("How the rankings become one: minmax (by score) or rrf (by rank).")
    ] = "minmax"
    fusion_at: Annotated[
        Literal["client", "server"], Option("Where they are fused: client, or server where the store can.")
    ] = "client"
    bm25_weight: Annotated[float, Option("Weight of the ranking by words.", 0, 1000)] = 0.4
    cosine_weight: Annotated[float, Option("Weight of the ranking by vectors.", 0, 1000)] = 0.6
    min_cosine: Annotated[float | None, Option("Leave out passages below this cosine.", -1, 1)] = None
    keyword_boost: Annotated[bool, Option("Raise passages that hold the words of the question.")] = False
    fold: Annotated[bool, Option("Put near-duplicates behind the best of them.")] = True
    per_document: Annotated[int | None, Option("The most passages of one document.", 1, MANY)] = None
    hyde: Annotated[Hyde, Option("Search by answers that the model imagines: off, standard, adaptive or multi.")] = (
        "off"
    )
    hyde_documents: Annotated[
        int | None, Option("How many answers the model imagines [default: 1, of multi 3].", 1, 20)
    ] = None
    hyde_below: Annotated[float, Option("Adaptive HyDE runs where the best cosine is under this.", -1, 1)] = 0.5
    multi_query: Annotated[int, Option("Search for this number of paraphrases by the model too.", 0, 20)] = 0
    filter: Annotated[bool, Option("Leave out passages that the model scores too low.")] = False
    filter_below: Annotated[
        float, Option("The score from 0 to 1 under which the filter leaves a passage out.", 0, 1)
    ] = 0.5
    cache: Annotated[bool, Option("Serve and keep the results of questions that ask the same.")] = False
    cache_cosine: Annotated[float, Option("How near two questions must be for the cache.", 0.85, 1)] = 0.9
    cache_hours: Annotated[float, Option("How long the cache keeps a search; 0 for ever.", 0, MANY)] = 24.0
    cache_entries: Annotated[int, Option("How many searches the cache keeps of a collection.", 1, 100_000)] = 1000
