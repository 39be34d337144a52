"""What several parts found becomes one ranking: by score within a model, by rank across models, each row once."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace

from ragstone import retrieval
from ragstone.config.deadlines import USUAL, Deadlines
from ragstone.core.ports import Embedder, Reader, Vectors
from ragstone.core.types import Candidate, Chunk, Hit, total_order
from ragstone.retrieval.boosting import place
from ragstone.retrieval.question import Question
from ragstone.retrieval.ranking import fuse, judgeable, ordered

Model = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Part:
    """One reader of a panel. Without `vectors` it is asked by keyword alone. `raw` says that nobody looked at its
    texts before: flags and secrets are found now, and its rows are documents of which one passage is enough."""

    name: str
    view: Callable[[], AbstractAsyncContextManager[Reader]]
    embedder: Embedder | None
    model_missing: str | None = None
    vectors: bool = True
    raw: bool = False
    deadlines: Deadlines = USUAL

    @property
    def model(self) -> Model | None:
        """Whose vectors it holds."""
        return (self.embedder.model, self.embedder.variant) if self.embedder else None


@dataclass(frozen=True, slots=True)
class Told:
    """What one part brought for one wording of the question, by its number: candidates of each leg, all their signals,
    their chunks. `own` are their signals for the question as it was asked, where that is another wording."""

    part: Part
    reader: Reader
    vector: Vectors | None
    legs: Mapping[str, Sequence[Candidate]]
    signals: Mapping[str, Mapping[str, float]]
    chunks: Mapping[str, Chunk]
    wording: int = 0
    own: Mapping[str, Mapping[str, float]] | None = None

    @property
    def ranking(self) -> Model | None:
        """Parts with the same are one ranking; None where no vectors were compared."""
        return self.part.model if "cosine" in self.legs else None


def ranked(told: Sequence[Told], question: Question) -> list[Hit]:
    """The hits of all parts: one ranking of each model and wording, then these by rank; rows and texts once; cut to
    the limit."""
    groups: dict[tuple[Model | None, int], list[Told]] = {}
    for one in told:
        groups.setdefault((one.ranking, one.wording), []).append(one)
    # Folding and caps come last, over all of them.
    alone = replace(question, fold=False, per_document=None)
    raw = {chunk.document.id for one in told if one.part.raw for chunk in one.chunks.values()}
    rankings = [_once(ordered(_fused(group, question), alone), raw) for group in groups.values()]
    hits = rankings[0] if len(rankings) == 1 else _once(_by_rank(rankings), raw)
    if len(rankings) > 1:
        judged = [_candidates(one) for one, group in zip(rankings, groups.values(), strict=True) if _two_legged(group)]
        hits = judgeable(hits, judged, question)
    if question.fold:
        hits = retrieval.fold(hits)
    if question.per_document is not None:
        hits = retrieval.capped(hits, per_document=question.per_document)
    return hits[: question.top_k]


def _two_legged(group: Sequence[Told]) -> bool:
    return len({leg for one in group for leg in one.legs}) > 1


def _fused(group: Sequence[Told], question: Question) -> list[Hit]:
    """The candidates of parts whose scores mean the same."""
    names = dict.fromkeys(leg for one in group for leg in one.legs)
    legs = {
        leg: sorted(
            (candidate for one in group for candidate in one.legs.get(leg, ())),
            key=lambda candidate: total_order(candidate.score, candidate.place),
        )
        for leg in names
    }
    signals = {identity: own for one in group for identity, own in one.signals.items()}
    chunks = {identity: chunk for one in group for identity, chunk in one.chunks.items()}
    known = {leg: [candidate for candidate in found if candidate.id in signals] for leg, found in legs.items()}
    fused = [candidate for candidate in fuse(question, known, signals) if candidate.id in chunks]
    shown = {identity: own for one in group for identity, own in (one.own or one.signals).items()}
    hits = [Hit(chunks[candidate.id], candidate.score, shown.get(candidate.id, {})) for candidate in fused]
    return retrieval.ordered(hits)


def _by_rank(rankings: Sequence[Sequence[Hit]]) -> list[Hit]:
    """Rankings whose scores cannot be compared: only who came where counts."""
    hits = {hit.chunk.id: hit for ranking in rankings for hit in ranking}
    legs = {str(number): _candidates(ranking) for number, ranking in enumerate(rankings)}
    return retrieval.ordered([replace(hits[one.id], score=one.score) for one in retrieval.rrf(legs)])


def _candidates(ranking: Sequence[Hit]) -> list[Candidate]:
    return [Candidate(hit.chunk.id, hit.score, place(hit)) for hit in ranking]


def _once(hits: Sequence[Hit], rows: set[str]) -> list[Hit]:
    """A row that several columns found stays once, where it is best; the others are its duplicates."""
    first: dict[str, int] = {}
    out: list[Hit] = []
    for hit in hits:
        document = hit.chunk.document
        if document.id not in rows or document.id not in first:
            first.setdefault(document.id, len(out))
            out.append(hit)
            continue
        best = out[first[document.id]]
        also = (document.source, document.path, hit.chunk.ordinal)
        out[first[document.id]] = replace(best, duplicates=(*best.duplicates, also, *hit.duplicates))
    return out
