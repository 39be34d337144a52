"""Errors of PostgreSQL and its driver as Ragstone's: one table by SQLSTATE, one by the message of a refused
connection."""

import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from psycopg import DatabaseError, Error, InterfaceError, OperationalError

from ragstone.core.errors import Busy, Corrupt, RagstoneError, StoreError, StoreNotReady, StoreTooNew, UsageError
from ragstone.stores import error_meanings
from ragstone.stores.error_meanings import NO_DISK_SPACE, UNEXPECTED, Meaning

LOST = (StoreError, "the connection to {place} was lost ({error}); run again (what was committed is safe)")
BUSY = (Busy, "{place} is busy ({error}); run again")
DENIED = (UsageError, "the role of {place} may not do this ({error}); give it the role ragstone_write or ragstone_read")
NOT_MIGRATED = (UsageError, "{place} is not made ready ({error}); run: ragstone migrate --store URL")
DAMAGED = (Corrupt, "{place} is damaged ({error}); run: ragstone doctor")
STANDBY = (StoreError, "{place} may only be read (a standby?); write to its primary: target_session_attrs=primary")
SLOW = (StoreError, "{place} took too long ({error}); run again, or raise statement_timeout for its role")

READ_ONLY_STATE = "25006"
# What every database means by these; the longest prefix of the SQLSTATE that is listed decides.
COMMON_STATES: Mapping[str, Meaning] = {"08": LOST, "57P": LOST, "40": BUSY, "53": BUSY}
STATES: Mapping[str, Meaning] = {
    **COMMON_STATES,
    "57014": SLOW,
    READ_ONLY_STATE: STANDBY,
    "25P03": LOST,  # idle_in_transaction_session_timeout
    "55P03": BUSY,
    "53100": NO_DISK_SPACE,
    "42501": DENIED,
    "42P01": NOT_MIGRATED,
    "42703": NOT_MIGRATED,
    "42883": NOT_MIGRATED,
    "3F000": NOT_MIGRATED,
    "XX001": DAMAGED,
    "XX002": DAMAGED,
}
# A refused connection carries no SQLSTATE through libpq; these stand in the server's English and mean: do not retry.
REFUSALS: Mapping[str, str] = {
    "password authentication failed": "{place}: the user or the password is wrong",
    "no password supplied": "{place} asks for a password: write it in the URL, PGPASSWORD or a passfile",
    "role ": "{place}: there is no such user, or it may not log in ({error})",
    "database ": "{place}: there is no such database, or it may not be used ({error}); create it with createdb",
    "permission denied": "{place}: this user may not connect ({error})",
    "authentication failed": "{place}: the server does not accept this user ({error})",
    "pg_hba.conf": "{place}: the server's pg_hba.conf does not let this user in ({error})",
    "does not support SSL": "{place}: the server has no TLS ({error})",
    "invalid port number": "{place} is not an address of a server ({error}); write postgresql://USER:PASSWORD@HOST:PORT/DATABASE",
    "certificate": "{place}: the server's certificate is not accepted ({error})",
    "target_session_attrs": "{place}: no server of the kind that target_session_attrs asks for ({error})",
    "session is not read-only": "{place}: no standby among the servers ({error})",
    "session is read-only": "{place}: no primary among the servers ({error})",
}
UNKNOWN_HOST = f"[Errno {socket.EAI_NONAME}]"  # what the system says of a host that has no address
# Said by the driver here, before or instead of the server.
DRIVER_REFUSALS = ("no password supplied", "does not support SSL", "invalid port number", "certificate")
# A server, or the pooler before it, that has as many connections as it takes.
FULL = ("too many", "connection slots are reserved", "no more connections allowed")
RETRYABLE = ("08", "57P", "25P03", "40001", "40P01")


def sqlstate_of(error: BaseException) -> str:
    """The SQLSTATE of an error, empty where there is none."""
    return getattr(error, "sqlstate", None) or ""


def is_connection_lost(error: BaseException) -> bool:
    """Whether the same call may succeed on another connection, or when tried again."""
    state = sqlstate_of(error)
    return (isinstance(error, OperationalError | InterfaceError) and not state) or state.startswith(RETRYABLE)


def is_starting(error: OperationalError) -> bool:
    """Whether a server that is there asks to be tried again."""
    return any(sign in str(error) for sign in ("starting up", "shutting down", "recovery", *FULL))


def is_lost(error: OperationalError) -> bool:
    """Whether a connection could not be opened because no server serves there: one that refuses this user, or has as
    many connections as it takes, does."""
    said = str(error)
    return not any(sign in said for sign in FULL) and explain_refusal(error, "") is None


def explain_refusal(error: OperationalError, place: str) -> UsageError | None:
    """The caller's mistake behind a refused connection; None when trying again may help."""
    said = str(error)
    if is_starting(error):
        return None
    fatal = "FATAL" in said
    for sign, words in REFUSALS.items():
        if sign in said and (fatal or sign in DRIVER_REFUSALS):
            return UsageError(words.format(place=place, error=first_error_line(error)))
    return None


def explain_silence(error: Exception, place: str) -> RagstoneError:
    """The error for a server that has not answered in time: its name may have come up late, or be none at all."""
    if UNKNOWN_HOST in str(error):
        return StoreNotReady(f"{place}: there is no such host ({first_error_line(error)}); check the URL")
    return StoreError(f"{place} does not answer ({first_error_line(error)}); is the server running?")


def translate_error(error: Error, place: str, states: Mapping[str, Meaning] = STATES) -> RagstoneError:
    """Our error for a foreign one, by a table of SQLSTATEs."""
    state = sqlstate_of(error)
    lost = LOST if isinstance(error, OperationalError | InterfaceError) else UNEXPECTED
    kind, words = next(
        (states[state[:n]] for n in range(len(state), 1, -1) if state[:n] in states), UNEXPECTED if state else lost
    )
    return kind(words.format(place=place, error=first_error_line(error)))


def first_error_line(error: BaseException) -> str:
    """The first line of an error, without the statement and the place in it."""
    return error_meanings.first_error_line(str(error)) or type(error).__name__


@contextmanager
def map_read_only(reason: str | None) -> Iterator[None]:
    """Let writes that a transaction refused be `StoreTooNew`, where `reason` is why this program may only read."""
    try:
        yield
    except StoreError as error:
        if reason is None or error.__cause__ is None or sqlstate_of(error.__cause__) != READ_ONLY_STATE:
            raise
        raise StoreTooNew(reason) from error.__cause__


@contextmanager
def map_errors(place: str, states: Mapping[str, Meaning] = STATES) -> Iterator[None]:
    """Let no foreign error pass: `place` is what the sentence names, `states` what SQLSTATEs mean here."""
    try:
        yield
    except (DatabaseError, InterfaceError) as error:
        raise translate_error(error, place, states) from error
