"""Where changes of watched folders come from: the system's events, or a look at the files now and then."""

import asyncio
import contextlib
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, Self

from ragstone.core.errors import UsageError
from ragstone.ingestion.watch.tracking import TrackedFolder

STEP_MILLISECONDS = 50  # the system's events are gathered for so long
LOOK_MILLISECONDS = 250  # between two looks whether a folder is still the same one
POLL_SECONDS = 2.0
POLL_SHARE = 10  # a walk may take a tenth of the time
NO_PACKAGE = "the package watchfiles is missing: pip install 'ragstone[watch]'"
Identity = tuple[int, int] | None


class Changes(Protocol):
    """A source of changes."""

    async def wait(self, seconds: float | None) -> set[str]:
        """The names of sources that may have changed, or an empty set after `seconds`."""
        ...


class FolderChanges:
    """Changes of real folders, while its `async with` block runs.

    Where the system cannot watch a folder, such as past its limit of watches, the files are looked at every few
    seconds, and `tell_note` gets a sentence about it. A folder that goes away is watched again when it is back.
    """

    def __init__(self, folders: Sequence[TrackedFolder], *, poll: bool, tell_note: Callable[[str], None]) -> None:
        self._folders = folders
        self._poll = poll
        self._tell_note = tell_note
        self._queue: asyncio.Queue[str] = asyncio.Queue()
        self._tasks: list[asyncio.Task[None]] = []
        self._armed: list[asyncio.Event] = []

    async def __aenter__(self) -> Self:
        for folder in self._folders:
            armed = asyncio.Event()
            self._tasks.append(asyncio.create_task(self._follow(folder, armed)))
            self._armed.append(armed)
        for armed in self._armed:
            await armed.wait()
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def wait(self, seconds: float | None) -> set[str]:
        """The names of sources that may have changed, or an empty set after `seconds`."""
        try:
            async with asyncio.timeout(seconds):  # wait_for would lose a cancellation that comes with a change
                found = {await self._queue.get()}
        except TimeoutError:
            return set()
        while not self._queue.empty():
            found.add(self._queue.get_nowait())
        return found

    async def _follow(self, folder: TrackedFolder, armed: asyncio.Event) -> None:
        polling = self._poll
        while True:
            root, identity = await asyncio.to_thread(_look_at, folder)
            if root is None:  # it went away
                armed.set()
                await asyncio.sleep(LOOK_MILLISECONDS / 1000)
                continue
            if armed.is_set():  # it is back, or another one stands there
                self._queue.put_nowait(folder.name)
            if polling:
                await self._poll_folder(folder, armed)
                continue
            try:
                await self._watch_folder(folder, root, identity, armed)
            except Exception as error:  # the package has an error of its own for limits of the system
                why = NO_PACKAGE if isinstance(error, ModuleNotFoundError) else str(error)
                self._tell_note(
                    f"source {folder.name!r} is looked at every {POLL_SECONDS:g} seconds, because the system cannot "
                    f"watch it: {why}"
                )
                polling = True

    async def _watch_folder(self, folder: TrackedFolder, root: Path, identity: Identity, armed: asyncio.Event) -> None:
        """Report events until the folder is another one."""
        from watchfiles import awatch

        is_folder = await asyncio.to_thread(root.is_dir)
        place = root if is_folder else root.parent  # a file that is replaced is another one
        watch = awatch(
            place,
            watch_filter=None,
            debounce=STEP_MILLISECONDS,
            step=STEP_MILLISECONDS,
            rust_timeout=LOOK_MILLISECONDS,
            yield_on_timeout=True,
            recursive=is_folder,
            ignore_permission_denied=True,
        )
        async with contextlib.aclosing(watch):
            async for events in watch:
                armed.set()
                if await asyncio.to_thread(_any_matters, folder, [place for _, place in events]):
                    self._queue.put_nowait(folder.name)
                if is_folder and await asyncio.to_thread(_look_at, folder) != (root, identity):
                    break

    async def _poll_folder(self, folder: TrackedFolder, armed: asyncio.Event) -> None:
        """Look at the files until the folder goes away."""
        last = None
        while True:
            begun = time.monotonic()
            try:
                now = await asyncio.to_thread(folder.take_snapshot)
            except UsageError:
                return
            if last is not None and now != last:
                self._queue.put_nowait(folder.name)
            last = now
            armed.set()
            await asyncio.sleep(max(POLL_SECONDS, POLL_SHARE * (time.monotonic() - begun)))


def _look_at(folder: TrackedFolder) -> tuple[Path | None, Identity]:
    """The real place of a folder, and which one it is; None while it is not there."""
    try:
        root = folder.find_root()
        about = os.stat(root)
    except (UsageError, OSError):
        return None, None
    return root, (about.st_dev, about.st_ino)


def _any_matters(folder: TrackedFolder, places: Sequence[str]) -> bool:
    try:
        return any(folder.may_matter(place) for place in places)
    except UsageError:  # it went away
        return True
