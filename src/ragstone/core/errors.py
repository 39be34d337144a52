"""Everything that can go wrong, as one tree.

RagstoneError                   1  failure
├── UsageError                  2  the caller can fix it: input, option, path, filter
│   ├── ConfigError             2  a configuration file or environment variable
│   ├── Unauthorized            2  a key or token is missing or not accepted
│   ├── Forbidden               2  the key or token lacks a permission
│   ├── StoreNotReady           2  the store's server or its tables are not there, perhaps not yet
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
what is wrong, where, and what to do.
"""


class RagstoneError(Exception):
    """Anything that Ragstone raises on purpose."""

    code = "failure"
    exit = 1


class UsageError(RagstoneError):
    """The request cannot be carried out as it was written."""

    code = "bad_request"
    exit = 2


class ConfigError(UsageError):
    """A configuration key or environment variable is unknown or has an impossible value."""

    code = "bad_config"


class Unauthorized(UsageError):
    """The key or token is missing or not accepted.

    `reason` is one of: missing, malformed, unknown, revoked, expired, early, algorithm, signature, issuer, audience,
    claim, tenant, role, unsupported.
    """

    code = "unauthorized"

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class Forbidden(UsageError):
    """The caller is known but lacks the permission."""

    code = "forbidden"


class StoreNotReady(UsageError):
    """The store's server has no address, or its tables are missing or old: another program may still be making them."""

    code = "store_not_ready"


class StoreTooNew(UsageError):
    """The store's format is newer than this program reads."""

    code = "store_too_new"


class NotAStore(UsageError):
    """Other files stand where the store, or a part of it, belongs; nothing of them is touched."""

    code = "not_a_store"


class StoreError(RagstoneError):
    """The store failed."""

    code = "store_failed"


class NotBuilt(StoreError):
    """Nothing was ever ingested into this collection."""

    code = "index_not_built"


class Busy(StoreError):
    """Another process holds the lock that is needed."""

    code = "busy"


class NoKey(StoreError):
    """The data is encrypted, and the configured key does not open it, or none is configured."""

    code = "no_key"
    exit = 2


class Corrupt(StoreError):
    """A file of the store does not match its checksum or its header."""

    code = "corrupt"


class DiskFull(StoreError):
    """The disk has no room; committed work is untouched."""

    code = "disk_full"


class Refused(RagstoneError):
    """One document cannot be ingested; the run goes on without it.

    `reason` is one of: too_large, not_text, encoding, unsupported, encrypted, broken, empty, no_text, too_slow,
    too_big, sandbox, denied, outside_root, unreadable, vanished, artifact, limit.
    """

    code = "document_refused"

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class Unavailable(RagstoneError):
    """A model or service cannot be used now; the message names the remedy."""

    code = "unavailable"


class QueueFull(RagstoneError):
    """A server works on as many questions as it takes and the queue is full: ask again in `retry_after_seconds`."""

    code = "queue_full"

    def __init__(self, retry_after_seconds: int) -> None:
        super().__init__(f"the server is busy: ask again in {retry_after_seconds} s")
        self.retry_after_seconds = retry_after_seconds


class Degraded(RagstoneError):
    """A measure fell below its baseline."""

    code = "degraded"
    exit = 3
