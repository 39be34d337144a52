"""Which changes of a folder matter: those of files that a walk lists and Ragstone reads, by content, not by rights."""

import os
import re
from collections.abc import Collection, Iterable
from pathlib import Path

from ragstone.core.errors import Refused
from ragstone.core.ports import ListedFile
from ragstone.core.records import LEFT_OUT, NO_DOCUMENT
from ragstone.extraction import refuse_binary
from ragstone.extraction.media_types import LOOKED_AT, detect
from ragstone.ingestion.sources import FileSource
from ragstone.ingestion.sources.ignore_files import NAMES, IgnoreFiles

Snapshot = dict[str, object]  # what each listed file looks like, by its path


class TrackedFolder:
    """A source that is watched, and what its files looked like when they were last indexed.

    `excluded` fits the places that this program itself writes to.
    """

    def __init__(self, source: FileSource, *, excluded: re.Pattern[str] | None = None) -> None:
        self.source = source
        self._excluded = excluded
        self._known: Snapshot = {}
        self._foreign: frozenset[str] = frozenset()
        self._links: frozenset[str] = frozenset()
        self._ignore_files: IgnoreFiles | None = None

    @property
    def name(self) -> str:
        return self.source.name

    def find_root(self) -> Path:
        """The real place; raises `UsageError` while it does not exist."""
        return self.source.find_root()

    def take_snapshot(self) -> Snapshot:
        """How the files look now; raises `UsageError` while the folder does not exist."""
        root = self.source.find_root()
        self._ignore_files = IgnoreFiles(root, heeded=self.source.rules.ignore_files)
        folder = root if root.is_dir() else root.parent
        found: Snapshot = {}
        for entry in self.source.walk():
            if self._is_excluded(os.path.join(folder, entry.path)):
                continue
            if isinstance(entry, ListedFile):
                # Without the time that a change of rights alone sets.
                found[entry.path] = entry.stamp and (*entry.stamp[:2], entry.stamp[3])
            elif entry.reason not in LEFT_OUT:
                found[entry.path] = entry.reason
        self._links = _find_links(folder, found)
        return found

    def mark_indexed(self, snapshot: Snapshot, ignored: Collection[tuple[str, str]] = ()) -> None:
        """The files were indexed as this snapshot shows them; `ignored` are those that were left out, with reasons."""
        self._known = snapshot
        self._foreign = frozenset(path for path, reason in ignored if reason == NO_DOCUMENT)

    def list_changes(self, snapshot: Snapshot) -> list[str]:
        """The paths that differ from the indexed state, except those of foreign files."""
        paths = {path for path in {*self._known, *snapshot} if self._known.get(path) != snapshot.get(path)}
        return sorted(path for path in paths if not self._is_foreign(path, there=path in snapshot))

    def may_matter(self, place: str) -> bool:
        """Whether an event at a place can change what a walk lists: a first look, without a walk. Paths that the rules
        leave out cannot, unless a link leads there; files with rules can."""
        root = self.source.find_root()
        if not root.is_dir():
            return os.path.basename(place) == root.name
        path = os.path.relpath(place, root)
        rules, hidden = self.source.rules, self._ignore_files
        if path == "." or os.path.basename(path) in NAMES:
            return True
        if path.startswith("..") or self._is_excluded(os.path.realpath(place)):
            return False
        if any(place == link or place.startswith(f"{link}/") for link in self._links):
            return True
        if not rules.is_visible(path) or rules.ignores(path) or rules.denies(path):
            return False
        return hidden is None or not hidden.ignores_on_the_way(path, is_folder=os.path.isdir(place))

    def _is_excluded(self, place: str) -> bool:
        return self._excluded is not None and self._excluded.match(place) is not None

    def _is_foreign(self, path: str, *, there: bool) -> bool:
        """Whether a file is of no format that Ragstone reads."""
        if not there:
            return path in self._foreign
        try:
            refuse_binary(detect(self.source.peek(path, LOOKED_AT), path), path=path)
        except Refused as refused:
            return refused.reason == NO_DOCUMENT
        return False


def _find_links(folder: Path, found: Iterable[str]) -> frozenset[str]:
    """The real places of files and folders that only links lead to."""
    parents = {os.path.dirname(path) for path in found}
    places = [os.path.join(folder, parent) for parent in parents]
    places += [place for path in found if os.path.islink(place := os.path.join(folder, path))]
    return frozenset(real for place in places if (real := os.path.realpath(place)) != os.path.normpath(place))
