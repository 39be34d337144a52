"""The optional stages of a search: which options leave each of them out. A new stage is one line here."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ragstone.config.validation import MANY


@dataclass(frozen=True, slots=True)
class SearchStage:
    """A stage, the options `without` it, and those that must hold for it to be there at all."""

    name: str
    without: Mapping[str, Any]
    needs: Mapping[str, Any] = field(default_factory=dict)

    def is_in_force(self, options: Mapping[str, Any]) -> bool:
        """Whether a search with these options has the stage; an option that is None is off.

        >>> SearchStage("near-duplicates", {"fold": False}).is_in_force({"fold": True})
        True
        """
        if any(options.get(name) != value for name, value in self.needs.items()):
            return False
        return any(options.get(name) not in (None, value) for name, value in self.without.items())


HYBRID = {"mode": "hybrid"}
SEARCH_STAGES = (
    SearchStage("vectors", {"mode": "keyword"}, HYBRID),
    SearchStage("keywords", {"mode": "semantic"}, HYBRID),
    SearchStage("fusion by score", {"fusion": "rrf"}, {**HYBRID, "fusion_at": "client", "fusion": "minmax"}),
    SearchStage("fusion by rank", {"fusion": "minmax"}, {**HYBRID, "fusion_at": "client", "fusion": "rrf"}),
    SearchStage("fusion by store", {"fusion_at": "client"}, HYBRID),
    SearchStage("feedback", {"feedback": 0.0}, {**HYBRID, "fusion_at": "client", "fusion": "minmax"}),
    SearchStage("headings", {"heading_weight": 0.0}),
    SearchStage("freshness", {"freshness_weight": 0.0}),
    SearchStage("metadata", {"metadata_weight": 0.0}),
    SearchStage("notes boost", {"notes_boost": 0.0}),
    SearchStage("spelling", {"correct_spelling": False}),
    SearchStage("fragments", {"fragments": False}),
    SearchStage("HyDE", {"hyde": "off"}),
    SearchStage("multi-query", {"multi_query": 0}),
    SearchStage("cosine threshold", {"min_cosine": -1.0}),
    SearchStage("keyword boost", {"keyword_boost": False}),
    SearchStage("injection penalty", {"risk_penalty": 0.0}),
    SearchStage("near-duplicates", {"fold": False}),
    SearchStage("limit per document", {"per_document": MANY}),
    SearchStage("term frequency", {"sparse": "bm25"}, {"sparse": "tf"}),
    SearchStage("SPLADE", {"sparse": "bm25"}, {"sparse": "splade"}),
    SearchStage("written vectors", {"written_vectors": False}),
    SearchStage("reranker", {"rerank": False}),
    SearchStage("LLM filter", {"filter": False}),
)
# Options that only say how a stage or a search works: leaving one out is no search.
PARAMETERS = frozenset(
    "profile top_k bm25_candidates cosine_candidates bm25_weight cosine_weight sparse_weight word_scale freshness_days "
    "hyde_documents hyde_below filter_below cache cache_cosine cache_hours cache_entries".split()
)


def list_stages(options: Mapping[str, Any], *, fixed: Iterable[str] = ()) -> Iterator[SearchStage]:
    """The stages that a search with these options has and that can be left out without touching a `fixed` option."""
    held = frozenset(fixed)
    return (stage for stage in SEARCH_STAGES if stage.is_in_force(options) and not held & stage.without.keys())
