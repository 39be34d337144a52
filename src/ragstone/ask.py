"""The way out: question → candidates of each leg → fused → ranked.

What could not be done is said in notes; a search of which every leg failed is an error, never "nothing found".
What answers are made of it stands in `ragstone.reply`.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from ragstone import retrieve, windows
from ragstone.bounds import SEARCH, outside
from ragstone.deadlines import USUAL, Deadlines
from ragstone.embed.batch import checked
from ragstone.errors import StoreError, UsageError
from ragstone.outgoing import GatedEmbedder
from ragstone.ports import Embedder, Fusing, Reader, Store, Vectors, Worded
from ragstone.trace import Trace, reading
from ragstone.types import Candidate, Found, Hit, Info, Mode, Scope
from ragstone.where import Where

LONGEST_QUESTION = 10_000  # characters; a longer one is a document
CANDIDATES = 5  # per leg, times top_k
FEWEST_CANDIDATES = 50
RISK_SHARE = 0.2  # how much of its score a certain injection costs


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and how it is to be searched. `fusion` is rrf or minmax, weights are per leg; `fusion_at` server
    leaves both legs and their fusion to the store, where it can.

    `min_cosine` is a threshold on the raw cosine; `fold` puts near-duplicates behind the best of them;
    `per_document` is how many chunks of one document may be among the results.
    """

    text: str
    mode: Mode = "hybrid"
    top_k: int = 10
    where: Where = field(default_factory=Where)
    fusion: str = "minmax"
    fusion_at: str = "client"
    bm25_weight: float = 0.4
    cosine_weight: float = 0.6
    min_cosine: float | None = None
    keyword_boost: bool = False
    fold: bool = True
    per_document: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise UsageError(f"the question must be a text, not {self.text!r:.60}")
        if not self.text.strip():
            raise UsageError("the question is empty")
        if len(self.text) > LONGEST_QUESTION:
            raise UsageError(f"the question has {len(self.text)} characters; at most {LONGEST_QUESTION} are read")
        if not isinstance(self.where, Where):
            raise UsageError(f'where must be a Where, such as Where(paths=("guides/**",)), not {self.where!r:.60}')
        if wrong := outside(self, SEARCH):
            raise UsageError(wrong)
        if not self.bm25_weight and not self.cosine_weight:
            raise UsageError("bm25_weight and cosine_weight are both 0; at least one leg must count")

    @property
    def depth(self) -> int:
        """How many candidates each leg gives."""
        return max(FEWEST_CANDIDATES, self.top_k * CANDIDATES)


REFUSED = "embedding_refused"
FUSED = "fused"  # the one leg of a store that fuses itself
FUSIONS = {"minmax": retrieve.minmax, "rrf": retrieve.rrf}


@dataclass(frozen=True, slots=True)
class Desk:
    """The parts that answer questions over one collection; `model_missing` says why there is no embedder."""

    store: Store
    scope: Scope
    embedder: Embedder | None
    model_missing: str | None = None
    deadlines: Deadlines = USUAL


class Asking(Protocol):
    """Whose question it is: what may embed it, and how long it may take."""

    @property
    def embedder(self) -> Embedder | None: ...

    @property
    def model_missing(self) -> str | None: ...

    @property
    def deadlines(self) -> Deadlines: ...


def question_of(text: str, defaults: object, where: Where | None, options: Mapping[str, object]) -> Question:
    """A question with the fields of a settings' dataclass as defaults; `options` over them, None means default."""
    fields: Mapping[str, object] = getattr(type(defaults), "__dataclass_fields__", {})
    known: dict[str, object] = {name: getattr(defaults, name) for name in fields}
    given = {key: value for key, value in options.items() if value is not None}
    if unknown := set(given) - set(Question.__dataclass_fields__):
        raise UsageError(f"unknown search option {min(unknown)!r}")
    return Question(text, where=where or Where(), **{**known, **given})  # type: ignore[arg-type]  # checked in Question


async def search(desk: Desk, question: Question, *, whole: bool = False) -> Found:
    """The best chunks in order, with `whole` as they are read (`ragstone.windows`).

    Raises `NotBuilt` when nothing was ever ingested, and the store's error when every leg failed.
    """
    trace = Trace()
    with trace.timed("total"):
        vector = await vector_of(desk, question, trace)
        async with reading(desk.deadlines), desk.store.reader(desk.scope) as reader:
            hits = await hits_of(desk, reader, question, vector, trace)
            hits = await windows.read(reader, hits) if whole else hits
    return Found(tuple(hits), tuple(trace.notes), dict(trace.timings))


async def vector_of(desk: Asking, question: Question, trace: Trace) -> Vectors | None:
    """The question's vector; None, with a note, when there is no model for it."""
    if question.mode == "keyword":
        return None
    if desk.embedder is None:
        _keyword_only(trace, desk.model_missing)
        return None
    work = _embedded(desk.embedder, question.text)
    # What a vendor refuses, such as a wrong key, is mended in the configuration, and words find without it.
    refused = REFUSED if isinstance(desk.embedder, GatedEmbedder) else None
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


async def hits_of(desk: Desk, reader: Reader, question: Question, vector: Vectors | None, trace: Trace) -> list[Hit]:
    """The results of one view, in order."""
    vector = comparable(desk, await reader.info(), vector, trace)
    seconds = desk.deadlines.leg
    nominated = await _by_the_store(reader, question, vector, trace, seconds=seconds)
    if nominated is None:
        nominated = await legs(reader, question, vector, trace, limit=question.depth, seconds=seconds)
    with trace.timed("rank"):
        return rank(await gathered(reader, question, vector, nominated), question)


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
