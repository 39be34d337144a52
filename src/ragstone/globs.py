"""Path patterns: one meaning for ignore rules, deny lists and path filters.

`*` and `?` stay inside one folder, `**` crosses folders, `dir/**` is everything below `dir`, a
pattern without a slash fits a name at any depth, a leading `/` anchors it at the root.
"""

import re
from collections.abc import Iterable
from functools import lru_cache


@lru_cache(maxsize=1024)
def compiled(pattern: str) -> re.Pattern[str]:
    """The regular expression that a whole relative path (with `/`) must match."""
    anchored = "/" in pattern.rstrip("/")
    pattern = pattern.strip("/") + ("/**" if pattern.endswith("/") else "")
    out = "" if anchored else "(?:.*/)?"
    i = 0
    while i < len(pattern):
        if pattern.startswith("**/", i):
            out, i = out + "(?:.*/)?", i + 3
        elif pattern.startswith("**", i):
            out, i = out + ".*", i + 2
        elif pattern[i] in "*?":
            out, i = out + ("[^/]*" if pattern[i] == "*" else "[^/]"), i + 1
        else:
            out, i = out + re.escape(pattern[i]), i + 1
    return re.compile(out, re.DOTALL)


def fits(path: str, patterns: Iterable[str]) -> bool:
    """Whether a relative path matches any of the patterns, itself or through one of its folders."""
    return any(compiled(pattern).fullmatch(path) for pattern in patterns)
