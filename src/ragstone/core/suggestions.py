"""The document or the name that was probably meant by one that is not there."""

import difflib
from collections.abc import Sequence

MOST_COMPARED = 10_000  # paths; letter by letter these take half a second, and a refusal should not take longer


def describe_absent(path: str, known: Sequence[str]) -> str:
    """That there is no such document, and which of the known paths is nearest, where one is near.

    A known path is one of which no revision is in effect yet.

    >>> describe_absent("docs/a.md", ["a.md", "b.md"])
    "there is no document 'docs/a.md'; did you mean 'a.md'?"
    >>> describe_absent("x", [])
    "there is no document 'x'"
    """
    if path in known:
        return f"document {path!r} is not in effect yet"
    near = find_nearest_path(path, known)
    return f"there is no document {path!r}" + (f"; did you mean {near!r}?" if near else "")


def find_nearest_path(path: str, known: Sequence[str]) -> str | None:
    """A path that is the end of this one or ends as it, else the one that is written most alike."""
    ends = (other for other in known if other.endswith(f"/{path}") or path.endswith(f"/{other}"))
    alike = difflib.get_close_matches(path, known[:MOST_COMPARED], n=1)
    return next(ends, None) or next(iter(alike), None)


def suggest_name(name: str, known: Sequence[str]) -> str:
    """A question whether the known name that is written most alike is meant; empty where none is alike.

    >>> suggest_name("acmee", ["acme", "zoo"])
    "; did you mean 'acme'?"
    """
    alike = difflib.get_close_matches(name, sorted(known)[:MOST_COMPARED], n=1)
    return f"; did you mean {alike[0]!r}?" if alike else ""
