"""An engine as what an evaluation asks: rankings from searches, abstentions from answers."""

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from ragstone.engine import Engine
from ragstone.errors import UsageError
from ragstone.evals.answered import answered
from ragstone.evals.beir import BeirSource
from ragstone.evals.case import Case
from ragstone.evals.golden import located
from ragstone.evals.granularity import Entry, Granularity, Ranking, same_file
from ragstone.evals.presence import doubts
from ragstone.evals.run import Report, Search, evaluate
from ragstone.ports import Listed
from ragstone.types import Document, Hit, Json

# What a ranking needs and an answer does not: how deep it goes, how many passages of a document it shows.
OF_RANKINGS = ("top_k", "per_document")


def searching(engine: Engine, *, answers: bool = False, **options: Any) -> Search:
    """Search each case's question with its own filter; with `answers` an answer is asked for as well, as
    `ragstone ask` does: what shapes the ranking alone is not put on it."""

    async def search(case: Case) -> Ranking:
        found = await engine.search(case.question, where=case.where, **{**options, "cache": False})
        entries, notes = tuple(map(_entry, found.hits)), tuple(note.message for note in found.notes)
        if not answers:
            return Ranking(entries, timings=found.timings, notes=notes)
        asked = {name: value for name, value in options.items() if name not in OF_RANKINGS} | {"cache": False}
        made = await engine.ask(case.question, where=case.where, **asked)
        records = {
            one.id: await _record(engine, one) for one in {c.document.id: c.document for c in made.citations}.values()
        }
        scored = answered(made, lambda document: records.get(document.id))
        return Ranking(entries, timings=made.timings, answer=scored, notes=notes)

    return search


def searching_beir(engine: Engine, source: BeirSource, **options: Any) -> Search:
    """The same over an ingested BEIR corpus: paths are turned back into the corpus's ids."""
    inner = searching(engine, **options)

    async def search(case: Case) -> Ranking:
        ranking = await inner(case)
        entries = tuple(Entry(source.id_of(e.path), e.ordinal, e.spans, e.score) for e in ranking.entries)
        return replace(ranking, entries=entries)

    return search


async def _record(engine: Engine, document: Document) -> str | None:
    try:
        return (await engine.record(document.path, source=document.source))[1]
    except UsageError:  # gone meanwhile: what was quoted of it stands nowhere
        return None


def _entry(hit: Hit) -> Entry:
    chunk = hit.chunk
    return Entry(chunk.document.path, chunk.ordinal, tuple((s.char_start, s.char_end) for s in chunk.spans), hit.score)


def in_effect(engine: Engine, **options: Any) -> Json:
    """The whole search that these options make, for a report; raises `UsageError` for an impossible one."""
    question = engine.question("any", **{**options, "cache": False})
    return {f.name: getattr(question, f.name) for f in fields(question) if f.name not in ("text", "where")}


async def over_golden(
    engine: Engine,
    cases: Sequence[Case],
    *,
    granularity: Granularity,
    name: str,
    answers: bool = False,
    **options: Any,
) -> Report:
    """The report of a golden set over the engine's collection; `name` stands in its settings."""
    settings = {**in_effect(engine, **options), "answers": answers, "golden": name}
    documents = await engine.documents()
    if granularity == "span":
        cases = await _placed(engine, cases, documents)
    search = searching(engine, answers=answers, **options)
    warnings = doubts(cases, (document.path for document in documents), granularity=granularity)
    depth = settings["top_k"]
    return await evaluate(search, cases, granularity=granularity, depth=depth, settings=settings, warnings=warnings)


async def over_beir(
    engine: Engine,
    source: BeirSource,
    cases: Sequence[Case],
    *,
    name: str,
    split: str = "test",
    answers: bool = False,
    **options: Any,
) -> Report:
    """The same for the questions of a BEIR folder whose corpus was ingested: scored by ids."""
    settings = {**in_effect(engine, **options), "answers": answers, "beir": name, "split": split}
    search = searching_beir(engine, source, answers=answers, **options)
    warnings = doubts(cases, source.ids, granularity="id")
    depth = settings["top_k"]
    return await evaluate(search, cases, granularity="id", depth=depth, settings=settings, warnings=warnings)


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
