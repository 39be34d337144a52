"""The start of a server: each thing that it needs is checked by name, waited for where it may still come, and warm."""

import asyncio
import logging
import time
from collections.abc import Callable

from ragstone.config.settings import Settings
from ragstone.core.errors import Corrupt, DiskFull, NoKey, RagstoneError, StoreError, StoreNotReady, UsageError
from ragstone.core.freed_memory import release_memory
from ragstone.engine.preparation import Part, list_parts
from ragstone.engine.shared_parts import SharedParts

log = logging.getLogger("ragstone.start")

PAUSES = (0.1, 0.25, 0.5, 1.0, 2.0)  # seconds between two tries; the last one again and again
FOR_GOOD = (Corrupt, DiskFull, NoKey)  # failures of a store that waiting does not mend


class Startup:
    """The state of a server's start: `waits_for` names the part that is checked now, None after the last one;
    `failure` is the error that ends the server.

    `wait` is how long it tries to reach a store, in seconds. `tell` gets a line for each thing, `stop` is called where
    one of them fails for good. `loading` keeps models that began to load before, until all is ready.
    """

    def __init__(
        self,
        wait: float,
        *,
        tell: Callable[[str], None] = log.info,
        stop: Callable[[], None] = lambda: None,
        loading: list[object] | None = None,
    ) -> None:
        self.waits_for: str | None = "its start"
        self.failure: RagstoneError | None = None
        self.stop = stop
        self._wait = wait
        self._loading = [] if loading is None else loading
        self._tell = tell

    async def prepare(self, settings: Settings, shared: SharedParts) -> None:
        """Check all parts and be ready; a failure is kept, logged and told to `stop`."""
        begun = time.monotonic()
        try:
            for part in list_parts(settings, shared):
                self.waits_for = part.name
                self._tell(f"{part.name}: {await self._check(part, begun + self._wait)}")
        except RagstoneError as error:
            self.failure = error
            self.stop()
        except Exception as error:
            log.exception("the start failed")
            self.failure = RagstoneError(f"the start failed: {error}")
            self.stop()
        else:
            self._loading.clear()
            release_memory()
            self.waits_for = None
            self._tell(f"ready after {time.monotonic() - begun:.1f} s")

    async def _check(self, part: Part, end: float) -> str:
        said = ""
        for tries in range(1_000_000):
            try:
                return await part.check()
            except (StoreError, StoreNotReady) as error:
                pause = PAUSES[min(tries, len(PAUSES) - 1)]
                if not part.may_come or isinstance(error, FOR_GOOD):
                    raise
                if time.monotonic() + pause > end:
                    raise _give_up(error, self._wait) from error
                if said != str(error):
                    said = str(error)
                    self._tell(f"{part.name}: {said}; trying again for up to {end - time.monotonic():.0f} s")
            await asyncio.sleep(pause)
        raise UsageError(f"{part.name}: {said}")


def _give_up(error: RagstoneError, wait: float) -> UsageError:
    return UsageError(f"the server cannot start: {error}; it waited {wait:g} s (serve.start_wait)")


def check_alone(settings: Settings, loading: list[object] | None = None) -> None:
    """Check all parts before several processes are started; raises what fails for good."""
    startup = Startup(settings.serve.start_wait, loading=loading)

    async def check() -> None:
        shared = SharedParts()
        try:
            await startup.prepare(settings, shared)
        finally:
            await shared.close()

    asyncio.run(check())
    if startup.failure is not None:
        raise startup.failure
