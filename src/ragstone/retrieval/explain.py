"""Why a document was, or was not, found: one question replayed with the limits taken away.

The stages are those of `ask.search`, in order: not there, filtered out, not nominated by a leg, below
the threshold, folded into a near-duplicate, capped by passages of a document, below the cut, judged useless by a
language model, found.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import asdict, dataclass, field, replace

from ragstone.core.filter_matching import facts, matches
from ragstone.core.filters import Where
from ragstone.core.ports import Reader, Vectors
from ragstone.core.suggestions import absent
from ragstone.core.trace import Trace
from ragstone.core.types import Chunk, Hit, Json, Note, Step
from ragstone.retrieval import ranking, search, semantic_cache
from ragstone.retrieval.candidates import candidates_of, comparable, nominations
from ragstone.retrieval.query_expansion import Wording
from ragstone.retrieval.question import Question
from ragstone.retrieval.search_context import Desk

EVERYTHING = 1_000_000


@dataclass(frozen=True, slots=True)
class Explanation:
    """What happened to the best chunk of a document. `ranks` count from 1 in each leg over all chunks that
    pass the filters; `filters` says for each group of the filter whether the chunk passes it."""

    path: str
    stage: str
    message: str
    chunk: str | None = None
    ordinal: int | None = None
    ranks: Mapping[str, int | None] = field(default_factory=dict)
    signals: Mapping[str, float] = field(default_factory=dict)
    filters: Mapping[str, bool] = field(default_factory=dict)
    final_rank: int | None = None
    score: float | None = None
    cut: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    steps: tuple[Step, ...] = ()


async def explain(desk: Desk, question: Question, *, path: str, source: str | None = None) -> Explanation:
    """The fate of the document at `path` for this question; without a source the first that has the path."""
    trace = Trace()
    vector = await search.vector_of(desk, question, trace)
    await semantic_cache.told(desk, question, vector, trace)
    question = replace(question, fusion_at="client")  # where ranks of legs can be told
    words = await search.worded(desk, question, vector, trace)
    async with desk.store.reader(desk.scope) as reader:
        chunks = await _chunks_of(reader, path, source)
        if not chunks:
            known = [document.path for document in await desk.store.ledger(desk.scope).documents(source)]
            return Explanation(path, "not_there", f"{absent(path, known)} (see ragstone collections documents)")
        passing = [chunk for chunk in chunks if matches(question.where, facts(chunk))]
        if not passing:
            verdicts = _verdicts(question.where, chunks[0])
            failed = ", ".join(name for name, passes in verdicts.items() if not passes)
            return Explanation(path, "filtered", f"every chunk is excluded by the filter: {failed}", filters=verdicts)
        fate, final = await _fate(desk, reader, question, words, vector, passing, trace)
    if fate.stage == "found" and question.filter:
        fate = await _judged(desk, question, fate, final, {chunk.id for chunk in passing}, trace)
    return replace(fate, notes=tuple(trace.notes), steps=tuple(trace.steps))


async def _judged(
    desk: Desk, question: Question, fate: Explanation, final: Sequence[Hit], mine: Set[str], trace: Trace
) -> Explanation:
    """The same after a language model has judged the results."""
    kept = await search.useful(desk.model, question, final, trace, seconds=desk.deadlines.rewrite)
    rank = next((n for n, hit in enumerate(kept, 1) if hit.chunk.id in mine), None)
    if rank is not None:
        return replace(fate, message=f"found at rank {rank} of {len(kept)}", final_rank=rank)
    scored = dict(zip(trace.steps[-1].texts, trace.steps[-1].scores, strict=True))
    best = max(scored[hit.chunk.id] for hit in final if hit.chunk.id in mine)
    said = f"the language model scored it {best:g}, below filter_below {question.filter_below:g}"
    return replace(fate, stage="judged", message=said, final_rank=None)


async def _chunks_of(reader: Reader, path: str, source: str | None) -> list[Chunk]:
    first = await reader.at(path, 0, source=source)
    chunks = [first] if first is not None else []
    while chunks:
        following = await reader.at(path, len(chunks), source=chunks[0].document.source)
        if following is None:
            break
        chunks.append(following)
    return chunks


def _verdicts(where: Where, chunk: Chunk) -> dict[str, bool]:
    """Each group of the filter on its own."""
    empty = Where()
    out = {"confidentiality": matches(replace(empty, allow_restricted=where.allow_restricted), facts(chunk))}
    for name in Where.__dataclass_fields__:
        value = getattr(where, name)
        if value == getattr(empty, name) or name in ("tag_mode", "logic", "allow_restricted"):
            continue
        alone = replace(empty, allow_restricted=True, tag_mode=where.tag_mode, logic=where.logic, **{name: value})
        out[name] = matches(alone, facts(chunk))
    return out


async def _fate(
    desk: Desk,
    reader: Reader,
    question: Question,
    words: Sequence[Wording],
    vector: Vectors | None,
    chunks: Sequence[Chunk],
    trace: Trace,
) -> tuple[Explanation, list[Hit]]:
    """What happened before a model judged, and the results by then."""
    mine = {chunk.id: chunk for chunk in chunks}
    meaning = comparable(desk, await reader.info(), words[0].vector, trace)
    legs = await nominations(reader, question, meaning, trace, limit=EVERYTHING)
    ranks = {
        leg: next((rank for rank, candidate in enumerate(found, 1) if candidate.id in mine), None)
        for leg, found in legs.items()
    }
    signals = await reader.rate(list(mine), vector=vector if "cosine" in legs else None, query=question.text)
    hits = await candidates_of(desk, reader, question, words, vector, trace)
    final = ranking.rank(hits, question)
    unlimited = ranking.ordered(hits, replace(question, min_cosine=None, fold=False, per_document=None))
    best = next((hit.chunk for hit in unlimited if hit.chunk.id in mine), None) or _strongest(chunks, signals)
    stage, message, rank = _stage(question, mine, hits, final, unlimited)
    fate = Explanation(
        path=best.document.path,
        stage=stage,
        message=message,
        chunk=best.id,
        ordinal=best.ordinal,
        ranks=ranks,
        signals=signals.get(best.id, {}),
        filters=_verdicts(question.where, best),
        final_rank=rank,
        score=next((hit.score for hit in unlimited if hit.chunk.id == best.id), None),
        cut=_cut(final),
    )
    return fate, final


def _strongest(chunks: Sequence[Chunk], signals: Mapping[str, Mapping[str, float]]) -> Chunk:
    def strength(chunk: Chunk) -> tuple[float, float, int]:
        own = signals.get(chunk.id, {})
        return (own.get("cosine", 0.0), own.get("bm25", 0.0), -chunk.ordinal)

    return max(chunks, key=strength)


def _cut(final: Sequence[Hit]) -> dict[str, float]:
    """The weakest result that was still shown."""
    return {"score": final[-1].score, **final[-1].signals} if final else {}


def _stage(
    question: Question, mine: Mapping[str, Chunk], hits: Sequence[Hit], final: Sequence[Hit], unlimited: Sequence[Hit]
) -> tuple[str, str, int | None]:
    for rank, hit in enumerate(final, 1):
        if hit.chunk.id in mine:
            return "found", f"found at rank {rank} of {len(final)}", rank
    if not any(hit.chunk.id in mine for hit in hits):
        return "not_nominated", f"no leg ranked it among its first {question.depth} candidates", None
    places = {(c.document.source, c.document.path, c.ordinal) for c in mine.values()}
    for rank, hit in enumerate(final, 1):
        if places.intersection(hit.duplicates):
            return "folded", f"folded into the nearly equal {hit.chunk.document.path} at rank {rank}", rank
    rank = next(r for r, hit in enumerate(unlimited, 1) if hit.chunk.id in mine)
    low = question.min_cosine
    if low is not None and all(h.signals.get("cosine", -1) < low for h in hits if h.chunk.id in mine):
        return "below_threshold", f"its cosine is below the threshold {low}", rank
    if question.per_document is not None and rank <= question.top_k:
        return "capped", f"ranked {rank}, but its document already has {question.per_document} results", rank
    return "below_cut", f"ranked {rank}, below the first {question.top_k}", rank


def to_json(explanation: Explanation) -> Json:
    """Plain data for the command line and the wire."""
    out = {name: getattr(explanation, name) for name in Explanation.__dataclass_fields__}
    told = {"notes": [{"code": n.code, "message": n.message} for n in explanation.notes]}
    return {"schema": 1, **out, **told, "steps": [asdict(step) for step in explanation.steps]}
