"""Which places a run walks, each as a source with a name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ragstone import stores
from ragstone.config.settings import LimitSettings, SourceSettings
from ragstone.core.errors import UsageError
from ragstone.core.ports import RecallingSource, Source

LIMITS = LimitSettings()

if TYPE_CHECKING:  # only a verb that walks a source waits for it
    from ragstone.extraction.containers import ContainerLimits
    from ragstone.ingestion import sources


def resolve_sources(
    paths: Sequence[str | Path],
    name: str | None,
    ignore: Sequence[str],
    *,
    configured: Sequence[SourceSettings],
    offline: bool = False,
    limits: LimitSettings = LIMITS,
    store: str | None = None,
) -> list[tuple[sources.FileSource | sources.WebSource, str]]:
    """The sources to walk, each with the place of its root; the files of `store` are not among their documents."""
    if name and len(paths) > 1:
        raise UsageError("one source name was given for several folders: ingest them one by one")
    if "" in paths:
        raise UsageError("the path of a source is empty: name a folder or a file (`.` for this folder)")
    if paths:
        wanted = [SourceSettings(path=str(path), name=name, ignore=tuple(ignore)) for path in paths]
    else:
        wanted = [replace(source, ignore=(*source.ignore, *ignore)) for source in configured]
    if not wanted:
        raise UsageError("nothing to ingest: the configuration lists no `sources`, and no folder or file is named")
    if store is not None:
        wanted = [_leave_store_out(source, store) for source in wanted]
    roots = [resolve_source(source, offline=offline, limits=limits) for source in wanted]
    names = [source.name for source, _ in roots]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f"duplicate source name {twice!r}: give each source its own name")
    return roots


@contextmanager
def closing_sources(opened: Iterable[Source]) -> Iterator[None]:
    """Sources that fetch give back what they fetched when the block ends, or is broken off."""
    every = list(opened)
    try:
        yield
    finally:
        for source in every:
            if isinstance(source, RecallingSource):
                source.close()


def resolve_file_source(
    path: str, ignore: Sequence[str] = (), *, limits: LimitSettings = LIMITS
) -> tuple[sources.FileSource, str]:
    """The source of a file or folder and the place of its root; raises `UsageError` for a web address."""
    from ragstone.ingestion import sources

    if sources.is_address(path):
        raise UsageError(f"{path!r:.80} is a web address: only `ragstone ingest` fetches those; name a file")
    return _open_file_source(SourceSettings(path=path, ignore=tuple(ignore)), limits)


def resolve_source(
    wanted: SourceSettings,
    *,
    offline: bool = False,
    limits: LimitSettings = LIMITS,
) -> tuple[sources.FileSource | sources.WebSource, str]:
    """A configured source and the place of its root; it is called after its folder, or its host, unless named.

    Raises `UsageError` for a web address when `offline` is set.
    """
    from ragstone.ingestion import sources

    if sources.is_address(wanted.path):
        return _open_web_source(wanted, limits, offline=offline)
    return _open_file_source(wanted, limits)


def _leave_store_out(wanted: SourceSettings, store: str) -> SourceSettings:
    """The source without the files of the store, which would be documents of themselves."""
    root = Path(os.path.expanduser(wanted.path))  # where nobody has this home, opening it says so
    if "://" in wanted.path or "\0" in wanted.path or not root.is_dir():
        return wanted
    return replace(wanted, ignore=(*wanted.ignore, *stores.list_own_paths(store, root)))


def make_container_limits(limits: LimitSettings) -> ContainerLimits:
    """How much an archive, a mail or a PDF may hold."""
    from ragstone.extraction.containers import ContainerLimits
    from ragstone.extraction.sandbox import Bounds

    return ContainerLimits(
        limits.archive_files,
        limits.archive_bytes,
        limits.archive_depth,
        max(limits.text_bytes, limits.office_bytes),
        Bounds.for_seconds(limits.seconds, limits.memory_bytes, pages=0),
    )


def may_hold_members(path: str) -> bool:
    """Whether a file of this name may be an archive, a mail or a PDF, whose files are documents of their own."""
    from ragstone.extraction.containers import is_candidate

    return is_candidate(path)


def _open_file_source(wanted: SourceSettings, limits: LimitSettings) -> tuple[sources.FileSource, str]:
    """The files of a folder, or a file."""
    from ragstone.ingestion import sources

    try:
        root = Path(wanted.path).expanduser().resolve()
    except (RuntimeError, ValueError) as error:  # a loop of links, an unknown user's home, a null character
        raise UsageError(f"cannot resolve {wanted.path!r}: {error}") from error
    rules = sources.Rules(
        ignore=wanted.ignore, deny=wanted.deny, hidden=wanted.hidden, ignore_files=wanted.ignore_files
    )
    containers = make_container_limits(limits) if wanted.archives else None
    name = wanted.name or root.name or "root"
    return sources.FileSource(name, wanted.path, rules=rules, containers=containers), str(root)


def _open_web_source(wanted: SourceSettings, limits: LimitSettings, *, offline: bool) -> tuple[sources.WebSource, str]:
    """The pages behind an address."""
    from ragstone.ingestion import sources

    if offline:
        raise UsageError(f"cannot fetch {wanted.path!r:.80}: offline is true")
    rules = sources.Rules(ignore=wanted.ignore, deny=wanted.deny)
    most, most_text = max(limits.office_bytes, limits.text_bytes), limits.text_bytes
    bounds = sources.CrawlLimits(wanted.depth, wanted.pages, wanted.delay, most, most_text)
    name = wanted.name or urlsplit(wanted.path).hostname or "web"
    return sources.WebSource(name, wanted.path, rules=rules, limits=bounds), wanted.path
