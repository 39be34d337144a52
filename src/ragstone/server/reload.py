"""New settings without a restart: files are watched, the last good configuration stays in force."""

import asyncio
import contextlib
import hashlib
import logging
from collections.abc import AsyncGenerator, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from watchfiles import awatch

from ragstone.config.load import load, read_file
from ragstone.config.settings import Settings
from ragstone.core.errors import ConfigError, RagstoneError, StoreError, StoreNotReady
from ragstone.core.freed_memory import release_memory
from ragstone.engine.preparation import list_parts
from ragstone.server.background import run_beside
from ragstone.server.startup import FOR_GOOD
from ragstone.server.state import ServerState

log = logging.getLogger("ragstone")

KEY_FILE = "api_key_file"  # the field of every model's settings
QUIET_MILLISECONDS = 200  # without a change, after which files are read
POLL_MILLISECONDS = 1000
LARGEST = 10_000_000  # bytes of a file that are compared

Digests = dict[Path, bytes | None]


@dataclass(frozen=True)
class Configuration:
    """A configuration file, None for the usual places, and what overrides it."""

    path: str | None
    overrides: Mapping[str, Any] = field(default_factory=dict)

    def load(self) -> Settings:
        """The settings as they are written now; raises `ConfigError`."""
        return load(self.path, **self.overrides)

    def list_files(self, settings: Settings) -> list[Path]:
        """The files that settings come from: the configuration, and the files of keys that it names."""
        try:
            file, _ = read_file(self.path)
        except ConfigError:  # it is broken now, and mended perhaps
            file = Path(self.path) if self.path else None
        return [*([file] if file else []), *list_key_files(settings)]


def list_key_files(settings: Settings) -> list[Path]:
    """All files of keys that the settings name: of vendors, and of encryption."""
    own = settings.encryption
    names = [*_find_key_files(settings), own.key_file, own.previous_file]
    return [Path(name).expanduser() for name in dict.fromkeys(names) if name]


def _find_key_files(value: object) -> Iterator[str | None]:
    """Every `api_key_file` in some settings."""
    if is_dataclass(value):
        for one in fields(value):
            inner = getattr(value, one.name)
            if one.name == KEY_FILE:
                yield inner
            else:
                yield from _find_key_files(inner)
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _find_key_files(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _find_key_files(inner)


@contextlib.asynccontextmanager
async def follow_configuration(app: FastAPI, configuration: Configuration) -> AsyncGenerator[None]:
    """Load the settings again whenever a file that they come from changes, while the block runs."""
    files = configuration.list_files(app.state.server.settings)
    known = await asyncio.to_thread(digest_files, files)
    async with run_beside(_follow(app, configuration, known)):
        yield


async def _follow(app: FastAPI, configuration: Configuration, known: Digests) -> None:
    if not await asyncio.to_thread(_is_in_force, configuration, app.state.server.settings):
        await reload_settings(app, configuration)  # it was written between the start and the first look at it
    while True:
        files = configuration.list_files(app.state.server.settings)
        folders = await asyncio.to_thread(_list_folders, files)
        if not folders:
            return
        new = await asyncio.to_thread(digest_files, [file for file in files if file not in known])
        known = {file: new.get(file, known.get(file)) for file in files}
        # Looked at now and then as well: a link may lead to a folder that is not watched.
        watch = awatch(
            *folders,
            watch_filter=None,
            debounce=QUIET_MILLISECONDS,
            recursive=False,
            rust_timeout=POLL_MILLISECONDS,
            yield_on_timeout=True,
        )
        async with contextlib.aclosing(watch):
            async for _ in watch:
                now = await asyncio.to_thread(digest_files, files)
                if now != known:
                    break
        await reload_settings(app, configuration)
        known = now


def _is_in_force(configuration: Configuration, settings: Settings) -> bool:
    """Whether the settings that are written now are these; wrong ones are not."""
    try:
        return replace(configuration.load(), serve=settings.serve) == settings
    except RagstoneError:
        return False


def _list_folders(files: list[Path]) -> list[str]:
    """The folders of files: a link that is swapped is seen in its own folder."""
    folders = {str(file.absolute().parent) for file in files}
    return sorted(folder for folder in folders if Path(folder).is_dir())


def digest_files(files: list[Path]) -> Digests:
    """The digests of files; None for one that cannot be read."""
    found: Digests = {}
    for file in files:
        try:
            with file.open("rb") as opened:
                found[file] = hashlib.sha256(opened.read(LARGEST)).digest()
        except OSError:
            found[file] = None
    return found


async def reload_settings(app: FastAPI, configuration: Configuration) -> bool:
    """Put the settings in force that are written now; whether that could be done.

    The former ones serve until the models and stores of the new ones are open, and requests that run go on with them.
    Settings that are wrong leave the former ones in force: the problem is logged, and `/v1/health` shows it.
    """
    former: ServerState = app.state.server
    try:
        settings = await asyncio.to_thread(configuration.load)
        new = former.succeed(settings)
        await asyncio.to_thread(_try_keys, settings)
        await _open_parts(new)
    except RagstoneError as error:
        former.problem = str(error)
        former.metrics.reloads.labels("failed").inc()
        former.metrics.configured.set(0)
        log.error("the configuration was not loaded again: %s", error)
        return False
    if settings.serve != former.settings.serve:
        log.warning("settings of `serve` changed: restart the server to put them in force")
    app.state.server = new
    new.metrics.reloads.labels("done").inc()
    new.metrics.configured.set(1)
    await former.retire()
    await asyncio.to_thread(release_memory)
    log.warning("the configuration was loaded again")
    return True


async def _open_parts(new: ServerState) -> None:
    """Open stores and models and answer a question, so that the first one of a client finds all warm; raises for what
    cannot be used. A server that is away now may come back, as with the former settings."""
    try:
        for part in list_parts(new.settings, new.pool.shared):
            try:
                await part.check()
            except (StoreError, StoreNotReady) as error:
                if not part.may_come or isinstance(error, FOR_GOOD):
                    raise
                log.warning("%s: %s", part.name, error)
    except BaseException:
        await new.pool.close()
        raise


def _try_keys(settings: Settings) -> None:
    """Raises `ConfigError` for a file of a key that cannot be read: while keys are rotated it may be missing."""
    for file in list_key_files(settings):
        try:
            if not file.read_text("utf-8").strip():
                raise ConfigError(f"{file} is empty: expected a key")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{file} cannot be read: {error}") from error
