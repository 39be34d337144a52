"""The files that a run left out by a rule, in one line."""

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePosixPath

from ragstone.core.plural import format_count
from ragstone.core.records import HIDDEN, IGNORED, NO_DOCUMENT
from ragstone.core.types import Json

ENDINGS = 4  # that are named


def describe_ignored(ignored: Sequence[Json]) -> str:
    """One line of counts by reason; "" where nothing was left out.

    >>> describe_ignored([{"path": "a.zip", "reason": "binary"}, {"path": "node_modules/", "reason": "ignored"}])
    'left out: 1 file of other formats (1 .zip), 1 ignored (node_modules/); --json lists them'
    """
    by_reason = {
        reason: [one["path"] for one in ignored if one["reason"] == reason] for reason in (NO_DOCUMENT, IGNORED, HIDDEN)
    }
    parts = []
    if others := by_reason[NO_DOCUMENT]:
        endings = Counter(PurePosixPath(path).suffix.lower() or "without ending" for path in others)
        parts.append(f"{format_count(len(others), 'file')} of other formats ({_name_most(endings)})")
    if left := by_reason[IGNORED]:
        folders = Counter(f"{PurePosixPath(path).name}/" for path in left if path.endswith("/"))
        named = f" ({_name_most(folders, counts=False)})" if folders else ""
        parts.append(f"{len(left):,} ignored{named}")
    if hidden := by_reason[HIDDEN]:
        parts.append(f"{len(hidden):,} hidden")
    return f"left out: {', '.join(parts)}; --json lists them" if parts else ""


def _name_most(counted: "Counter[str]", *, counts: bool = True) -> str:
    most = sorted(counted.items(), key=lambda one: (-one[1], one[0]))
    named = [f"{n:,} {name}" if counts else name for name, n in most[:ENDINGS]]
    return ", ".join([*named, "…"] if len(most) > ENDINGS else named)
