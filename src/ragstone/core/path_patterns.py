"""Path patterns: one meaning for ignore rules, deny lists and path filters.

`*` and `?` stay inside one folder, `**` crosses folders, `dir/**` is everything below `dir`, a
pattern without a slash fits a name at any depth, a leading `/` anchors it at the root.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

ANY = "**"


@lru_cache(maxsize=1024)
def _compile_segments(pattern: str) -> tuple[str | re.Pattern[str], ...]:
    """A pattern's folders: `**`, or the expression that one name must match."""
    anchored = "/" in pattern.rstrip("/")
    names = pattern.strip("/").split("/") + ([ANY] if pattern.endswith("/") else [])
    out = [name if name == ANY else _compile_name(name) for name in names]
    return tuple(out if anchored else [ANY, *out])


def _compile_name(glob: str) -> re.Pattern[str]:
    """One name's expression. The first place that fits a part between stars is the right one, so the
    groups are atomic and no pattern can make the matching slow."""
    first, *rest = ["".join("." if c == "?" else re.escape(c) for c in part) for part in re.split(r"\*+", glob)]
    if not rest:
        return re.compile(first, re.DOTALL)
    middle = "".join(f"(?>.*?{part})" for part in rest[:-1])
    return re.compile(f"{first}{middle}.*{rest[-1]}", re.DOTALL)


def _match_segments(names: Sequence[str], segments: Sequence[str | re.Pattern[str]]) -> bool:
    """Two pointers; on a mismatch the last `**` takes one more name. A `**` at the end takes at least one."""
    at = taken = 0
    star: int | None = None
    i = 0
    while i < len(names):
        segment = segments[at] if at < len(segments) else None
        if segment == ANY:
            if at == len(segments) - 1:
                return True
            star, taken, at = at, i, at + 1
        elif isinstance(segment, re.Pattern) and segment.fullmatch(names[i]):
            i, at = i + 1, at + 1
        elif star is not None:
            taken += 1
            i, at = taken, star + 1
        else:
            return False
    return at == len(segments)


def matches_any(path: str, patterns: Iterable[str]) -> bool:
    """Whether a relative path matches any of the patterns as a whole."""
    names = path.split("/")
    return any(_match_segments(names, _compile_segments(pattern)) for pattern in patterns)
