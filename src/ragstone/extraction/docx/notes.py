"""Footnotes, endnotes and comments: numbered as they are met, kept apart from the text."""

from dataclasses import dataclass, field

from ragstone.core.types import Json
from ragstone.extraction.ooxml.elements import Element, W
from ragstone.extraction.ooxml.package import Package
from ragstone.extraction.record.numerals import format_numeral

ABOUT = 200  # characters of the commented text that are kept
AT_ONCE = 20  # comments that are open at one place
KINDS = ("footnote", "endnote")


@dataclass(slots=True)
class _CommentedText:
    """What a comment is about, as far as it is kept."""

    pieces: list[str] = field(default_factory=list)
    length: int = 0


class Notes:
    """The notes of a document by kind and id, and what its comments are about."""

    def __init__(self, package: Package, part: str) -> None:
        self._bodies: dict[tuple[str, str], tuple[Element, str]] = {}
        self._numbers: dict[str, dict[str, int]] = {kind: {} for kind in KINDS}
        self._taken: set[tuple[str, str]] = set()
        self.missing = 0  # marks of notes that are not there
        self._open: dict[str, _CommentedText] = {}
        self._about: dict[str, _CommentedText] = {}
        for kind in KINDS:
            name = package.find_related(part, f"{kind}s")
            root = package.part(name)
            for body in root.iterchildren(W + kind) if root is not None else ():
                self._bodies.setdefault((kind, body.get(W + "id") or ""), (body, name or ""))

    def mark(self, kind: str, name: str) -> str:
        """The mark of a note in the text: `[^1]`, for endnotes `[^i]`; counted in the order of reading.

        Nothing for one that is not there, which is counted.
        """
        if (kind, name) not in self._bodies:
            self.missing += 1
            return ""
        numbers = self._numbers[kind]
        count = numbers.setdefault(name, len(numbers) + 1)
        return f"[^{format_numeral(count, 'lowerRoman' if kind == 'endnote' else 'decimal')}]"

    def take(self, kind: str, name: str) -> tuple[Element, str] | None:
        """The body of a note and the part it is in, the first time that it is asked for."""
        if (kind, name) in self._taken:
            return None
        self._taken.add((kind, name))
        return self._bodies.get((kind, name))

    def mark_comment(self, name: str, *, opens: bool) -> None:
        """The text that a comment is about begins or ends here."""
        if not opens:
            self._open.pop(name, None)
        elif len(self._open) < AT_ONCE:
            self._open[name] = self._about.setdefault(name, _CommentedText())

    def add_commented_text(self, text: str) -> None:
        """A piece of the text that is being read."""
        for about in self._open.values():
            if about.length < ABOUT:
                about.pieces.append(text)
                about.length += len(text)

    def read_comments(self, root: Element | None) -> list[Json]:
        """The comments in order: author, date, text, and what each is about."""
        out: list[Json] = []
        for comment in root.iterchildren(W + "comment") if root is not None else ():
            paragraphs = ("".join(t.text or "" for t in p.iter(W + "t")) for p in comment.iter(W + "p"))
            about = self._about.get(comment.get(W + "id") or "", _CommentedText())
            one = {
                "author": comment.get(W + "author") or "",
                "date": comment.get(W + "date") or "",
                "text": " ".join(" ".join(paragraphs).split()),
                "about": " ".join("".join(about.pieces).split())[:ABOUT],
            }
            if one["text"]:
                out.append({key: text for key, text in one.items() if text})
        return out
