"""Everything that can go wrong, as one tree.

RagstoneError                   1  failure
├── UsageError                  2  the caller can fix it: input, option, path, filter
│   ├── ConfigError             2  a configuration file or environment variable
│   ├── Unauthorized            2  a key or token is missing or not accepted
│   ├── Forbidden               2  the key or token lacks a permission
│   ├── StoreNotReady           2  the store's server or its tables are not there, perhaps not yet
│   ├── SourceNotReady          2  a source is not where the settings say, or may not be read
│   ├── StoreTooNew             2  the store was written by a newer program
│   └── NotAStore               2  something else stands where the store, or a part of it, belongs
├── StoreError                  1  the store failed
│   ├── NotBuilt                1  the collection does not exist yet
│   ├── Busy                    1  another process is writing
│   ├── NoKey                   2  the data is encrypted and its key is missing
│   ├── Corrupt                 1  a file does not match its checksum
│   └── DiskFull                1  no room left to write
├── Refused                     1  one document that is skipped, with a reason code
├── Unavailable                 1  a model or a vendor that cannot be reached
├── QueueFull                   1  a server has as many questions as it takes
└── Degraded                    3  worse than the baseline it was compared with

Each class carries a stable `code` for machines and an exit status for shells; the message says
what is wrong, where, and what to do. Its `disclosure` says what of that a caller of a server reads.
"""

from dataclasses import dataclass
from typing import ClassVar, TypeVar


@dataclass(frozen=True, slots=True)
class Disclosure:
    """The words of an error for callers who do not run a server: `sentence` in place of its own message, which may name
    places and settings of the server; None where the message is for everyone. `for_operator`: only who runs the server
    can mend it, and its log has the message."""

    sentence: str | None = None
    for_operator: bool = False


IN_OWN_WORDS = Disclosure()
STORE_FAILED = Disclosure("the store cannot be used now", for_operator=True)


class RagstoneError(Exception):
    """Anything that Ragstone raises on purpose."""

    code = "failure"
    exit = 1
    disclosure: ClassVar[Disclosure] = Disclosure("the request failed", for_operator=True)


class UsageError(RagstoneError):
    """The request cannot be carried out as it was written."""

    code = "bad_request"
    exit = 2
    disclosure = IN_OWN_WORDS


class ConfigError(UsageError):
    """A configuration key or environment variable is unknown or has an impossible value."""

    code = "bad_config"
    disclosure = Disclosure("the server's configuration is wrong", for_operator=True)


class Unauthorized(UsageError):
    """The key or token is missing or not accepted.

    `reason` is one of: missing, malformed, unknown, revoked, expired, early, algorithm, signature, issuer, audience,
    claim, tenant, role, unsupported.
    """

    code = "unauthorized"
    disclosure = IN_OWN_WORDS

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class Forbidden(UsageError):
    """The caller is known but lacks the permission."""

    code = "forbidden"
    disclosure = IN_OWN_WORDS


class StoreNotReady(UsageError):
    """The store's server has no address, or its tables are missing or old: another program may still be making them."""

    code = "store_not_ready"
    disclosure = Disclosure("the store is not ready", for_operator=True)


class SourceNotReady(UsageError):
    """A source's folder or file is missing, elsewhere than before, or may not be read: it may be mounted later."""

    code = "source_not_ready"
    disclosure = Disclosure("a source of this collection cannot be read", for_operator=True)


class StoreTooNew(UsageError):
    """The store's format is newer than this program reads."""

    code = "store_too_new"
    disclosure = Disclosure("the store is newer than this server", for_operator=True)


class NotAStore(UsageError):
    """Other files stand where the store, or a part of it, belongs; nothing of them is touched."""

    code = "not_a_store"
    disclosure = STORE_FAILED


class StoreError(RagstoneError):
    """The store failed."""

    code = "store_failed"
    disclosure = STORE_FAILED


class NotBuilt(StoreError):
    """Nothing was ever ingested into this collection."""

    code = "index_not_built"
    disclosure = Disclosure("this collection does not exist, or nothing was ingested into it yet")


class Busy(StoreError):
    """Another process holds the lock that is needed."""

    code = "busy"
    disclosure = Disclosure("another run is writing: try again")


class NoKey(StoreError):
    """The data is encrypted, and the configured key does not open it, or none is configured."""

    code = "no_key"
    exit = 2
    disclosure = STORE_FAILED


class Corrupt(StoreError):
    """A file of the store does not match its checksum or its header."""

    code = "corrupt"
    disclosure = STORE_FAILED


class DiskFull(StoreError):
    """The disk has no room; committed work is untouched."""

    code = "disk_full"
    disclosure = STORE_FAILED


class Refused(RagstoneError):
    """One document cannot be ingested; the run goes on without it.

    `reason` is one of: too_large, not_text, encoding, unsupported, encrypted, broken, empty, no_text, too_slow,
    too_big, sandbox, denied, outside_root, unreadable, vanished, artifact, limit.
    """

    code = "document_refused"
    disclosure = IN_OWN_WORDS

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class Unavailable(RagstoneError):
    """A model or service cannot be used now; the message names the remedy."""

    code = "unavailable"
    disclosure = IN_OWN_WORDS


class QueueFull(RagstoneError):
    """A server works on as many questions as it takes and the queue is full: ask again in `retry_after_seconds`."""

    code = "queue_full"
    disclosure = IN_OWN_WORDS

    def __init__(self, retry_after_seconds: int) -> None:
        super().__init__(f"the server is busy: ask again in {retry_after_seconds} s")
        self.retry_after_seconds = retry_after_seconds


class Degraded(RagstoneError):
    """A measure fell below its baseline."""

    code = "degraded"
    exit = 3
    disclosure = IN_OWN_WORDS


AnyError = TypeVar("AnyError", bound=RagstoneError)


def extend_message(error: AnyError, more: str) -> AnyError:
    """The error with more behind its message, of the same class; its constructor is not called.

    >>> longer = extend_message(Unauthorized("expired", "the key has expired"), "; make another")
    >>> str(longer), longer.reason
    ('the key has expired; make another', 'expired')
    """
    made = type(error).__new__(type(error))
    made.__dict__.update(error.__dict__)
    made.args = (f"{error}{more}",)
    return made


def tell_caller(error: Exception) -> str:
    """The sentence of an error for callers who do not run the server.

    >>> tell_caller(UsageError("top_k: expected 1 to 1000")), tell_caller(Corrupt("/srv/store/vectors is damaged"))
    ('top_k: expected 1 to 1000', 'the store cannot be used now')
    """
    if not isinstance(error, RagstoneError):
        return "internal error"
    return str(error) if error.disclosure.sentence is None else error.disclosure.sentence


def is_for_operator(error: Exception) -> bool:
    """Whether only who runs the server can mend an error; one that nobody foresaw is of this kind."""
    return not isinstance(error, RagstoneError) or error.disclosure.for_operator


def tell_kind(name: str, message: str) -> str:
    """As `tell_caller`, for the record of an error: the name of its class and its message.

    >>> tell_kind("Unavailable", "the model is away"), tell_kind("DiskFull", "/srv is full"), tell_kind("KeyError", "x")
    ('the model is away', 'the store cannot be used now', 'internal error')
    """
    kinds: list[type[RagstoneError]] = [RagstoneError]
    for kind in kinds:  # it grows by those below
        if kind.__name__ == name:
            return kind.disclosure.sentence or message
        kinds += kind.__subclasses__()
    return tell_caller(Exception())
