"""Errors of PostgreSQL about a foreign table as Ragstone's."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from psycopg import DatabaseError

from ragstone.core.errors import ConfigError, Corrupt, RagstoneError, StoreError, UsageError
from ragstone.stores.error_meanings import Meaning
from ragstone.stores.postgres.error_mapping import COMMON_STATES, first_error_line, map_errors, sqlstate_of

GONE = (StoreError, "{place} changed a moment ago ({error}); ask again, or correct the pipeline")
DENIED = (StoreError, "{place} may not be read by this role ({error}); GRANT SELECT on it, or name another user")
SLOW = (StoreError, "{place} took longer than the pipeline's timeout ({error}); add an index, or raise timeout")
VALUE = (UsageError, "a value of the filter fits no column of {place} ({error})")
VECTORS = (StoreError, "the vectors of {place} cannot be compared with the question's ({error}); is it the same model?")
FILTER = "the filter of {place} is not a condition on its columns ({error}); correct it in the configuration"
DAMAGED = (Corrupt, "{place} is damaged ({error}); its owner must repair it")

WRONG_CONDITION = ("42", "22")  # SQLSTATEs of a condition that is wrong in itself

# The longest prefix of the SQLSTATE that is listed decides.
STATES: Mapping[str, Meaning] = {
    **COMMON_STATES,
    "57014": SLOW,
    "55P03": SLOW,
    "42501": DENIED,
    "42P01": GONE,
    "42703": GONE,
    "42704": GONE,
    "3F000": GONE,
    "22007": VALUE,
    "22008": VALUE,
    "22003": VALUE,
    "22P02": VALUE,
    "22000": VECTORS,
    "XX001": DAMAGED,
    "XX002": DAMAGED,
}


@contextmanager
def map_table_errors(place: str) -> Iterator[None]:
    """Map the driver's errors to Ragstone's; the message names `place`."""
    with map_errors(place, STATES):
        yield


@contextmanager
def map_filter_errors(place: str) -> Iterator[None]:
    """Map errors while a configured filter is tried: a wrong filter is an error of the configuration."""
    try:
        with map_table_errors(place):
            yield
    except RagstoneError as error:
        if isinstance(cause := error.__cause__, DatabaseError) and sqlstate_of(cause).startswith(WRONG_CONDITION):
            raise ConfigError(FILTER.format(place=place, error=first_error_line(cause))) from cause
        raise
