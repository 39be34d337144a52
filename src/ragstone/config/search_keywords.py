"""The options of a search as keywords. `tests/house/test_search_keywords.py` writes this file."""

from typing import Literal, TypedDict


class SearchKeywords(TypedDict, total=False):
    """Options of a search; None and what is left out mean the setting's default."""

    mode: Literal["hybrid", "semantic", "keyword"] | None
    """Retrievers: hybrid (both), semantic (vectors) or keyword (words)."""
    fusion: Literal["minmax", "rrf"] | None
    """Fusion of the rankings: minmax (by score) or rrf (by rank)."""
    bm25_candidates: int | None
    """Candidates by words [default: 5 times top_k, at least 50]."""
    cosine_candidates: int | None
    """Candidates by vectors [default: 5 times top_k, at least 50]."""
    bm25_weight: float | None
    """Weight of the keyword ranking (BM25)."""
    cosine_weight: float | None
    """Weight of the vector ranking (cosine)."""
    sparse_weight: float | None
    """Weight of the ranking by stored sparse vectors."""
    word_scale: Literal["coverage", "best", "range"] | None
    """Scale of word scores in minmax: best (share of the best), coverage (less if few words match) or range."""
    feedback: float | None
    """Weight of the first 3 passages in ordering the candidates anew (minmax); 0 for off."""
    heading_weight: float | None
    """Weight of a heading or title that is the question or its topic; 0 for off."""
    freshness_weight: float | None
    """Weight of the document's age."""
    freshness_days: float | None
    """Days after which a document is half as fresh."""
    metadata_weight: float | None
    """Weight of the question's words in title, tags, project, type and path."""
    notes_boost: float | None
    """Share of its score that a note or policy gains."""
    per_document: int | None
    """Maximum number of passages per document."""
    profile: str | None
    """Profile that sets the options of ranking: a built-in name or one of `profiles`."""
    top_k: int | None
    """Number of passages to return."""
    correct_spelling: bool | None
    """Search for the word of the passages where a word of the question is a slip away from it."""
    fragments: bool | None
    """Search for each sentence or part of the question by itself."""
    fusion_at: Literal["client", "server"] | None
    """Where to fuse them: client, or server if the store supports it."""
    sparse: Literal["bm25", "tf", "splade"] | None
    """Score of the keyword candidates: bm25, tf (term frequency alone) or splade (the model of sparse)."""
    written_vectors: bool | None
    """Compare with the vectors of summaries and questions too [default: where they are kept]."""
    min_cosine: float | None
    """Drop passages below this cosine."""
    keyword_boost: bool | None
    """Boost passages that contain the words of the question."""
    risk_penalty: float | None
    """Share of its score that a passage loses if it is surely an injection."""
    fold: bool | None
    """Group near-duplicates under the best of them."""
    hyde: Literal["off", "standard", "adaptive", "multi"] | None
    """HyDE, a search with answers that the model imagines: off, standard, adaptive or multi."""
    hyde_documents: int | None
    """Number of imagined answers [default: 1; 3 for multi]."""
    hyde_below: float | None
    """Run adaptive HyDE if the best cosine is below this."""
    multi_query: int | None
    """Also search for this number of paraphrases by the model."""
    filter: bool | None
    """Drop passages that the model scores too low."""
    filter_below: float | None
    """Score from 0 to 1 below which the filter drops a passage."""
    rerank: bool | str | None
    """Reranker: on, off, llm or VENDOR/MODEL [default: on if rerank.model is set]."""
    cache: bool | None
    """Reuse the results of earlier questions with the same meaning."""
    cache_cosine: float | None
    """Lowest cosine of two questions for a cache hit."""
    cache_hours: float | None
    """Hours that a search stays cached; 0 for ever."""
    cache_entries: int | None
    """Maximum number of cached searches per collection."""
