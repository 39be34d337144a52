"""Whether the documents that a golden set names are there: a typo in it looks like a bad search."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from ragstone.evaluation.case import Case
from ragstone.evaluation.granularity import Granularity

MAX_NAMES = 3  # how many of them a warning names


def check_presence(cases: Iterable[Case], paths: Iterable[str], *, granularity: Granularity) -> tuple[str, ...]:
    """Warnings about golden documents that `paths` (those of the collection, or ids) lack or have several of."""
    golden = list(dict.fromkeys(gold for case in cases if case.answerable for gold in _golden_paths(case, granularity)))
    named: dict[str, set[str]] = defaultdict(set)
    for path in paths:
        for name in (path,) if granularity == "id" else _path_tails(path):
            named[name].add(path)
    out = []
    if absent := [gold for gold in golden if gold not in named]:
        out.append(
            f"{len(absent)} of {len(golden)} documents that the questions want are not in the collection and can "
            f"never be found: {_format_first(absent)}"
        )
    if several := [f"{gold} ({_format_first(sorted(named[gold]))})" for gold in golden if len(named.get(gold, ())) > 1]:
        out.append(
            f"{len(several)} of {len(golden)} golden paths name more than one document, and finding any of them "
            f"counts: {_format_first(several)}"
        )
    return tuple(out)


def _golden_paths(case: Case, granularity: Granularity) -> Iterator[str]:
    if granularity == "chunk":
        yield from (path for path, _ in case.chunks)
    elif granularity == "span":
        yield from (gold.path for gold in case.spans)
    else:
        yield from (path for path, grade in case.relevance.items() if grade > 0)


def _path_tails(path: str) -> Iterator[str]:
    """Every golden path that means this file: what `same_file` says, the other way round."""
    parts = path.split("/")
    return ("/".join(parts[start:]) for start in range(len(parts)))


def _format_first(names: Sequence[str]) -> str:
    return ", ".join(names[:MAX_NAMES]) + (", …" if len(names) > MAX_NAMES else "")
