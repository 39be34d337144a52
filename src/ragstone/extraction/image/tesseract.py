"""Reads pixels with the program tesseract where it is installed."""

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import numpy as np

from ragstone.core.errors import Refused
from ragstone.core.page_layout import Box, bounding_box
from ragstone.extraction.image.ink import fit_to_ink
from ragstone.extraction.image.ocr_result import OcrLine, OcrWord, Pixels, to_grey

NAME = "tesseract"
# Where package managers put it. The search path of who calls is not known where documents are parsed.
PLACES = ("/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", "/opt/local/bin")
SECONDS = 240.0  # for one page; one of dense text takes 5
FIELDS = 12  # of a row of its table: level, page, block, paragraph, line, word, left, top, width, height, conf, text
WORD = "5"  # the level of words
HIGH = 1.2  # a word of three letters so much higher than wide runs up or down
SLOPE_WORDS = 5  # words that tell the slope of a line


def find_program(program: str = "") -> str:
    """The path of the program, or of the one that is installed; "" where there is none."""
    if program:
        return program if Path(program).is_file() else ""
    return next((path for place in PLACES if (path := shutil.which(NAME, path=place))), "")


class TesseractEngine:
    """`languages` as the program has them: `eng`, `deu+eng`."""

    name = NAME
    turned = False

    def __init__(self, program: str, languages: str = "eng") -> None:
        self._command = [program, "stdin", "stdout", "-l", languages, "--psm", "3", "tsv"]

    def read(self, pixels: Pixels) -> list[OcrLine]:
        """The lines, in pixels; raises `Refused`: unsupported (it does not work here), too_slow."""
        dark = to_grey(pixels)
        height, width = dark.shape
        picture = b"P5\n%d %d\n255\n" % (width, height) + dark.tobytes()
        try:
            done = subprocess.run(self._command, input=picture, capture_output=True, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired as error:
            raise Refused("too_slow", f"tesseract took longer than {SECONDS:.0f} seconds for one page") from error
        except OSError as error:
            raise Refused("unsupported", f"tesseract cannot be started: {error}") from error
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip().splitlines()
            raise Refused("unsupported", f"tesseract failed: {said[0] if said else done.returncode}")
        return [
            line if line.turn else fit_to_ink(line, dark) for line in _parse_lines(done.stdout.decode(errors="replace"))
        ]


def _parse_lines(table: str) -> Iterator[OcrLine]:
    """The lines of the program's table of words."""
    rows = (row.split("\t") for row in table.splitlines())
    words = (row for row in rows if len(row) == FIELDS and row[0] == WORD and row[11].strip())
    for _, group in groupby(words, key=lambda row: row[1:5]):
        own = [_parse_word(row) for row in group]
        text = " ".join(word.text for word in own)
        letters = sum(len(word.text) for word in own)
        sure = sum(word.confidence * len(word.text) for word in own) / letters
        box = bounding_box(word.box for word in own)
        if turn := _detect_turn(own):
            yield OcrLine(text, box, tuple(own), sure, box[2] - box[0], turn)
            continue
        level = [_level_box(word.box, own) for word in own]
        own = [OcrWord(word.text, box_, word.confidence) for word, box_ in zip(own, level, strict=True)]
        yield OcrLine(text, box, tuple(own), sure, box[3] - box[1], 0, _fit_slope(own))


def _parse_word(row: Sequence[str]) -> OcrWord:
    left, top, width, height = (float(number) for number in row[6:10])
    text = "".join(row[11].split())
    return OcrWord(text, (left, top, left + width, top + height), max(0.0, float(row[10])) / 100)


def _detect_turn(words: Sequence[OcrWord]) -> int:
    """Whether a line runs down (1) or up (3): its words are then higher than wide."""
    long = [word.box for word in words if len(word.text) > 2]
    high = sum(y1 - y0 > HIGH * (x1 - x0) for x0, y0, x1, y1 in long)
    if not long or 2 * high <= len(long):
        return 0
    return 1 if words[0].box[1] <= words[-1].box[1] else 3


def _level_box(box: Box, words: Sequence[OcrWord]) -> Box:
    """A word's box as high as its line's highest word, with a margin, around its own middle."""
    half = 0.65 * max(word.box[3] - word.box[1] for word in words)
    middle = (box[1] + box[3]) / 2
    return box[0], middle - half, box[2], middle + half


def _fit_slope(words: Sequence[OcrWord]) -> float:
    if len(words) < SLOPE_WORDS:
        return 0.0
    xs = np.array([(word.box[0] + word.box[2]) / 2 for word in words])
    ys = np.array([(word.box[1] + word.box[3]) / 2 for word in words])
    spread = float(((xs - xs.mean()) ** 2).sum())
    return float(((xs - xs.mean()) * (ys - ys.mean())).sum()) / spread if spread > 1.0 else 0.0
