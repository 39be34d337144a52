"""Sources that fail among several: each is a note, and all failing is an error."""

from collections.abc import Awaitable, Sequence

from ragstone.core.errors import ConfigError, RagstoneError, StoreError, UsageError, is_for_operator
from ragstone.core.trace import Trace
from ragstone.retrieval.candidates import SourceResult


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
