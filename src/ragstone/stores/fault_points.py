"""Named points between two effects, on disk or in Qdrant, where a test may end the process.

Embedded store: append.before, append.written, append.synced, commit.before, commit.after, seal.written, seal.renamed,
compact.written, compact.switched, purge.forgotten, wipe.written, drop.renamed, erase.renamed, erase.shredded,
erase.doomed, keys.kept, rekey.written, rekey.moved, rekey.aside, rekey.finished.
Qdrant: replace.staged, replace.switched, replace.activated, remove.switched, put.found, drop.switched, erase.switched.
Artifacts: artifact.written, artifact.renamed, artifact.removed.
"""

from collections.abc import Callable

hook: Callable[[str], None] | None = None


def reach_point(point: str) -> None:
    """Call the hook at this point; without one, nothing happens."""
    if hook is not None:
        hook(point)
