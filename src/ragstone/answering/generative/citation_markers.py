"""Citation markers in a model's text, read while it streams: none leaks in halves, none is taken for text."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

LONGEST = 200  # characters of a marker; an opening bracket that is not closed by then is text
# What may be a marker: brackets around numbers or ids, as models write them; code is passed over as it is.
INSIDE = rf"([^\[\]【】\n]{{1,{LONGEST}}})"
TOKEN = re.compile(rf"`+|\n|\[{INSIDE}\]|【{INSIDE}】")
KIND = r"(?:passage|source|chunk|doc(?:ument)?|ref(?:erence)?|cit(?:ation|e))s?[ :]+"
LABEL = re.compile(rf"(?:{KIND})?(\d{{1,3}})(?:\s*[-–]\s*(\d{{1,3}}))?|{KIND}([\w.\-]+)", re.IGNORECASE)
OPENING = re.compile(rf"[\[【][^\[\]【】\n]{{0,{LONGEST}}}\Z|`+\Z")
MOST = 20  # passages that one range may name
FENCE = 3  # backticks that open code of several lines; fewer end with their line
PARTS = re.compile(r"\s*(?:[,;&]\s*(?:and\b)?|\band\b)\s*", re.IGNORECASE)
# Behind what a number in brackets is an index: a variable, an identifier that no word of prose looks like, an index.
INDEXABLE = re.compile(r"(?:\b[^\W\d_]|\w\.[^\W\d]\w*|\b[^\W\d]\w*?(?:[\d_]|(?<=[a-z])[A-Z])\w*|\])\Z")
ID = re.compile(r"[\d_.-]")  # an id has one of these; what has none is a word, as in `[citation needed]`
NEAR = 64  # characters before a bracket that are looked at


@dataclass(frozen=True, slots=True)
class CitationMark:
    """The passages that a marker names, by their number in the context from 0; what it names that is not there."""

    passages: tuple[int, ...]
    unknown: tuple[str, ...] = ()


class MarkerReader:
    """Takes a text piece by piece. `labels` are what passages are called: `1`, or an id for `[chunk:ID]`."""

    def __init__(self, labels: Mapping[str, int]) -> None:
        self._labels = labels
        self._held = ""
        self._last = ""
        self._code = 0  # the length of the run of backticks that is open

    def feed(self, piece: str) -> Iterator[str | CitationMark]:
        """Read the next piece; gives the text and marks that are complete, in order. Text that may still become a
        marker is held back."""
        yield from self._read_text(self._held + piece, last=False)

    def end(self) -> Iterator[str | CitationMark]:
        """The text held back so far."""
        yield from self._read_text(self._held, last=True)

    def _read_text(self, text: str, *, last: bool) -> Iterator[str | CitationMark]:
        open_ = None if last else OPENING.search(text)
        self._held = text[open_.start() :] if open_ else ""
        text = text[: open_.start()] if open_ else text
        at = 0
        for found in TOKEN.finditer(text):
            mark = self._read_token(found, text[at : found.start()])
            if mark is not None:
                yield from self._emit_text(text[at : found.start()])
                yield mark
                at, self._last = found.end(), ""
        yield from self._emit_text(text[at:])

    def _emit_text(self, text: str) -> Iterator[str]:
        if text:
            self._last = (self._last + text)[-NEAR:]
            yield text

    def _read_token(self, found: re.Match[str], since: str) -> CitationMark | None:
        if found[0][0] == "`":
            length = len(found[0])
            self._code = 0 if self._code == length else self._code or length
            return None
        if found[0] == "\n":
            self._code *= self._code >= FENCE
            return None
        if self._code:
            return None
        before = (self._last + since)[-NEAR:]
        return self._read_mark(found[1] or found[2], indexed=INDEXABLE.search(before) is not None)

    def _read_mark(self, inside: str, *, indexed: bool) -> CitationMark | None:
        """The marker that brackets hold, None where they are the text's own: `[sic]`, `a[0]`, `[2024]`."""
        names = _parse_labels(inside)
        if names is None or any(name not in self._labels and not ID.search(name) for name in names):
            return None
        known = tuple(self._labels[name] for name in names if name in self._labels)
        unknown = tuple(name for name in names if name not in self._labels)
        if not known and (indexed or "0" in unknown) and all(name.isdecimal() for name in unknown):
            return None  # an index into something
        return CitationMark(known, unknown)


def _parse_labels(inside: str) -> list[str] | None:
    """The labels between brackets, each once; None where something else stands there."""
    names: dict[str, None] = {}
    for part in PARTS.split(inside.partition("†")[0].strip().removeprefix("^")):
        label = LABEL.fullmatch(part)
        if label is None:
            return None
        first, last, name = label.groups()
        numbers = range(int(first), int(last or first) + 1) if first else range(0)
        if len(numbers) > MOST:
            return None
        names |= dict.fromkeys([name] if name else map(str, numbers))
    return list(names) or None
