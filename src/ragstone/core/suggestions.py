"""The document or the name that was probably meant by one that is not there."""

import difflib
from collections.abc import Iterable, Sequence
from itertools import islice

ALIKE = 0.6  # the ratio of `difflib`, from 0 to 1, from which a name may be a slip for another: its own default
MOST_LISTED = 20  # names
# What other systems call one thing; the first name that is known here is meant.
SAME_THING: tuple[tuple[str, ...], ...] = (
    ("top_k", "k", "limit", "n", "n_results", "num_results", "max_results", "max_num_results", "similarity_top_k"),
    ("query", "question", "q", "query_text", "text", "prompt", "input"),
    ("where", "filter", "filters", "metadata_filter"),
    ("messages", "history", "chat_history", "conversation"),
    ("collection", "collection_name", "index", "namespace", "knowledge_base"),
    ("id", "url", "uri", "document_id", "doc_id", "ref", "document", "path", "paths"),
    ("cursor", "next", "offset", "page", "page_token"),
)
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
    return next(ends, None) or find_alike(path, known)


def find_alike(name: str, known: Iterable[str]) -> str | None:
    """The known name that is written most alike; None where none is alike.

    >>> find_alike("minuets", ["minutes", "tables"])
    'minutes'
    >>> find_alike("zebra", ["minutes", "tables"])
    """
    alike = difflib.get_close_matches(name, list(islice(known, MOST_COMPARED)), n=1, cutoff=ALIKE)
    return next(iter(alike), None)


def suggest_known(name: str, known: Iterable[str]) -> str:
    """The known name that is written most alike, as a question; where none is alike, those that there are.

    >>> suggest_known("minuets", ["minutes", "tables"])
    'did you mean minutes?'
    >>> suggest_known("zebra", ["tables", "minutes"])
    'expected one of: minutes, tables'
    """
    names = sorted(known)
    near = find_alike(name, names)
    more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    return f"did you mean {near}?" if near else f"expected one of: {', '.join(names[:MOST_LISTED])}{more}"


def suggest_name(name: str, known: Sequence[str]) -> str:
    """A question whether the known name that is written most alike is meant; empty where none is alike.

    >>> suggest_name("acmee", ["acme", "zoo"])
    "; did you mean 'acme'?"
    """
    return _ask_for(find_alike(name, sorted(known)))


def suggest_argument(name: str, known: Sequence[str]) -> str:
    """A question whether the known argument is meant that stands for what other systems call so, else the one that is
    written most alike; empty where there is none.

    >>> suggest_argument("limit", ["llm_filter", "query", "top_k"])
    "; did you mean 'top_k'?"
    >>> suggest_argument("filter", ["profile", "query"])
    ''
    """
    same = next((names for names in SAME_THING if name in names), None)
    if same is None:
        return suggest_name(name, known)
    return _ask_for(next((other for other in same if other in known), None))


def _ask_for(name: str | None) -> str:
    return f"; did you mean {name!r}?" if name else ""
