"""An engine as what an evaluation asks: rankings from searches, abstentions from answers."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ragstone.config.search_stages import list_stages
from ragstone.core.answers import Answer, Found, Note
from ragstone.core.errors import Unavailable, UsageError
from ragstone.core.plural import format_count
from ragstone.core.ports import ListedFile
from ragstone.core.trace import Trace
from ragstone.core.types import Document, Hit, Json
from ragstone.engine import Engine
from ragstone.evaluation.ablation import SearchMaker, measure_stages
from ragstone.evaluation.answer_stages import measure_answer_stages
from ragstone.evaluation.beir import BeirSource
from ragstone.evaluation.case import Case
from ragstone.evaluation.golden import locate_quotes
from ragstone.evaluation.granularity import Entry, Granularity, Ranking, has_judgements, same_file
from ragstone.evaluation.judge import Judge
from ragstone.evaluation.metrics import DEFAULT_METRICS
from ragstone.evaluation.presence import check_presence
from ragstone.evaluation.run import Report, SearchFunction, evaluate
from ragstone.evaluation.run_description import describe_run
from ragstone.evaluation.scored_answer import score_answer
from ragstone.retrieval.reranking import REFUSED as RERANK_REFUSED
from ragstone.retrieval.rescoring import REFUSED as SPARSE_REFUSED
from ragstone.retrieval.search_context import REFUSED

# What a ranking needs and an answer does not: how deep it goes, how many passages of a document it shows.
RANKING_OPTIONS = ("top_k", "per_document")
# Notes that are about what one answer says; the others tell that something was left out or failed.
ANSWER_NOTES = ("abstained", "clarify", "standalone", "citation_unknown", "left_out", "unverified", "flagged")


def make_search(
    engine: Engine, *, ranked: bool = True, answers: bool = False, judge: Judge | None = None, **options: Any
) -> SearchFunction:
    """Search each case's question with its own filter; with `answers` an answer is asked for as well, as
    `ragstone ask` does: what shapes the ranking alone is not put on it. Without `ranked` it is asked for alone, and
    the passages that it was made from stand for the ranking. A `judge` rates it."""

    options = {**options, "cache": False}
    asked = _answer_options(options)
    worked = False  # a vector of a question was made

    def check_usable(notes: Sequence[Note]) -> None:
        """Raises what keeps all questions from a vector: the figures would be those of words."""
        nonlocal worked
        for note in notes:
            if note.code in (REFUSED, RERANK_REFUSED, SPARSE_REFUSED):
                raise UsageError(note.message)
            if note.code == "embedding_failed" and not worked:
                raise Unavailable(note.message)
        worked = True

    async def search(case: Case) -> Ranking:
        found = await engine.search(case.question, where=case.where, **options) if ranked else Found(())
        if ranked:
            check_usable(found.notes)
        ranking = Ranking(
            tuple(map(_make_entry, found.hits)),
            timings=found.timings,
            notes=tuple(note.message for note in found.notes),
        )
        if not answers:
            return ranking
        made = await engine.ask(case.question, where=case.where, **asked)
        check_usable(made.notes)
        return await _add_answer(engine, case, ranking, made, judge=judge, ranked=ranked)

    return search


def make_beir_search(engine: Engine, source: BeirSource, **options: Any) -> SearchFunction:
    """A search function over an ingested BEIR corpus; it gives the corpus's ids in place of paths."""
    inner = make_search(engine, **options)

    async def search(case: Case) -> Ranking:
        ranking = await inner(case)
        entries = tuple(replace(entry, path=source.id_of(entry.path)) for entry in ranking.entries)
        made = ranking.answer
        if made is not None:
            made = replace(made, documents=tuple(map(source.id_of, made.documents)))
        return replace(ranking, entries=entries, answer=made)

    return search


async def _add_answer(
    engine: Engine, case: Case, ranking: Ranking, made: Answer, *, judge: Judge | None, ranked: bool
) -> Ranking:
    """A ranking with an answer as it is scored: looked up in its documents, and judged."""
    documents = {citation.document.id: citation.document for citation in made.citations}
    records = {one.id: await _read_record(engine, one) for one in documents.values()}
    trace, rated = Trace(), None
    if judge is not None and judge.given_up is None:
        expected = case.answer or next(iter(case.answers), "")
        with trace.time_stage("judge"):
            rated = await judge.rate(case.question, made, expected=expected, answerable=case.answerable)
    told = [note.message for note in made.notes if note.code not in (*ANSWER_NOTES, made.reason)]
    return replace(
        ranking,
        entries=ranking.entries if ranked else tuple(map(_make_entry, made.hits)),
        timings={**made.timings, **trace.timings},
        answer=score_answer(made, lambda document: records.get(document.id), rated=rated),
        notes=tuple(dict.fromkeys((*ranking.notes, *told))),
    )


async def _read_record(engine: Engine, document: Document) -> str | None:
    try:
        return (await engine.record(document.path, source=document.source))[1]
    except UsageError:  # gone meanwhile: what was quoted of it stands nowhere
        return None


def _make_entry(hit: Hit) -> Entry:
    chunk = hit.chunk
    spans = tuple((s.char_start, s.char_end) for s in chunk.spans)
    return Entry(chunk.document.path, chunk.ordinal, spans, hit.score, chunk)


async def evaluate_golden(
    engine: Engine,
    cases: Sequence[Case],
    *,
    granularity: Granularity,
    name: str,
    ranked: bool = True,
    answers: bool = False,
    judge: Judge | None = None,
    ablate: bool = False,
    **options: Any,
) -> Report:
    """The report of a golden set over the engine's collection; `name` stands in its settings, `ablate` adds what each
    stage brings to rankings and answers. See `make_search`."""
    documents = await engine.documents()
    if granularity == "span" and ranked:
        cases = await _place_quotes(engine, cases, documents)
    warnings = (
        check_presence(cases, (document.path for document in documents), granularity=granularity) if ranked else ()
    )
    search = make_search(engine, ranked=ranked, answers=answers, judge=judge, **options)
    asked = options if ranked else _answer_options(options)
    depends = {**await describe_run(engine, asked, answers=answers, judge=judge), "golden": name}
    report = await _evaluate_cases(search, cases, granularity, depends, warnings, judge, ranked=ranked)
    if not ablate:
        return report
    if ranked:
        report = await _add_ablation(report, cases, lambda changed: make_search(engine, **{**options, **changed}))
    return await _add_answer_ablation(engine, report, cases, make_search, asked) if answers else report


async def evaluate_beir(
    engine: Engine,
    source: BeirSource,
    cases: Sequence[Case],
    *,
    name: str,
    split: str = "test",
    ranked: bool = True,
    answers: bool = False,
    judge: Judge | None = None,
    ablate: bool = False,
    **options: Any,
) -> Report:
    """Evaluate the questions of a BEIR folder whose corpus is ingested. Documents are compared by their BEIR ids.
    Options and errors are those of `evaluate`."""
    warnings = check_presence(cases, source.ids, granularity="id") if ranked else ()
    search = make_beir_search(engine, source, ranked=ranked, answers=answers, judge=judge, **options)
    asked = options if ranked else _answer_options(options)
    depends = {**await describe_run(engine, asked, answers=answers, judge=judge), "beir": name, "split": split}
    report = await _evaluate_cases(search, cases, "id", depends, warnings, judge, ranked=ranked)

    if not ablate:
        return report
    make = partial(make_beir_search, source=source)
    if ranked:
        report = await _add_ablation(report, cases, lambda changed: make(engine, **{**options, **changed}))
    return await _add_answer_ablation(engine, report, cases, make, asked) if answers else report


async def _add_ablation(report: Report, cases: Sequence[Case], make: SearchMaker) -> Report:
    """The report with what each stage of its search brings to the questions that are scored for ranking."""
    held, granularity = report.settings, report.settings["granularity"]
    scored = [case for case in cases if case.answerable and has_judgements(case, granularity)]
    if not scored:
        return report
    effective = {**held, "mode": held["mode"] if held["embedding"] else "keyword"}
    # Documents are ranked by their best chunk: there the limit is part of the measure.
    stages = list_stages(effective, fixed=("per_document",) if granularity in ("file", "id") else ())
    about: Any = {name: held[name] for name in ("metrics", "granularity", "depth")}
    return replace(report, ablation=await measure_stages(make, tuple(stages), scored, **about))


async def _add_answer_ablation(
    engine: Engine, report: Report, cases: Sequence[Case], make: Callable[..., SearchFunction], asked: Json
) -> Report:
    """The report with what each stage brings to the answers; a judge takes no part."""
    held = report.settings
    effective = {**held, "mode": held["mode"] if held["embedding"] else "keyword"}

    def make_answers(other: Engine, changed: Json) -> SearchFunction:
        return make(other, ranked=False, answers=True, **{**asked, **changed})

    effects = await measure_answer_stages(engine, make_answers, cases, effective)
    return replace(report, answer_ablation=effects)


async def _evaluate_cases(
    search: SearchFunction,
    cases: Sequence[Case],
    granularity: Granularity,
    depends: Json,
    warnings: Sequence[str],
    judge: Judge | None,
    *,
    ranked: bool,
) -> Report:
    depth = depends["top_k"] if ranked else None
    metrics = DEFAULT_METRICS if ranked else ()
    report = await evaluate(
        search, cases, metrics=metrics, granularity=granularity, depth=depth, settings=depends, warnings=warnings
    )
    if judge is None:
        return report
    missed = [f"a measure is missing: {why} ({format_count(count, 'time')})" for why, count in judge.failures.items()]
    return replace(report, judge=judge.summary, warnings=(*missed, *report.warnings))


def _answer_options(options: Json) -> Json:
    return {name: value for name, value in options.items() if name not in RANKING_OPTIONS}


async def check_only_beir(engine: Engine, source: BeirSource) -> None:
    """Raises `UsageError` when the collection holds what is not of this corpus: it would be found too."""
    documents = await engine.documents() if await engine.exists() else []
    known = {listed.path for listed in source.walk() if isinstance(listed, ListedFile)}
    if others := [d for d in documents if d.source != source.name or d.path not in known]:
        raise UsageError(
            f"collection {engine.scope.collection!r} holds {len(others)} documents that are not of this corpus, such "
            f"as {others[0].path} of source {others[0].source!r}: name another collection with --collection, or leave "
            "--store out for a scratch store"
        )


async def _place_quotes(engine: Engine, cases: Sequence[Case], documents: Sequence[Document]) -> tuple[Case, ...]:
    """The cases with their quotes as spans in the stored texts."""
    texts: dict[str, str | None] = {}
    for path in dict.fromkeys(quote.path for case in cases for quote in case.quotes):
        same = [document for document in documents if same_file(document.path, path)]
        first = min(same, key=lambda document: (document.path != path, document.path, document.source), default=None)
        texts[path] = (await engine.record(first.path, source=first.source))[1] if first else None
    return tuple(locate_quotes(case, texts.get) for case in cases)
