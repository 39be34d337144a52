"""Path patterns: one meaning for ignore rules, deny lists and path filters.

`*` and `?` stay inside one folder, `**` crosses folders, `dir/**` is everything below `dir`, a
pattern without a slash fits a name at any depth, a leading `/` anchors it at the root.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

ANY = "**"
PLAIN = re.compile(r".", re.DOTALL)
CHARACTER = re.compile(r"\\.|\[[!^]?\]?[^\]]*\]|.", re.DOTALL)


@lru_cache(maxsize=1024)
def compile_pattern(pattern: str, *, classes: bool = False) -> tuple[str | re.Pattern[str], ...]:
    """A pattern's folders: `**`, or the expression that one name must match. `classes`: `[a-z]` is one of these
    characters, and a backslash takes the next one as it is, as in ignore files."""
    anchored = "/" in pattern.rstrip("/")
    names = pattern.strip("/").split("/") + ([ANY] if pattern.endswith("/") else [])
    out = [name if name == ANY else _compile_name(name, CHARACTER if classes else PLAIN) for name in names]
    return tuple(out if anchored else [ANY, *out])


def _compile_name(glob: str, character: re.Pattern[str]) -> re.Pattern[str]:
    """One name's expression. The first place that fits a part between stars is the right one, so the
    groups are atomic and no pattern can make the matching slow."""
    parts = [""]
    for found in character.findall(glob):
        if found == "*":
            parts.append("")
        else:
            parts[-1] += _compile_character(found)
    first, *rest = [parts[0], *filter(None, parts[1:-1]), *parts[1:][-1:]]
    if not rest:
        return re.compile(first, re.DOTALL)
    middle = "".join(f"(?>.*?{part})" for part in rest[:-1])
    return re.compile(f"{first}{middle}.*{rest[-1]}", re.DOTALL)


def _compile_character(found: str) -> str:
    if found == "?":
        return "."
    if len(found) > 2 and found[0] == "[":
        inside = found[1:-1]
        negated = inside[0] in "!^"
        inside = inside[negated:].replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
        try:
            return re.compile(f"[{'^' * negated}{inside}]").pattern
        except re.error:  # a range that runs backwards
            return re.escape(found)
    return re.escape(found[1:] if len(found) == 2 and found[0] == "\\" else found)


def match_segments(names: Sequence[str], segments: Sequence[str | re.Pattern[str]]) -> bool:
    """Whether the folders of a pattern fit all names of a path.

    Two pointers; on a mismatch the last `**` takes one more name. A `**` at the end takes at least one.
    """
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
    return any(match_segments(names, compile_pattern(pattern)) for pattern in patterns)
