"""The candidates of all sources and variants become one ranking: by score within a model, by rank across models.

Sources whose vectors are of one model are one ranking: their candidates are fused by score. Rankings of different
models, those by stored sparse vectors and those without, those of different variants of the question, and those that
a store fused itself are fused by rank.
"""

from collections.abc import Hashable, Mapping, Sequence, Set
from dataclasses import dataclass

from ragstone.core.trace import Trace
from ragstone.core.types import Candidate, Chunk, Hit, total_order
from ragstone.retrieval.boosting import order_hits, place_of
from ragstone.retrieval.candidates import FUSED, Candidates, Signals, SourceRanking, SourceResult
from ragstone.retrieval.fusion_formulas import rrf
from ragstone.retrieval.question import Question
from ragstone.retrieval.ranking import add_rrf_signal, fuse_candidates, keep_first_of_row
from ragstone.retrieval.retriever_weights import scale_fused_to_rrf, scale_to_rrf

RankingKey = tuple[int, Hashable, bool]  # variant, model or source, fused by the store


@dataclass(frozen=True, slots=True)
class MergedRanking:
    """The candidates of all sources in one order, not yet limited, with their signals for the question as asked."""

    candidates: Sequence[Candidate]
    signals: Signals

    def make_hits(self, results: Sequence[SourceResult], most: int | None = None) -> list[Hit]:
        """The first hits in order, those of chunks that were read."""
        chunks = join_chunks(results)
        return [
            Hit(chunks[one.id], one.score, self.signals.get(one.id, {}))
            for one in self.candidates[:most]
            if one.id in chunks
        ]


def join_chunks(results: Sequence[SourceResult]) -> Mapping[str, Chunk]:
    """The chunks of all sources that were read so far."""
    if len(results) == 1:
        return results[0].chunks
    return {identity: chunk for result in results for identity, chunk in result.chunks.items()}


def merge_results(results: Sequence[SourceResult], question: Question) -> MergedRanking:
    """The candidates of all sources in one order. Where there are several, all chunks have been read."""
    signals = {identity: own for result in results for identity, own in result.signals.items()}
    left_out = list_left_out(results)
    by_key = group_rankings(results)
    fused_by_key = {key: fuse_group(group, question, left_out) for key, group in by_key.items()}
    groups, fused = _merge_fragments(by_key, fused_by_key)
    if len(fused) == 1:
        return MergedRanking(_order_candidates(fused[0]), signals)
    rows, chunks = list_rows(results), join_chunks(results)
    once = [_keep_rows_once(ranking, chunks, signals, rows) if rows else ranking for ranking in fused]
    merged = rrf({f"{number:03}": one for number, one in enumerate(once)})
    pairs = zip(fused, groups, strict=True)
    judged = [(one, _scale_of(group, question)) for one, group in pairs if has_two_retrievers(group)]
    return MergedRanking(merged, add_rrf_signal(merged, signals, judged, question) if judged else signals)


def list_left_out(results: Sequence[SourceResult]) -> frozenset[str]:
    """The candidates of all sources that cannot be shown."""
    return frozenset().union(*(result.left_out for result in results))


def list_rows(results: Sequence[SourceResult]) -> set[str]:
    """The ids of all documents that are rows of tables."""
    return {chunk.document.id for one in results if one.view.source.is_table for chunk in one.chunks.values()}


def is_fused_by_store(results: Sequence[SourceResult]) -> bool:
    """Whether every ranking is a store's own fusion."""
    return all(ranking.is_fused_by_store for result in results for ranking in result.rankings)


def group_rankings(results: Sequence[SourceResult]) -> dict[RankingKey, list[SourceRanking]]:
    """The rankings whose scores mean the same."""
    groups: dict[RankingKey, list[SourceRanking]] = {}
    for number, result in enumerate(results):
        for ranking in result.rankings:
            groups.setdefault(ranking_key(number, ranking), []).append(ranking)
    return groups


def ranking_key(number: int, ranking: SourceRanking) -> RankingKey:
    """The key that the rankings of a group share; `number` is that of the ranking's result."""
    by_model = ranking.source.model if ranking.has_vectors else None, ranking.sparse is not None
    return ranking.variant, number if ranking.is_fused_by_store else by_model, ranking.is_fused_by_store


def _merge_fragments(
    groups: Mapping[RankingKey, list[SourceRanking]], fused: Mapping[RankingKey, list[Candidate]]
) -> tuple[list[list[SourceRanking]], list[list[Candidate]]]:
    """The rankings, those of the question's fragments as one: each candidate once, with its best score."""
    joined: dict[Hashable, list[list[Candidate]]] = {}
    sources: dict[Hashable, list[SourceRanking]] = {}
    for key, group in groups.items():
        merged = ("fragments", *key[1:]) if group[0].is_fragment else key
        joined.setdefault(merged, []).append(fused[key])
        sources.setdefault(merged, []).extend(group)
    return list(sources.values()), [one[0] if len(one) == 1 else _keep_best(one) for one in joined.values()]


def _keep_best(rankings: Sequence[Sequence[Candidate]]) -> list[Candidate]:
    best: dict[str, Candidate] = {}
    for candidate in (one for ranking in rankings for one in ranking):
        if candidate.id not in best or candidate.score > best[candidate.id].score:
            best[candidate.id] = candidate
    return _order_candidates(list(best.values()))


def has_two_retrievers(group: Sequence[SourceRanking]) -> bool:
    """Whether two retrievers answered, in any of the rankings."""
    return any(one.has_two_retrievers for one in group) or len({name for one in group for name in one.candidates}) > 1


def _scale_of(group: Sequence[SourceRanking], question: Question) -> float:
    """What makes the scores of a ranking comparable with those of the others: each has its own retrievers."""
    names = {name for one in group for name in one.candidates}
    return scale_fused_to_rrf(question) if FUSED in names else scale_to_rrf(question, names)


def fuse_group(group: Sequence[SourceRanking], question: Question, left_out: Set[str]) -> list[Candidate]:
    """The candidates of rankings whose scores mean the same, in one order, without those that cannot be shown."""
    if len(group) == 1:
        signals, joined = group[0].signals, group[0].candidates
    else:
        signals = {identity: own for one in group for identity, own in one.signals.items()}
        joined = _join_candidates(group)
    known = {name: [candidate for candidate in found if candidate.id in signals] for name, found in joined.items()}
    words = max(one.words for one in group)
    fused = fuse_candidates(question, known, signals, words=words)
    return [candidate for candidate in fused if candidate.id not in left_out]


def _join_candidates(group: Sequence[SourceRanking]) -> Candidates:
    names = dict.fromkeys(name for one in group for name in one.candidates)
    return {
        name: sorted(
            (candidate for one in group for candidate in one.candidates.get(name, ())),
            key=lambda candidate: total_order(candidate.score, candidate.place),
        )
        for name in names
    }


def _order_candidates(ranking: Sequence[Candidate]) -> list[Candidate]:
    return sorted(ranking, key=lambda one: (*total_order(one.score, one.place), one.id))


def _keep_rows_once(
    ranking: Sequence[Candidate], chunks: Mapping[str, Chunk], signals: Signals, rows: Set[str]
) -> list[Candidate]:
    hits = [Hit(chunks[one.id], one.score, signals.get(one.id, {})) for one in ranking if one.id in chunks]
    hits = keep_first_of_row(order_hits(hits), rows)
    return [Candidate(hit.chunk.id, hit.score, place_of(hit)) for hit in hits]


def count_candidates(results: Sequence[SourceResult], merged: MergedRanking, trace: Trace) -> None:
    """Count the candidates of each retriever over all sources, and those that they were merged to."""
    for ranking in (ranking for one in results for ranking in one.rankings):
        for name, candidates in ranking.candidates.items():
            trace.count(name, len(candidates))
    trace.count("merged", len(merged.candidates))
