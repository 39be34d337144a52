"""A server that takes no connections: waits for it end at once, and one probe finds out when it is back."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import Context

from ragstone.core.errors import RagstoneError

log = logging.getLogger("ragstone")

GRACE = 3.0  # seconds of failing connections that are waited out: a restart takes as long
PROBE_PAUSE = 0.5  # seconds between two probes


class Outage:
    """The outages of one server. Only connections tell of one: neither a slow statement nor one that fails.

    `knock` takes one connection and gives it up; it raises one of the errors `lost` where no server answers. `explain`
    makes such an error ours.
    """

    def __init__(
        self,
        knock: Callable[[], Awaitable[None]],
        *,
        lost: tuple[type[Exception], ...],
        explain: Callable[[Exception], RagstoneError],
    ) -> None:
        self._knock = knock
        self._lost = lost
        self._explain = explain
        self._cause: Exception | None = None  # of the outage that lasts
        self._last_cause: Exception | None = None  # of that one or the one before
        self._failing_since: float | None = None
        self._failed_at = 0.0  # monotonic seconds of the last failure
        self._waiting: set[asyncio.Timeout] = set()
        self._probing: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def is_known(self) -> bool:
        """Whether the server was lost and is not back yet."""
        probing = self._probing
        # A loop that ended took its tasks along.
        looked_for = probing is not None and not probing.done() and probing.get_loop() is asyncio.get_running_loop()
        if self._cause is not None and not looked_for:
            self._end_outage()
        return self._cause is not None

    def check(self) -> None:
        """Raise the error of an outage that is known."""
        if self.is_known and self._cause is not None:
            raise self._make_error(self._cause)

    @asynccontextmanager
    async def limit_wait(self) -> AsyncIterator[None]:
        """A wait for a connection: it ends with the error of an outage, also of one that becomes known meanwhile."""
        self.check()
        try:
            async with asyncio.timeout(None) as patience:
                self._waiting.add(patience)
                try:
                    yield
                finally:
                    self._waiting.discard(patience)
        except TimeoutError:
            if not patience.expired() or self._last_cause is None:
                raise
            raise self._make_error(self._last_cause) from self._last_cause  # it may be over since

    def note_failure(self, error: Exception, *, begun: float) -> None:
        """A connection that was asked for at `begun` (monotonic seconds) could not be opened. One that fails long after
        the last begins anew: nobody looked meanwhile."""
        goes_on = self._failing_since is not None and begun - self._failed_at <= GRACE
        self._failing_since = min(self._failing_since or begun, begun) if goes_on else begun
        self._failed_at = time.monotonic()
        if self._failed_at - self._failing_since >= GRACE:
            self._begin_outage(error)
            self.suspect()

    def note_answer(self) -> None:
        """A connection was opened, or refused by a server that is there."""
        self._failing_since = None
        self._end_outage()

    def suspect(self) -> None:
        """Find out whether the server is there, because it left something unanswered."""
        if not self._closed and (self._probing is None or self._probing.done()):
            self._probing = asyncio.get_running_loop().create_task(self._probe(), context=Context())

    async def close(self) -> None:
        """Stop looking for the server, for good."""
        self._closed = True
        probing, self._probing = self._probing, None
        if probing is not None and probing.get_loop() is asyncio.get_running_loop():
            probing.cancel()
            await asyncio.wait([probing])

    async def _probe(self) -> None:
        """Until the server takes a connection."""
        while True:
            try:
                await self._knock()
            except self._lost as error:
                self._begin_outage(error)
                await asyncio.sleep(PROBE_PAUSE)
            else:
                self._probing = None
                self.note_answer()
                return

    def _begin_outage(self, error: Exception) -> None:
        if self._cause is None:
            log.warning("%s; requests are refused at once until it answers", self._explain(error))
        self._cause = self._last_cause = error
        for patience in self._waiting:
            if patience.when() is None:
                patience.reschedule(0.0)

    def _end_outage(self) -> None:
        probing, self._probing = self._probing, None
        if probing is not None and probing.get_loop() is asyncio.get_running_loop():
            probing.cancel()
        if self._cause is not None:
            log.warning("the store answers again")
        self._cause = None

    def _make_error(self, cause: Exception) -> RagstoneError:
        error = self._explain(cause)
        error.__cause__ = cause
        return error
