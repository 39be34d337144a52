"""Which chunks each retriever of one source gives for a question, in every variant of it, with their signals."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from ragstone import guard
from ragstone.core.errors import Refused, StoreError
from ragstone.core.ports import (
    FusingReader,
    Reader,
    SideBySideReader,
    SparseVector,
    Vectors,
    word_signal,
)
from ragstone.core.spans import Span, open_span
from ragstone.core.trace import Trace
from ragstone.core.types import Candidate, Chunk
from ragstone.core.work_limit import check_work, limit_work
from ragstone.retrieval.comparable_vectors import check_vector
from ragstone.retrieval.query_expansion import QueryVariant
from ragstone.retrieval.question import Question, needs_every_chunk
from ragstone.retrieval.readers import SourceView
from ragstone.retrieval.search_context import Source
from ragstone.retrieval.word_coverage import measure_coverage

SYSTEMS = {"postgres": "postgresql", "tables": "postgresql"}  # packages of stores whose system has another name
Sized = TypeVar("Sized", bound=Collection[Any])
FUSED = "fused"  # the one retriever of a store that fuses itself
# By retriever: `cosine`, `bm25` or the store's own word score, and `sparse`.
Candidates = Mapping[str, Sequence[Candidate]]
Signals = Mapping[str, Mapping[str, float]]  # by chunk


@dataclass(frozen=True, slots=True)
class SourceRanking:
    """The candidates of one source for one variant of the question, by its number, and all that ranking them needs:
    its `text`, the `vector` that was compared, the `sparse` vector that was searched by, the ids of the passages
    whose `feedback` ordered them, and from 0 to 1 how much the `words` count in fusion."""

    source: Source
    variant: int
    candidates: Candidates
    signals: Signals
    is_fragment: bool = False
    text: str = ""
    vector: Vectors | None = None
    feedback: tuple[str, ...] = ()
    sparse: SparseVector | None = None
    words: float = 1.0

    @property
    def is_fused_by_store(self) -> bool:
        return FUSED in self.candidates

    @property
    def has_vectors(self) -> bool:
        """Whether vectors were compared."""
        return bool({"cosine", FUSED} & self.candidates.keys())

    @property
    def has_two_retrievers(self) -> bool:
        return self.is_fused_by_store or len(self.candidates) > 1


@dataclass(frozen=True, slots=True)
class SourceResult:
    """The results of one source: a ranking for each variant, and the signals of its chunks for the question as
    asked, for every variant: thresholds and abstentions are fitted to those. `vector` is the question's own,
    `searched_by` that of the first variant; None where vectors cannot be compared.

    `chunks` are those that were read so far (`read_chunks`), all where the result is `whole`. Those of `left_out`
    cannot be shown.
    """

    view: SourceView
    vector: Vectors | None
    searched_by: Vectors | None
    rankings: tuple[SourceRanking, ...]
    signals: Signals
    chunks: Mapping[str, Chunk] = field(default_factory=dict)
    left_out: frozenset[str] = frozenset()
    whole: bool = False


async def search_source(
    view: SourceView,
    question: Question,
    vector: Vectors | None,
    variants: Sequence[QueryVariant],
    trace: Trace,
    *,
    seconds: float,
    whole: bool = False,
) -> SourceResult:
    """Search an open source for a question; `seconds` are for each retriever. With `whole`, and where the order depends
    on them, the chunks of all candidates are read."""
    source, reader, info = view.source, view.reader, view.info
    own = check_vector(source, info, vector, trace)
    rankings: list[SourceRanking] = []
    searched_by: Vectors | None = None
    for number, variant in enumerate(variants):
        asked = question if variant.text == question.text else replace(question, text=variant.text)
        meaning = own if variant.vector is vector else check_vector(source, info, variant.vector, trace)
        if number == 0:
            searched_by = own if variant.is_fragment else meaning
        found = await _retrieve_fused(reader, asked, meaning, trace, seconds=seconds)
        if found is None:
            found = await retrieve_candidates(reader, asked, meaning, trace, seconds=seconds)
        with trace.time_stage("rank"):
            compared = meaning if {"cosine", FUSED} & found.keys() else None
            signals = await _read("rate", reader, reader.rate(list_ids(found), vector=compared, query=asked.text))
            words = await measure_coverage(reader, asked, found, signals)
        made = SourceRanking(source, number, found, signals, variant.is_fragment, asked.text, compared, words=words)
        rankings.append(made)
    with trace.time_stage("rank"):
        ids = list(dict.fromkeys(id_ for ranking in rankings for id_ in list_ids(ranking.candidates)))
        if len(variants) > 1 or variants[0].vector is not vector:
            compared = own if question.mode != "keyword" else None
            signals = await reader.rate(ids, vector=compared, query=question.text)
        has_words = any(word_signal(reader) in rated for rated in signals.values())
        view, unchecked = replace(view, has_words=has_words), source.is_table or info.unchecked
        whole = whole or unchecked or needs_every_chunk(question)
        result = SourceResult(view, own, searched_by, tuple(rankings), signals, whole=whole)
        result = await read_chunks(result, ids) if whole else result
        return _guard_rows(result, trace, seconds=seconds) if unchecked else result


async def read_chunks(result: SourceResult, identities: Sequence[str]) -> SourceResult:
    """The result with the chunks of these candidates, as far as they are its own and not read yet."""
    wanted = [one for one in identities if one in result.signals and one not in result.chunks]
    wanted = [one for one in wanted if one not in result.left_out]
    if not wanted:
        return result
    reader = result.view.reader
    found = {chunk.id: chunk for chunk in await _read("chunks", reader, reader.chunks(wanted))}
    documents = result.view.documents | {chunk.document.id for chunk in found.values()}
    return replace(
        result,
        view=replace(result.view, documents=documents),
        chunks={**result.chunks, **found},
        left_out=result.left_out.union(wanted) - found.keys(),
    )


async def read_every_chunk(result: SourceResult) -> SourceResult:
    """The result with the chunks of all its candidates."""
    return replace(await read_chunks(result, list(result.signals)), whole=True)


async def _read(operation: str, reader: Reader, work: Awaitable[Sized]) -> Sized:
    """Some work of a store, with its span."""
    with open_span(f"store {operation}", kind="client") as span:
        describe_store(span, reader, operation)
        found = await work
        span.set("db.response.returned_rows", len(found))
    return found


def describe_store(span: Span, reader: Reader, operation: str) -> None:
    """Name the store and the operation by the conventions for databases."""
    package = type(reader).__module__.rpartition(".")[0].rpartition(".")[2]
    span.set("db.system.name", SYSTEMS.get(package, package))
    span.set("db.operation.name", operation)


def list_ids(candidates: Candidates) -> list[str]:
    """The ids of all candidates, each once, in their order."""
    return list(dict.fromkeys(candidate.id for found in candidates.values() for candidate in found))


def _guard_rows(result: SourceResult, trace: Trace, *, seconds: float) -> SourceResult:
    """The result with what an ingestion would have found out about the texts of its rows. Those for which no time is
    left, the longest, are left out: nobody knows their secrets."""
    out: dict[str, Chunk] = {}
    with limit_work(seconds, f"the guard took longer than {seconds:g} s"):
        for id_, chunk in sorted(result.chunks.items(), key=lambda row: len(row[1].text)):
            try:
                check_work()
                out[id_] = _guard_row(chunk)
            except Refused as error:
                trace.note("guard", f"rows were left out: {error}")
    documents = frozenset(chunk.document.id for chunk in out.values())
    left_out = result.left_out.union(result.chunks.keys() - out.keys())
    return replace(result, view=replace(result.view, documents=documents), chunks=out, left_out=left_out)


def _guard_row(chunk: Chunk) -> Chunk:
    flags, risk = guard.assess_injection(chunk.text)
    first = chunk.spans[0].char_start
    secrets = tuple((first + start, first + end, kind) for start, end, kind in guard.locate_secrets(chunk.text))
    return replace(chunk, flags=flags, risk_score=risk, secrets=secrets)


async def retrieve_candidates(
    reader: Reader,
    question: Question,
    vector: Vectors | None,
    trace: Trace,
    *,
    limit: int | None = None,
    seconds: float | None = None,
) -> dict[str, list[Candidate]]:
    """The candidates of each retriever, as many as the question wants, or `limit`. One that fails, or takes longer
    than it may, is left out with a note; raises `StoreError` when all fail."""
    work: dict[str, Callable[[], Awaitable[list[Candidate] | None]]] = {}
    if vector is not None:
        most = limit or question.vector_depth
        work["cosine"] = lambda: _read("nearest", reader, reader.nearest(vector, where=question.where, limit=most))
    if question.mode != "semantic" or vector is None:
        words, number = question.text, limit or question.word_depth
        work[word_signal(reader)] = lambda: _read(
            "matching", reader, reader.matching(words, where=question.where, limit=number)
        )
    if len(work) > 1 and isinstance(reader, SideBySideReader) and reader.runs_side_by_side:
        found = await _attempt_at_once(work, trace, seconds=seconds)
    else:
        found = {name: await trace.attempt(name, retrieve(), None, seconds=seconds) for name, retrieve in work.items()}
    kept = {name: candidates for name, candidates in found.items() if candidates is not None}
    if not kept:
        raise StoreError("the search failed: " + "; ".join(note.message for note in trace.notes))
    return kept


async def _attempt_at_once(
    work: Mapping[str, Callable[[], Awaitable[list[Candidate] | None]]], trace: Trace, *, seconds: float | None
) -> dict[str, list[Candidate] | None]:
    """Every retriever at once; a caller's mistake that one of them finds ends the others."""

    own = {name: Trace() for name in work}

    async def attempt(name: str) -> list[Candidate] | None:
        return await own[name].attempt(name, work[name](), None, seconds=seconds)

    tasks = {name: asyncio.ensure_future(attempt(name)) for name in work}
    try:
        found = dict(zip(tasks, await asyncio.gather(*tasks.values()), strict=True))
        for name in work:  # notes stand in the order of the retrievers, whichever ended first
            trace.join(own[name])
        return found
    except BaseException:
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)
        raise


async def _retrieve_fused(
    reader: Reader, question: Question, vector: Vectors | None, trace: Trace, *, seconds: float
) -> dict[str, list[Candidate]] | None:
    """The candidates of the store's own fusion, when it was asked for; a note says which fusion ran."""
    if question.fusion_at != "server":
        return None
    if question.mode != "hybrid" or vector is None:
        trace.note("fusion_at", "nothing was fused: one retriever was searched")
        return None
    if not isinstance(reader, FusingReader):
        trace.note("fusion_at", "fused here, not by the store: this store has no fusion of its own")
        return None
    fused = reader.fuse_on_server(question.text, vector, where=question.where, limit=question.depth)
    work = _read("fuse", reader, fused)
    found = await trace.attempt("fusion", work, None, seconds=seconds)
    if found is None:
        trace.note("fusion_at", "fused here, not by the store: its fusion failed")
        return None
    said = "fused by the store (RRF, k = 60, both retrievers alike): the order may differ from that of other stores"
    trace.note("fusion_at", said)
    return {FUSED: found}
