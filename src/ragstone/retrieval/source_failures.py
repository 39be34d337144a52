"""Sources that fail among several: each is a note, and all failing is an error."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from ragstone.core.errors import ConfigError, RagstoneError, StoreError, UsageError, is_for_operator
from ragstone.core.trace import Trace
from ragstone.retrieval.candidates import SourceResult
from ragstone.retrieval.search_context import Source


async def search_at_once(
    sources: Sequence[Source], search: Callable[[Source, Trace], Awaitable[SourceResult | None]], trace: Trace
) -> list[SourceResult]:
    """The results of sources, all searched at once; notes come in the order of the sources, whichever ended first."""
    if len(sources) == 1:
        results = [await search(sources[0], trace)]
    else:
        traces = [Trace() for _ in sources]
        results = list(await asyncio.gather(*map(search, sources, traces)))
        for own in traces:
            trace.join(own, at_once=True)
    return [result for result in results if result is not None]


async def keep_failure(work: Awaitable[SourceResult], failures: list[RagstoneError]) -> SourceResult:
    """One source's mistake must not keep the others from answering: it is remembered for when none does."""
    try:
        return await work
    except RagstoneError as error:
        failures.append(error)
        raise


def combine_failures(failures: Sequence[RagstoneError], trace: Trace) -> RagstoneError:
    """The error of a search that no source answered: the only one as it is, else all; a mistake of the caller, or of
    the configuration, where all are."""
    if len(failures) == 1:
        return failures[0]
    kind: type[RagstoneError] = StoreError
    if failures and all(isinstance(error, UsageError) for error in failures):
        kind = ConfigError if any(is_for_operator(error) for error in failures) else UsageError
    return kind("the search failed: " + "; ".join(dict.fromkeys(note.message for note in trace.notes)))
