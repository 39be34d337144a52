"""Asking again after what may pass: how long to wait, and when to give up."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from ragstone.core.errors import Unavailable
from ragstone.providers.endpoint import Endpoint

TRANSIENT_STATUSES = frozenset((408, 409, 425, 429))  # and all of 500 and more but those below
PERMANENT_STATUSES = frozenset((501, 505))  # the server cannot do it, now or later


class TransientError(Unavailable):
    """A failure that may be gone the next time; `after` are the seconds that the vendor asks to wait."""

    disclosure = Unavailable.disclosure

    def __init__(self, message: str, after: float | None = None) -> None:
        super().__init__(message)
        self.after = after


def is_transient(status: int) -> bool:
    """Whether the same request may succeed later.

    >>> [is_transient(status) for status in (400, 401, 404, 429, 500, 501, 529)]
    [False, False, False, True, True, False, True]
    """
    return status in TRANSIENT_STATUSES or (status >= 500 and status not in PERMANENT_STATUSES)


def parse_retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """The seconds of a Retry-After header: a number, or the time until a date.

    >>> parse_retry_after({"retry-after": "2.5"}), parse_retry_after({"retry-after-ms": "40"}), parse_retry_after({})
    (2.5, 0.04, None)
    """
    with suppress(ValueError):
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
    given = headers.get("retry-after")
    if given is None:
        return None
    with suppress(ValueError):
        return max(0.0, float(given))
    with suppress(ValueError, TypeError):
        return max(0.0, (parsedate_to_datetime(given) - (now or datetime.now(UTC))).total_seconds())
    return None


class Attempts:
    """The attempts of one request: a deadline for all together, and the pauses between them."""

    def __init__(self, reach: Endpoint) -> None:
        self._reach = reach
        self._loop = asyncio.get_running_loop()
        self.end = self._loop.time() + reach.total
        self.made = 1

    def deadline_after(self, heard: float, seconds: float | None = None) -> float:
        """When the patience with this attempt ends, by the loop's clock: `timeout` after it was last heard of, or
        `seconds` where these are fewer."""
        timeout = self._reach.timeout
        return min(self.end, heard + (timeout if seconds is None else min(timeout, seconds)))

    async def wait_before_retry(self, failure: TransientError) -> None:
        """Wait before the next attempt. Raises `Unavailable` when there is to be none, or no time for it."""
        reach = self._reach
        times = f" (tried {self.made} times)" if self.made > 1 else ""
        if self.made > reach.retries:
            raise Unavailable(f"{failure}{times}") from failure
        wait = failure.after
        if wait is None:  # the jitter parts clients that failed together
            wait = min(reach.most, reach.first * 2 ** (self.made - 1)) * random.uniform(0.5, 1)  # noqa: S311  # no secret
        if self._loop.time() + wait >= self.end:
            limit = f"{reach.total_setting} allows {reach.total:g} s"
            raise Unavailable(f"{failure}{times}; the next try would come too late: {limit}") from failure
        await asyncio.sleep(wait)
        self.made += 1
