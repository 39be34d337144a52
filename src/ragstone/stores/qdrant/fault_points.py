"""Named points between two effects, one here and one in Qdrant, where a test may end the process.

replace.staged, replace.switched, replace.activated, remove.switched, put.found, drop.switched, erase.switched.
"""

from collections.abc import Callable

hook: Callable[[str], None] | None = None


def reach_point(point: str) -> None:
    """Tell the hook that this point is reached; without one, nothing happens."""
    if hook is not None:
        hook(point)
