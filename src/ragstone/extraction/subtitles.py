"""Subtitles (SRT, WebVTT): the spoken words in paragraphs; numbers, times and styles are left out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ragstone.core.errors import Refused
from ragstone.core.newlines import unify_newlines
from ragstone.core.types import Block, Extraction, Span
from ragstone.extraction.decoding import decode_text
from ragstone.extraction.markup.lines import Line, split_lines
from ragstone.extraction.media_types import SUBTITLES
from ragstone.extraction.record.line_index import LineIndex

TIMES = re.compile(r"\s*(?:\d+:)?\d+:\d+[,.]\d+\s+-->\s+(?:\d+:)?\d+:\d+[,.]\d+.*")
VOICE = re.compile(r"<v(?:\.[^\s<>.]{1,40}){0,20}+[ \t]{1,20}+([^<>\n]{1,100})>[ \t]{0,20}")  # of WebVTT: who speaks
MARKS = re.compile(r"<[^<>]{0,200}>|\{\\[^{}]{0,100}\}")
ENDED = re.compile(r".*[.!?…。！？][\"'”’)\]]*\s*", re.DOTALL)
WANTED = 240  # characters of a paragraph, which then ends with the next sentence
LONGEST = 800


@dataclass(frozen=True, slots=True)
class Subtitles:
    """The text of record is the decoded file, with speakers as `Dana: ` before their words; a paragraph is several
    cues, a span each."""

    recipe: str = "subtitles-5"
    media_type: str = SUBTITLES

    def extract(self, data: bytes, *, path: str) -> Extraction:
        """Raises `Refused`: encoding, and empty for a file without a cue."""
        record, warnings = decode_text(data, path=path)
        record = VOICE.sub(r"\1: ", record).replace("</v>", "")
        blocks = tuple(_build_paragraphs(unify_newlines(record)))
        if not blocks:
            raise Refused("empty", f"{path} holds no subtitle")
        return Extraction(record, blocks, self.media_type, None, {}, warnings)


def _build_paragraphs(text: str) -> Iterator[Block]:
    index = LineIndex(text)
    said: list[str] = []
    spans: list[Span] = []
    for cue in _find_cues(split_lines(text)):
        start, end = cue[0].start + cue[0].indent, cue[-1].end
        words = " ".join(MARKS.sub("", text[start:end]).split())
        if not words:
            continue
        said.append(words)
        spans.append(index.span(start, end))
        length = sum(map(len, said))
        if length >= LONGEST or (length >= WANTED and ENDED.fullmatch(words)):
            yield Block("paragraph", " ".join(said), tuple(spans))
            said, spans = [], []
    if said:
        yield Block("paragraph", " ".join(said), tuple(spans))


def _find_cues(lines: list[Line]) -> Iterator[list[Line]]:
    """The lines of each cue below its times, up to a blank one."""
    at = 0
    while at < len(lines):
        if not TIMES.fullmatch(lines[at].text):
            at += 1
            continue
        first = at = at + 1
        while at < len(lines) and not lines[at].is_blank:
            at += 1
        if at > first:
            yield lines[first:at]
