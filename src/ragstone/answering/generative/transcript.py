"""A model's answer as it streams: the text to show at once, and afterwards its sentences with their citations."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ragstone.answering.generative.citation_markers import CitationMark, MarkerReader
from ragstone.core.sentences import split_sentences

PUNCTUATION = tuple(".,;:!?)]}…。！？")


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A sentence without its markers, and the passages that they name, by their place in the context from 0."""

    text: str
    passages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AnswerPiece:
    """The text to show now: text with our own markers, their numbers, and the passages that they name first."""

    text: str
    numbers: tuple[int, ...] = ()
    first: tuple[int, ...] = ()


class Transcript:
    """Takes pieces of a model's text. `labels` are what it was told to call the passages.

    Passages get their number by first use, from 1; unknown markers are left out and remembered. Markers are written as
    `[1]`, or as `[chunk:ID]` where `ids` has the id of each passage.
    """

    def __init__(self, labels: Mapping[str, int], ids: Sequence[str] = ()) -> None:
        self._ids = ids
        self._markers = MarkerReader(labels)
        self._text = ""  # without markers
        self._marks: list[tuple[int, int]] = []  # where in that text, which passage
        self._numbers: dict[int, int] = {}
        self._space = ""  # not shown yet: none stays before a full stop from which a marker was taken
        self._after = False  # whether a marker came last
        self.unknown: list[str] = []

    def number_passage(self, passage: int) -> int:
        """The number of a passage: the next one where nothing named it before."""
        return self._numbers.setdefault(passage, len(self._numbers) + 1)

    def render_marker(self, passage: int) -> str:
        """The marker of a passage, as it is shown."""
        number = self.number_passage(passage)
        return f"[chunk:{self._ids[passage]}]" if self._ids else f"[{number}]"

    def feed(self, piece: str) -> Iterator[AnswerPiece]:
        """Read the next piece; gives the text to show."""
        yield from self._show_parts(self._markers.feed(piece))

    def end(self) -> Iterator[AnswerPiece]:
        """The text held back because it might have become a marker."""
        yield from self._show_parts(self._markers.end())

    def _show_parts(self, parts: Iterator[str | CitationMark]) -> Iterator[AnswerPiece]:
        for part in parts:
            piece = self._show_mark(part) if isinstance(part, CitationMark) else self._show_text(part)
            if piece.text:
                yield piece

    def _show_text(self, text: str) -> AnswerPiece:
        words = text.strip(" ")
        if not words:
            self._space += text
            return AnswerPiece("")
        before, _, behind = text.partition(words)
        self._space += before
        space = "" if self._after and words.startswith(PUNCTUATION) else self._space
        shown = space + words
        self._text += " " + words if self._separates_words(words) else words if self._after else shown
        self._space, self._after = behind, False
        return AnswerPiece(shown)

    def _separates_words(self, words: str) -> bool:
        """Whether a marker stood between two words of the text that has none."""
        joins = self._after and self._text and not self._text[-1].isspace()
        return bool(joins) and not words[0].isspace() and not words.startswith(PUNCTUATION)

    def _show_mark(self, mark: CitationMark) -> AnswerPiece:
        self.unknown += mark.unknown
        first = tuple(passage for passage in mark.passages if passage not in self._numbers)
        numbers = tuple(self.number_passage(passage) for passage in mark.passages)
        self._marks += [(len(self._text), passage) for passage in mark.passages]
        self._after = True
        if not numbers:
            return AnswerPiece("")
        shown = self._space + "".join(map(self.render_marker, mark.passages))
        self._space = ""
        return AnswerPiece(shown, numbers, first)

    def sentences(self, start: int = 0) -> list[CitedSentence]:
        """The sentences so far, from the one with this number on; a marker belongs to the sentence that it follows.

        One that opens a line belongs to the sentence that it stands before.
        """
        places = split_sentences(self._text)
        marks: list[dict[int, None]] = [{} for _ in places]
        for at, passage in self._marks:
            index = self._owner_index(at, places)
            if index is not None:
                marks[index][passage] = None
        said = [CitedSentence(self._text[a:b], tuple(found)) for (a, b), found in zip(places, marks, strict=True)]
        return said[start:]

    def render_text(self, cited: Sequence[Sequence[int]]) -> str:
        """The text with other markers: `cited` has the passages of each sentence, and their numbers stand behind it."""
        out, at = "", 0
        for (_, end), passages in zip(split_sentences(self._text), cited, strict=True):
            marks = "".join(map(self.render_marker, passages))
            out += self._text[at:end] + (f" {marks}" if marks else "")
            at = end
        return out + self._text[at:]

    def _owner_index(self, at: int, places: Sequence[tuple[int, int]]) -> int | None:
        opens = not self._text[:at].strip(" ") or self._text[:at].rstrip(" ").endswith("\n")
        before = [index for index, (start, _) in enumerate(places) if start < at]
        if opens:
            return len(before) if len(before) < len(places) else None
        return before[-1] if before else None
