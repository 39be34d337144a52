"""Which of a document's states are active, waiting or kept: the same on every store.

The newest revision whose time has come is active. A newer one with a date in the future waits; an older
one that never came to its day was overtaken.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal

from ragstone.core.errors import UsageError
from ragstone.core.types import Document

Status = Literal["active", "pending", "kept", "gone"]


def utc_now() -> datetime:
    """The clock that decides which revisions are effective."""
    return datetime.now(UTC)


def due_at(document: Document) -> float | None:
    """When a revision takes effect, in seconds since 1970; None for at once.

    A date alone is its first moment in UTC. Raises `UsageError` for an invalid ISO date.
    """
    if not document.effective_at:
        return None
    try:
        moment = datetime.fromisoformat(document.effective_at)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError) as error:
        raise UsageError(
            f"{document.path}: invalid effective_at {document.effective_at!r}: expected a date such as 2026-01-31"
        ) from error


def revision_statuses(waits: Sequence[bool], *, keep: int) -> list[Status]:
    """The status of each revision, the newest first: `waits` marks those whose date has not come; `keep` of the
    effective ones stay, the active one among them."""
    found: list[Status] = []
    effective = 0
    for waiting in waits:
        if waiting and not effective:
            found.append("pending")
            continue
        effective += 1
        found.append("active" if effective == 1 else "kept" if effective <= keep else "gone")
    return found
