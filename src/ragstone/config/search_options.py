"""The options of a search, each with its type, bounds, default and sentence of help."""

from dataclasses import dataclass
from typing import Annotated, Literal

from ragstone.config.validation import MANY, Option
from ragstone.core.types import Hyde, Mode


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingOptions:
    """How candidates are found and ordered: the options that a profile sets."""

    mode: Annotated[Mode, Option("Retrievers: hybrid (both), semantic (vectors) or keyword (words).")] = "hybrid"
    fusion: Annotated[
        Literal["minmax", "rrf"], Option("Fusion of the rankings: minmax (by score) or rrf (by rank).")
    ] = "minmax"
    bm25_candidates: Annotated[
        int | None, Option("Candidates by words [default: 5 times top_k, at least 50].", 0, 10_000)
    ] = None
    cosine_candidates: Annotated[
        int | None, Option("Candidates by vectors [default: 5 times top_k, at least 50].", 0, 10_000)
    ] = None
    bm25_weight: Annotated[float, Option("Weight of the keyword ranking (BM25).", 0, 1000)] = 0.4
    cosine_weight: Annotated[float, Option("Weight of the vector ranking (cosine).", 0, 1000)] = 0.6
    sparse_weight: Annotated[float, Option("Weight of the ranking by stored sparse vectors.", 0, 1000)] = 0.4
    word_scale: Annotated[
        Literal["coverage", "best", "range"],
        Option(
            "Scale of word scores in minmax: best (share of the best), coverage (less if few words match) or range."
        ),
    ] = "coverage"
    feedback: Annotated[
        float, Option("Weight of the first 3 passages in ordering the candidates anew (minmax); 0 for off.", 0, 10)
    ] = 0.6
    heading_weight: Annotated[
        float, Option("Weight of a heading or title that is the question or its topic; 0 for off.", 0, 1000)
    ] = 1.0
    freshness_weight: Annotated[float, Option("Weight of the document's age.", 0, 1000)] = 0.0
    freshness_days: Annotated[float, Option("Days after which a document is half as fresh.", 0.01, 100_000)] = 90.0
    metadata_weight: Annotated[
        float, Option("Weight of the question's words in title, tags, project, type and path.", 0, 1000)
    ] = 0.0
    notes_boost: Annotated[float, Option("Share of its score that a note or policy gains.", 0, 1000)] = 0.0
    per_document: Annotated[int | None, Option("Maximum number of passages per document.", 1, MANY)] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions(RankingOptions):
    """How a question is searched: settings give the defaults, a call may say otherwise."""

    profile: Annotated[
        str, Option("Profile that sets the options of ranking: a built-in name or one of `profiles`.", not_blank=True)
    ] = "balanced"
    top_k: Annotated[int, Option("Number of passages to return.", 1, 1000)] = 10
    correct_spelling: Annotated[
        bool, Option("Search for the word of the passages where a word of the question is a slip away from it.")
    ] = True
    fragments: Annotated[bool, Option("Search for each sentence or part of the question by itself.")] = False
    fusion_at: Annotated[
        Literal["client", "server"], Option("Where to fuse them: client, or server if the store supports it.")
    ] = "client"
    sparse: Annotated[
        Literal["bm25", "tf", "splade"],
        Option("Score of the keyword candidates: bm25, tf (term frequency alone) or splade (the model of sparse)."),
    ] = "bm25"
    written_vectors: Annotated[
        bool | None, Option("Compare with the vectors of summaries and questions too [default: where they are kept].")
    ] = None
    min_cosine: Annotated[float | None, Option("Drop passages below this cosine.", -1, 1)] = None
    keyword_boost: Annotated[bool, Option("Boost passages that contain the words of the question.")] = False
    risk_penalty: Annotated[
        float, Option("Share of its score that a passage loses if it is surely an injection.", 0, 1)
    ] = 0.0
    fold: Annotated[bool, Option("Group near-duplicates under the best of them.")] = True
    hyde: Annotated[
        Hyde, Option("HyDE, a search with answers that the model imagines: off, standard, adaptive or multi.")
    ] = "off"
    hyde_documents: Annotated[int | None, Option("Number of imagined answers [default: 1; 3 for multi].", 1, 20)] = None
    hyde_below: Annotated[float, Option("Run adaptive HyDE if the best cosine is below this.", -1, 1)] = 0.5
    multi_query: Annotated[int, Option("Also search for this number of paraphrases by the model.", 0, 20)] = 0
    filter: Annotated[bool, Option("Drop passages that the model scores too low.")] = False
    filter_below: Annotated[float, Option("Score from 0 to 1 below which the filter drops a passage.", 0, 1)] = 0.5
    rerank: Annotated[
        bool | str | None,
        Option("Reranker: on, off, llm or VENDOR/MODEL [default: on if rerank.model is set]."),
    ] = None
    cache: Annotated[bool, Option("Reuse the results of earlier questions with the same meaning.")] = False
    cache_cosine: Annotated[float, Option("Lowest cosine of two questions for a cache hit.", 0.85, 1)] = 0.9
    cache_hours: Annotated[float, Option("Hours that a search stays cached; 0 for ever.", 0, MANY)] = 24.0
    cache_entries: Annotated[int, Option("Maximum number of cached searches per collection.", 1, 100_000)] = 1000
