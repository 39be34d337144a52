"""What one view nominates for a question: each leg, what the store fuses itself, and all wordings together."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

from ragstone import retrieval
from ragstone.core.errors import StoreError
from ragstone.core.ports import Embedder, Fusing, Reader, Vectors, Worded
from ragstone.core.trace import Trace
from ragstone.core.types import Candidate, Hit, Info
from ragstone.retrieval.query_expansion import Wording
from ragstone.retrieval.question import Question
from ragstone.retrieval.ranking import fuse, judgeable
from ragstone.retrieval.search_context import Asking

FUSED = "fused"  # the one leg of a store that fuses itself


async def candidates_of(
    desk: Asking,
    reader: Reader,
    question: Question,
    words: Sequence[Wording],
    vector: Vectors | None,
    trace: Trace,
) -> list[Hit]:
    """All that one view nominates, in order: the ranking of the question, or those of its wordings fused by rank.

    Signals are those of the question as it was asked, whatever it was searched by: thresholds and abstentions are
    fitted to them.
    """
    info, seconds = await reader.info(), desk.deadlines.leg
    own = comparable(desk, info, vector, trace)
    rankings, judged = [], []
    for one in words:
        asked = question if one.text == question.text else replace(question, text=one.text)
        meaning = own if one.vector is vector else comparable(desk, info, one.vector, trace)
        nominated = await _by_the_store(reader, asked, meaning, trace, seconds=seconds)
        if nominated is None:
            nominated = await nominations(reader, asked, meaning, trace, limit=question.depth, seconds=seconds)
        with trace.timed("rank"):
            if len(words) == 1 and meaning is own:
                return await gathered(reader, asked, own, nominated)
            rankings.append(await _ranked(reader, asked, meaning, nominated))
            judged += rankings[-1:] if len(nominated) > 1 else []
    with trace.timed("rank"):
        hits = await _across(reader, question, own, rankings)
    return judgeable(hits, judged, question) if len(words) > 1 else hits


async def _ranked(
    reader: Reader, question: Question, vector: Vectors | None, nominated: Mapping[str, Sequence[Candidate]]
) -> list[Candidate]:
    ids = list(dict.fromkeys(candidate.id for found in nominated.values() for candidate in found))
    compared = vector if {"cosine", FUSED} & nominated.keys() else None
    return fuse(question, nominated, await reader.rate(ids, vector=compared, query=question.text))


async def _across(
    reader: Reader, question: Question, own: Vectors | None, rankings: Sequence[Sequence[Candidate]]
) -> list[Hit]:
    """The rankings of several wordings as hits in one order."""
    fused = rankings[0] if len(rankings) == 1 else retrieval.rrf({f"{n:03}": one for n, one in enumerate(rankings)})
    scores = {candidate.id: candidate.score for candidate in fused}
    compared = own if question.mode != "keyword" else None
    signals = await reader.rate(list(scores), vector=compared, query=question.text)
    hits = [Hit(chunk, scores[chunk.id], signals.get(chunk.id, {})) for chunk in await reader.chunks(list(scores))]
    return retrieval.ordered(hits)


async def gathered(
    reader: Reader, question: Question, vector: Vectors | None, nominated: Mapping[str, Sequence[Candidate]]
) -> list[Hit]:
    """The legs' candidates as hits in fused order, each with all its raw signals."""
    ids = list(dict.fromkeys(candidate.id for found in nominated.values() for candidate in found))
    compared = vector if {"cosine", FUSED} & nominated.keys() else None
    signals = await reader.rate(ids, vector=compared, query=question.text)
    scores = {candidate.id: candidate.score for candidate in fuse(question, nominated, signals)}
    hits = [Hit(chunk, scores[chunk.id], signals.get(chunk.id, {})) for chunk in await reader.chunks(list(scores))]
    return retrieval.ordered(hits)


async def nominations(
    reader: Reader,
    question: Question,
    vector: Vectors | None,
    trace: Trace,
    *,
    limit: int,
    seconds: float | None = None,
) -> dict[str, list[Candidate]]:
    """What each leg nominates; one that fails, or takes longer than it may, is left out with a note, and all failing
    is an error."""
    work: dict[str, Callable[[], Awaitable[list[Candidate] | None]]] = {}
    if vector is not None:
        work["cosine"] = lambda: reader.nearest(vector, where=question.where, limit=limit)
    if question.mode != "semantic" or vector is None:
        words = reader.keywords if isinstance(reader, Worded) else "bm25"
        work[words] = lambda: reader.matching(question.text, where=question.where, limit=limit)
    found = {name: await trace.attempt(name, leg(), None, seconds=seconds) for name, leg in work.items()}
    kept = {name: candidates for name, candidates in found.items() if candidates is not None}
    if not kept:
        raise StoreError("the search failed: " + "; ".join(note.message for note in trace.notes))
    return kept


async def _by_the_store(
    reader: Reader, question: Question, vector: Vectors | None, trace: Trace, *, seconds: float
) -> dict[str, list[Candidate]] | None:
    """What the store's own fusion nominates, when it was asked for; a note says which fusion ran."""
    if question.fusion_at != "server":
        return None
    if question.mode != "hybrid" or vector is None:
        trace.note("fusion_at", "nothing was fused: one leg was searched")
        return None
    if not isinstance(reader, Fusing):
        trace.note("fusion_at", "fused here, not by the store: this store has no fusion of its own")
        return None
    work = reader.fused(question.text, vector, where=question.where, limit=question.depth)
    found = await trace.attempt("fusion", work, None, seconds=seconds)
    if found is None:
        trace.note("fusion_at", "fused here, not by the store: its fusion failed")
        return None
    said = "fused by the store (RRF, k = 60, both legs alike): the order may differ from that of other stores"
    trace.note("fusion_at", said)
    return {FUSED: found}


def comparable(desk: Asking, info: Info, vector: Vectors | None, trace: Trace) -> Vectors | None:
    """The question's vector where the collection's may be compared with it; what is not ready is noted."""
    if vector is not None and not same_model(desk, info, vector):
        vector = None
        trace.note(
            "model_changed",
            f"semantic left out: the collection holds vectors of {info.model} ({info.variant}), the model at hand is "
            f"{_named(desk.embedder)}; name that model, or ingest with --recreate",
        )
    _say_state(info, vector, trace)
    return vector


def _named(embedder: Embedder | None) -> str:
    return f"{embedder.model} ({embedder.variant})" if embedder else "none"


def same_model(desk: Asking, info: Info, vector: Vectors) -> bool:
    """Whether the question's vector may be compared with the collection's: same model, same arithmetic, as long."""
    if info.model is None or desk.embedder is None:
        return True
    if info.dimension is not None and info.dimension != len(vector):
        return False
    return info.model == desk.embedder.model and (info.variant or "").partition("+")[0] == desk.embedder.variant


def _say_state(info: Info, vector: Vectors | None, trace: Trace) -> None:
    if info.state == "empty":
        trace.note("index_empty", "the collection is empty: ingest documents first")
    elif vector is not None and info.pending_vectors:
        trace.note(
            "vectors_pending",
            f"{info.pending_vectors} of {info.chunks} chunks have no vector yet and are found by keyword only; "
            "run ingest to complete them",
        )
