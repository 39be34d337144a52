"""Whether a server's store answers: looked at when a probe or Prometheus asks, at most once a second."""

import asyncio
import logging
import math
import time
from collections.abc import Callable
from typing import Protocol

from ragstone import stores
from ragstone.config.settings import Settings
from ragstone.core.errors import RagstoneError, StoreError
from ragstone.core.waits import WaitCause, collect_waits
from ragstone.engine.engine_pool import EnginePool
from ragstone.engine.preparation import check_store

log = logging.getLogger("ragstone")

LOOK_SECONDS = 2.0  # probes give up soon
END_SECONDS = 0.5  # for a look that is cut off to end
FRESH_SECONDS = 1.0
NO_ANSWER = f"the store did not answer within {LOOK_SECONDS:g} s"


class ProbedServer(Protocol):
    """The part of a server's state that says where its store is."""

    @property
    def settings(self) -> Settings: ...

    @property
    def pool(self) -> EnginePool: ...


class StoreProbe:
    """The last look at the store of a state; several probes that ask at once share one."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._looked_at = -math.inf
        self._problem: str | None = None
        self.is_read_only = False  # as far as was looked
        self._looking = asyncio.Lock()

    async def find_problem(self, state: ProbedServer) -> str | None:
        """Why the store cannot be used now; None where it answers, is busy, or is on this machine."""
        if stores.local_place(state.settings.store) is not None:
            return None
        async with self._looking:
            if self._clock() - self._looked_at > FRESH_SECONDS:
                problem = await self._look(state)
                if problem != self._problem:
                    log.warning("%s", problem or "the store answers again")
                self._problem, self._looked_at = problem, self._clock()
            return self._problem

    async def _look(self, state: ProbedServer) -> str | None:
        try:
            found = await _look_at_store(state)
        except RagstoneError as error:
            return str(error)
        self.is_read_only = self.is_read_only if found is None else found
        return None


async def _look_at_store(state: ProbedServer) -> bool | None:
    """Whether the store may only be read, None where it is busy; raises why it cannot be used now."""
    with collect_waits() as causes:
        looking = asyncio.ensure_future(check_store(state.settings, state.pool.shared))
    try:
        await asyncio.wait({looking}, timeout=LOOK_SECONDS)
    finally:
        looking.cancel()
    await asyncio.wait({looking}, timeout=END_SECONDS)  # a driver may wait for a server that says nothing
    if not looking.done() or looking.cancelled():
        looking.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        cause = causes[0] if causes else WaitCause(NO_ANSWER)
        if cause.is_busy:
            return None
        raise StoreError(cause.said)
    return looking.result() is not None
