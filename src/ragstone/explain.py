"""Why a document was, or was not, found: one question replayed with the limits taken away.

The stages are those of `ask.search`, in order: not there, filtered out, not nominated by a leg, below
the threshold, folded into a near-duplicate, capped by passages of a document, below the cut, found.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ragstone import ask
from ragstone.ask import Desk, Question
from ragstone.near import absent
from ragstone.ports import Reader, Vectors
from ragstone.trace import Trace
from ragstone.types import Chunk, Hit, Json, Note
from ragstone.where import Where, facts, matches

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


async def explain(desk: Desk, question: Question, *, path: str, source: str | None = None) -> Explanation:
    """The fate of the document at `path` for this question; without a source the first that has the path."""
    trace = Trace()
    vector = await ask.vector_of(desk, question, trace)
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
        return await _fate(reader, question, vector, passing, trace)


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
    reader: Reader, question: Question, vector: Vectors | None, chunks: Sequence[Chunk], trace: Trace
) -> Explanation:
    mine = {chunk.id: chunk for chunk in chunks}
    legs = await ask.legs(reader, question, vector, trace, limit=EVERYTHING)
    ranks = {
        leg: next((rank for rank, candidate in enumerate(found, 1) if candidate.id in mine), None)
        for leg, found in legs.items()
    }
    signals = await reader.rate(list(mine), vector=vector if "cosine" in legs else None, query=question.text)
    nominated = {leg: found[: question.depth] for leg, found in legs.items()}
    hits = await ask.gathered(reader, question, vector, nominated)
    final = ask.rank(hits, question)
    unlimited = ask.ordered(hits, replace(question, min_cosine=None, fold=False, per_document=None))
    best = next((hit.chunk for hit in unlimited if hit.chunk.id in mine), None) or _strongest(chunks, signals)
    stage, message, rank = _stage(question, mine, hits, final, unlimited)
    score = next((hit.score for hit in unlimited if hit.chunk.id == best.id), None)
    return Explanation(
        path=best.document.path,
        stage=stage,
        message=message,
        chunk=best.id,
        ordinal=best.ordinal,
        ranks=ranks,
        signals=signals.get(best.id, {}),
        filters=_verdicts(question.where, best),
        final_rank=rank,
        score=score,
        cut=_cut(final),
        notes=tuple(trace.notes),
    )


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
    return {"schema": 1, **out, "notes": [{"code": n.code, "message": n.message} for n in explanation.notes]}
