"""An engine as what an evaluation asks: rankings from searches, abstentions from answers."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ragstone.core.errors import Unavailable, UsageError
from ragstone.core.plural import counted
from ragstone.core.ports import Listed
from ragstone.core.trace import Trace
from ragstone.core.types import Answer, Document, Found, Hit, Json, Note
from ragstone.engine import Engine
from ragstone.evaluation.about import about
from ragstone.evaluation.answered import answered
from ragstone.evaluation.beir import BeirSource
from ragstone.evaluation.case import Case
from ragstone.evaluation.golden import located
from ragstone.evaluation.granularity import Entry, Granularity, Ranking, same_file
from ragstone.evaluation.judge import Judge
from ragstone.evaluation.metrics import DEFAULT
from ragstone.evaluation.presence import doubts
from ragstone.evaluation.run import Report, Search, evaluate
from ragstone.retrieval.search_context import REFUSED

# What a ranking needs and an answer does not: how deep it goes, how many passages of a document it shows.
OF_RANKINGS = ("top_k", "per_document")
# Notes that are about what one answer says; the others tell that something was left out or failed.
OF_ONE_ANSWER = ("abstained", "clarify", "standalone", "citation_unknown", "left_out", "unverified", "flagged")


def searching(
    engine: Engine, *, ranked: bool = True, answers: bool = False, judge: Judge | None = None, **options: Any
) -> Search:
    """Search each case's question with its own filter; with `answers` an answer is asked for as well, as
    `ragstone ask` does: what shapes the ranking alone is not put on it. Without `ranked` it is asked for alone, and
    the passages that it was made from stand for the ranking. A `judge` rates it."""

    options = {**options, "cache": False}
    asked = _of_answers(options)
    worked = False  # a vector of a question was made

    def usable(notes: Sequence[Note]) -> None:
        """Raises what keeps all questions from a vector: the figures would be those of words."""
        nonlocal worked
        for note in notes:
            if note.code == REFUSED:
                raise UsageError(note.message)
            if note.code == "embedding_failed" and not worked:
                raise Unavailable(note.message)
        worked = True

    async def search(case: Case) -> Ranking:
        found = await engine.search(case.question, where=case.where, **options) if ranked else Found(())
        if ranked:
            usable(found.notes)
        ranking = Ranking(
            tuple(map(_entry, found.hits)),
            timings=found.timings,
            notes=tuple(note.message for note in found.notes),
        )
        if not answers:
            return ranking
        made = await engine.ask(case.question, where=case.where, **asked)
        usable(made.notes)
        return await _with_answer(engine, case, ranking, made, judge=judge, ranked=ranked)

    return search


def searching_beir(engine: Engine, source: BeirSource, **options: Any) -> Search:
    """The same over an ingested BEIR corpus: paths are turned back into the corpus's ids."""
    inner = searching(engine, **options)

    async def search(case: Case) -> Ranking:
        ranking = await inner(case)
        entries = tuple(Entry(source.id_of(e.path), e.ordinal, e.spans, e.score) for e in ranking.entries)
        return replace(ranking, entries=entries)

    return search


async def _with_answer(
    engine: Engine, case: Case, ranking: Ranking, made: Answer, *, judge: Judge | None, ranked: bool
) -> Ranking:
    """A ranking with an answer as it is scored: looked up in its documents, and judged."""
    documents = {citation.document.id: citation.document for citation in made.citations}
    records = {one.id: await _record(engine, one) for one in documents.values()}
    trace, rated = Trace(), None
    if judge is not None and judge.given_up is None:
        expected = case.answer or next(iter(case.answers), "")
        with trace.timed("judge"):
            rated = await judge.rate(case.question, made, expected=expected, answerable=case.answerable)
    told = [note.message for note in made.notes if note.code not in (*OF_ONE_ANSWER, made.reason)]
    return replace(
        ranking,
        entries=ranking.entries if ranked else tuple(map(_entry, made.hits)),
        timings={**made.timings, **trace.timings},
        answer=answered(made, lambda document: records.get(document.id), rated=rated),
        notes=tuple(dict.fromkeys((*ranking.notes, *told))),
    )


async def _record(engine: Engine, document: Document) -> str | None:
    try:
        return (await engine.record(document.path, source=document.source))[1]
    except UsageError:  # gone meanwhile: what was quoted of it stands nowhere
        return None


def _entry(hit: Hit) -> Entry:
    chunk = hit.chunk
    return Entry(chunk.document.path, chunk.ordinal, tuple((s.char_start, s.char_end) for s in chunk.spans), hit.score)


async def over_golden(
    engine: Engine,
    cases: Sequence[Case],
    *,
    granularity: Granularity,
    name: str,
    ranked: bool = True,
    answers: bool = False,
    judge: Judge | None = None,
    **options: Any,
) -> Report:
    """The report of a golden set over the engine's collection; `name` stands in its settings. See `searching`."""
    documents = await engine.documents()
    if granularity == "span" and ranked:
        cases = await _placed(engine, cases, documents)
    warnings = doubts(cases, (document.path for document in documents), granularity=granularity) if ranked else ()
    search = searching(engine, ranked=ranked, answers=answers, judge=judge, **options)
    asked = options if ranked else _of_answers(options)
    depends = {**await about(engine, asked, answers=answers, judge=judge), "golden": name}
    return await _over(search, cases, granularity, depends, warnings, judge, ranked=ranked)


async def over_beir(
    engine: Engine,
    source: BeirSource,
    cases: Sequence[Case],
    *,
    name: str,
    split: str = "test",
    ranked: bool = True,
    answers: bool = False,
    judge: Judge | None = None,
    **options: Any,
) -> Report:
    """The same for the questions of a BEIR folder whose corpus was ingested: scored by ids."""
    warnings = doubts(cases, source.ids, granularity="id") if ranked else ()
    search = searching_beir(engine, source, ranked=ranked, answers=answers, judge=judge, **options)
    asked = options if ranked else _of_answers(options)
    depends = {**await about(engine, asked, answers=answers, judge=judge), "beir": name, "split": split}
    return await _over(search, cases, "id", depends, warnings, judge, ranked=ranked)


async def _over(
    search: Search,
    cases: Sequence[Case],
    granularity: Granularity,
    depends: Json,
    warnings: Sequence[str],
    judge: Judge | None,
    *,
    ranked: bool,
) -> Report:
    depth = depends["top_k"] if ranked else None
    metrics = DEFAULT if ranked else ()
    report = await evaluate(
        search, cases, metrics=metrics, granularity=granularity, depth=depth, settings=depends, warnings=warnings
    )
    if judge is None:
        return report
    missed = [f"a measure is missing: {why} ({counted(count, 'time')})" for why, count in judge.failures.items()]
    return replace(report, judge=judge.judged, warnings=(*missed, *report.warnings))


def _of_answers(options: Json) -> Json:
    return {name: value for name, value in options.items() if name not in OF_RANKINGS}


async def only_beir(engine: Engine, source: BeirSource) -> None:
    """Raises `UsageError` when the collection holds what is not of this corpus: it would be found too."""
    documents = await engine.documents() if await engine.exists() else []
    known = {listed.path for listed in source.walk() if isinstance(listed, Listed)}
    if others := [d for d in documents if d.source != source.name or d.path not in known]:
        raise UsageError(
            f"collection {engine.scope.collection!r} holds {len(others)} documents that are not of this corpus, such "
            f"as {others[0].path} of source {others[0].source!r}: name another collection with --collection, or leave "
            "--store out for a scratch store"
        )


async def _placed(engine: Engine, cases: Sequence[Case], documents: Sequence[Document]) -> tuple[Case, ...]:
    """The cases with their quotes as spans in the stored texts."""
    texts: dict[str, str | None] = {}
    for path in dict.fromkeys(quote.path for case in cases for quote in case.quotes):
        same = [document for document in documents if same_file(document.path, path)]
        first = min(same, key=lambda document: (document.path != path, document.path, document.source), default=None)
        texts[path] = (await engine.record(first.path, source=first.source))[1] if first else None
    return tuple(located(case, texts.get) for case in cases)
