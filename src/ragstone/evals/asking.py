"""An engine as what an evaluation asks: rankings from searches, abstentions from answers."""

from pathlib import Path
from typing import Any

from ragstone.engine import Engine
from ragstone.evals.beir import BeirSource
from ragstone.evals.case import Case
from ragstone.evals.granularity import Entry, Ranking
from ragstone.evals.run import Search
from ragstone.types import Hit


def searching(engine: Engine, *, answers: bool = False, **options: Any) -> Search:
    """Search each case's question with its own filter; with `answers` an answer is asked for as well, as
    `ragstone ask` does: the cap on passages of a document that a ranking of documents needs is not put on it."""

    async def search(case: Case) -> Ranking:
        found = await engine.search(case.question, where=case.where, **options)
        entries = tuple(map(_entry, found.hits))
        if not answers:
            return Ranking(entries, timings=found.timings)
        asked = {name: value for name, value in options.items() if name != "per_document"}
        made = await engine.ask(case.question, where=case.where, **asked)
        return Ranking(entries, timings=made.timings, abstained=made.abstained)

    return search


def searching_beir(engine: Engine, folder: str | Path, **options: Any) -> Search:
    """The same over an ingested BEIR corpus: paths are turned back into the corpus's ids."""
    source = BeirSource(folder)
    inner = searching(engine, **options)

    async def search(case: Case) -> Ranking:
        ranking = await inner(case)
        entries = tuple(Entry(source.id_of(e.path), e.ordinal, e.spans, e.score) for e in ranking.entries)
        return Ranking(entries, timings=ranking.timings, abstained=ranking.abstained)

    return search


def _entry(hit: Hit) -> Entry:
    chunk = hit.chunk
    return Entry(chunk.document.path, chunk.ordinal, tuple((s.char_start, s.char_end) for s in chunk.spans), hit.score)
