"""Watches folders: reindexes after a short quiet, flushes after a longer one."""

from ragstone.ingestion.watch.changes import FolderChanges
from ragstone.ingestion.watch.debounce import Delays
from ragstone.ingestion.watch.loop import Actions, Watcher
from ragstone.ingestion.watch.tracking import TrackedFolder

__all__ = ["Actions", "Delays", "FolderChanges", "TrackedFolder", "Watcher"]
