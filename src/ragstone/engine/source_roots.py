"""Which places a run walks, each as a source with a name."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ragstone.config.settings import SourceSettings
from ragstone.core.errors import UsageError
from ragstone.ingestion import sources


def resolve_sources(
    paths: Sequence[str | Path], name: str | None, ignore: Sequence[str], *, configured: Sequence[SourceSettings]
) -> list[tuple[sources.FileSource, str]]:
    """The sources to walk, each with the place of its root."""
    if name and len(paths) > 1:
        raise UsageError("one source name was given for several folders: ingest them one by one")
    if "" in paths:
        raise UsageError("the path of a source is empty: name a folder or a file (`.` for this folder)")
    if paths:
        wanted = [SourceSettings(path=str(path), name=name, ignore=tuple(ignore)) for path in paths]
    else:
        wanted = [replace(source, ignore=(*source.ignore, *ignore)) for source in configured]
    if not wanted:
        raise UsageError("nothing to ingest: name a folder or file, or list `sources` in ragstone.yaml")
    roots = [resolve_source(source) for source in wanted]
    names = [source.name for source, _ in roots]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f"duplicate source name {twice!r}: give each source its own name")
    return roots


def resolve_source(wanted: SourceSettings) -> tuple[sources.FileSource, str]:
    """A configured source and the place of its root; it is called after its folder unless named."""
    try:
        root = Path(wanted.path).expanduser().resolve()
    except (RuntimeError, ValueError) as error:  # a loop of links, an unknown user's home, a null character
        raise UsageError(f"cannot resolve {wanted.path!r}: {error}") from error
    rules = sources.Rules(
        ignore=wanted.ignore, deny=wanted.deny, hidden=wanted.hidden, ignore_files=wanted.ignore_files
    )
    return sources.FileSource(wanted.name or root.name or "root", wanted.path, rules=rules), str(root)
