"""The way out: question → candidates of each leg → fused → ranked.

What could not be done is said in notes; a search of which every leg failed is an error, never "nothing found".
What answers are made of it stands in `ragstone.reply`.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from ragstone import guard, lacking, retrieve, reword, windows
from ragstone.answer import Policy
from ragstone.deadlines import USUAL, Deadlines
from ragstone.embed.batch import checked
from ragstone.embed.handed import Handed
from ragstone.errors import StoreError
from ragstone.ports import Completion, Embedder, Fusing, Reader, Store, Vectors, Worded
from ragstone.question import LONGEST_QUESTION, Question, question_of
from ragstone.retrieve import Assistant
from ragstone.reword import Wording
from ragstone.trace import Trace, reading
from ragstone.types import Candidate, Chunk, Found, Hit, Info, Scope

__all__ = [
    "LONGEST_QUESTION",
    "Asking",
    "Desk",
    "Model",
    "Question",
    "candidates_of",
    "comparable",
    "found",
    "fuse",
    "gathered",
    "judgeable",
    "legs",
    "nobody",
    "ordered",
    "question_of",
    "rank",
    "search",
    "seen",
    "shown",
    "useful",
    "vector_of",
    "widened",
    "worded",
]
RISK_SHARE = 0.2  # how much of its score a certain injection costs


REFUSED = "embedding_refused"
RRF = "rrf"  # the signal of a hit that several wordings found
FUSED = "fused"  # the one leg of a store that fuses itself
FUSIONS = {"minmax": retrieve.minmax, "rrf": retrieve.rrf}


Model = Callable[[], Completion | None]


def nobody() -> None:
    """No language model is configured."""


@dataclass(frozen=True, slots=True)
class Desk:
    """The parts that answer questions over one collection; `model_missing` says why there is no embedder. `model`
    gives the language model that helps to search, `reader` names whoever reads: what one has found is not shown to
    another by a cache. `policy` decides between an answer and an abstention."""

    store: Store
    scope: Scope
    embedder: Embedder | None
    model_missing: str | None = None
    deadlines: Deadlines = USUAL
    model: Model = nobody
    reader: str = ""
    policy: Policy | None = None


class Asking(Protocol):
    """Whose question it is: what may embed it, and how long it may take."""

    @property
    def embedder(self) -> Embedder | None: ...

    @property
    def model_missing(self) -> str | None: ...

    @property
    def deadlines(self) -> Deadlines: ...


async def search(desk: Desk, question: Question, *, whole: bool = False) -> Found:
    """The best chunks in order, with `whole` as they are read (`ragstone.windows`).

    Raises `NotBuilt` when nothing was ever ingested, and the store's error when every leg failed.
    """
    trace = Trace()
    with trace.timed("total"):
        vector = await vector_of(desk, question, trace)
        async with seen(desk, question, vector, trace) as view:
            hits = await widened(desk, view.reader, view.hits) if whole else view.hits
    return found(hits, trace)


async def widened(desk: Desk, reader: Reader, hits: Sequence[Hit]) -> list[Hit]:
    """The hits as they are read."""
    async with reading(desk.deadlines):
        return await windows.read(reader, hits)


def found(hits: Sequence[Hit], trace: Trace) -> Found:
    """What a search brought, with what its trace tells."""
    return Found(tuple(hits), tuple(trace.notes), dict(trace.timings), tuple(trace.steps))


@dataclass(frozen=True, slots=True)
class Seen:
    """An open view with the state that it is of, and what it found."""

    reader: Reader
    info: Info
    hits: list[Hit]


@asynccontextmanager
async def seen(desk: Desk, question: Question, vector: Vectors | None, trace: Trace) -> AsyncIterator[Seen]:
    """The results in a view that is open for the block. None is open while a language model works: what it judged is
    looked up again, and stays where it is still active."""
    words = await worded(desk, question, vector, trace)
    async with AsyncExitStack() as stack:
        async with reading(desk.deadlines):
            reader = await stack.enter_async_context(desk.store.reader(desk.scope))
            info = await reader.info()
            hits = rank(await candidates_of(desk, reader, question, words, vector, trace), question)
            if not hits and "dense" in desk.store.capabilities:
                await lacking.noted(reader, info, question.where, trace, seconds=desk.deadlines.leg)
        if not question.filter:
            yield Seen(reader, info, hits)
            return
    kept = await useful(desk.model, question, hits, trace, seconds=desk.deadlines.rewrite)
    async with AsyncExitStack() as stack:
        async with reading(desk.deadlines):
            reader = await stack.enter_async_context(desk.store.reader(desk.scope))
            info = await reader.info()
            active = {chunk.id for chunk in await reader.chunks([hit.chunk.id for hit in kept])}
        yield Seen(reader, info, [hit for hit in kept if hit.chunk.id in active])


async def worded(desk: Desk, question: Question, vector: Vectors | None, trace: Trace) -> tuple[Wording, ...]:
    """The ways in which the question is searched for: itself alone, unless a model is to write others."""
    assistant = Assistant(desk.model, desk.deadlines.rewrite, trace)
    made = await reword.written(question, vector, assistant, partial(_best, desk, question))
    return await reword.wordings(question, vector, made, desk.embedder, trace)


async def _best(desk: Desk, question: Question, vector: Vectors) -> float | None:
    """The cosine of the best passage; None where there are no vectors that it may be compared with."""
    async with reading(desk.deadlines), desk.store.reader(desk.scope) as reader:
        if not _same_model(desk, await reader.info(), vector):
            return None
        first = await reader.nearest(vector, where=question.where, limit=1)
    return first[0].score if first else None


async def useful(model: Model, question: Question, hits: Sequence[Hit], trace: Trace, *, seconds: float) -> list[Hit]:
    """The hits that a language model holds to be of use; see `ragstone.retrieve.sifted`."""
    texts = [shown(hit.chunk) for hit in hits]
    assistant = Assistant(model, seconds, trace)
    return await retrieve.sifted(question.text, hits, texts, assistant, below=question.filter_below)


def shown(chunk: Chunk) -> str:
    """A passage as a model that judges it sees it: where it stands, its table header, its text; secrets masked."""
    place = " > ".join((chunk.document.title or chunk.document.path, *chunk.heading_path))
    lines = [guard.shown(place), *([guard.shown(chunk.header)] if chunk.header else [])]
    return "\n".join([*lines, guard.shown(chunk.text, chunk.spans, chunk.secrets)])


async def vector_of(desk: Asking, question: Question, trace: Trace) -> Vectors | None:
    """The question's vector; None, with a note, when there is no model for it."""
    if question.mode == "keyword":
        return None
    if desk.embedder is None:
        _keyword_only(trace, desk.model_missing)
        return None
    work = _embedded(desk.embedder, question.text)
    # What a vendor or the settings refuse, such as a wrong key, is mended there, and words find without it; an embedder
    # that was handed in is the caller's own mistake.
    refused = None if isinstance(desk.embedder, Handed) else REFUSED
    vector = await trace.attempt("embedding", work, None, seconds=desk.deadlines.embed, refused=refused)
    if vector is None:
        _keyword_only(trace, None)
    return vector


async def _embedded(embedder: Embedder, text: str) -> Vectors:
    vectors = await embedder.embed([text], kind="query")
    row: Vectors = checked(vectors, dimension=embedder.dimension, references=["the question"])[0]
    return row


def _keyword_only(trace: Trace, why: str | None) -> None:
    trace.note("semantic_unavailable", "semantic unavailable; fallback=keyword-only")
    if why:
        trace.note("model_missing", why)


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
            nominated = await legs(reader, asked, meaning, trace, limit=question.depth, seconds=seconds)
        with trace.timed("rank"):
            if len(words) == 1 and meaning is own:
                return await gathered(reader, asked, own, nominated)
            rankings.append(await _ranked(reader, asked, meaning, nominated))
            judged += rankings[-1:] if len(nominated) > 1 else []
    with trace.timed("rank"):
        hits = await _across(reader, question, own, rankings)
    return judgeable(hits, judged, question) if len(words) > 1 else hits


def judgeable(hits: Sequence[Hit], rankings: Iterable[Iterable[Candidate]], question: Question) -> list[Hit]:
    """Hits of several rankings with the signal `rrf`: the best that each scores in one of those that two legs made. It
    is what the company's rule judges: their own scores grow with the number of rankings."""
    best: dict[str, float] = {}
    for candidate in (candidate for ranking in rankings for candidate in ranking):
        best[candidate.id] = max(candidate.score, best.get(candidate.id, 0.0))
    if question.fusion != "rrf" or not best:
        return list(hits)
    return [replace(hit, signals={**hit.signals, RRF: best.get(hit.chunk.id, 0.0)}) for hit in hits]


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
    fused = rankings[0] if len(rankings) == 1 else retrieve.rrf({f"{n:03}": one for n, one in enumerate(rankings)})
    scores = {candidate.id: candidate.score for candidate in fused}
    compared = own if question.mode != "keyword" else None
    signals = await reader.rate(list(scores), vector=compared, query=question.text)
    hits = [Hit(chunk, scores[chunk.id], signals.get(chunk.id, {})) for chunk in await reader.chunks(list(scores))]
    return retrieve.ordered(hits)


def comparable(desk: Asking, info: Info, vector: Vectors | None, trace: Trace) -> Vectors | None:
    """The question's vector where the collection's may be compared with it; what is not ready is noted."""
    if vector is not None and not _same_model(desk, info, vector):
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


async def gathered(
    reader: Reader, question: Question, vector: Vectors | None, nominated: Mapping[str, Sequence[Candidate]]
) -> list[Hit]:
    """The legs' candidates as hits in fused order, each with all its raw signals."""
    ids = list(dict.fromkeys(candidate.id for found in nominated.values() for candidate in found))
    compared = vector if {"cosine", FUSED} & nominated.keys() else None
    signals = await reader.rate(ids, vector=compared, query=question.text)
    scores = {candidate.id: candidate.score for candidate in fuse(question, nominated, signals)}
    hits = [Hit(chunk, scores[chunk.id], signals.get(chunk.id, {})) for chunk in await reader.chunks(list(scores))]
    return retrieve.ordered(hits)


def fuse(
    question: Question, legs: Mapping[str, Sequence[Candidate]], signals: Mapping[str, Mapping[str, float]]
) -> list[Candidate]:
    """The legs' candidates in one order; a single leg keeps its own scores.

    Scores are fused over what every candidate really scores in each leg, also where only another leg
    nominated it; ranks are fused as the legs gave them (`benchmarks/retrieval`).
    """
    if len(legs) == 1:
        return list(next(iter(legs.values())))
    if question.fusion == "minmax":
        every = {candidate.id: candidate for found in legs.values() for candidate in found}
        legs = {
            leg: [replace(c, score=signals[c.id][leg]) for c in every.values() if leg in signals.get(c.id, {})]
            for leg in legs
        }
    weights = {leg: question.cosine_weight if leg == "cosine" else question.bm25_weight for leg in legs}
    return FUSIONS[question.fusion](legs, weights=weights)


def rank(hits: list[Hit], question: Question) -> list[Hit]:
    """The results: ordered, and cut to the limit."""
    return ordered(hits, question)[: question.top_k]


def ordered(hits: list[Hit], question: Question) -> list[Hit]:
    """Thresholds, boosts, penalties, folding, caps: pure, so that `explain` can replay it."""
    if question.min_cosine is not None:
        hits = retrieve.above(hits, {"cosine": question.min_cosine})
    if question.keyword_boost:
        hits = retrieve.boost_keywords(hits, question.text)
    hits = retrieve.penalise_risk(hits, share=RISK_SHARE)
    if question.fold:
        hits = retrieve.fold(hits)
    if question.per_document is not None:
        hits = retrieve.capped(hits, per_document=question.per_document)
    return hits


def _same_model(desk: Asking, info: Info, vector: Vectors) -> bool:
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


async def legs(
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
