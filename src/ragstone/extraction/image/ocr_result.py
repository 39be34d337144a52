"""The result of OCR: lines of words with their boxes and confidence."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ragstone.core.page_layout import Box

Pixels = npt.NDArray[np.uint8]  # height, width, 3: red, green, blue


@dataclass(frozen=True, slots=True)
class OcrWord:
    """A word without spaces in it; `mean_confidence` is 0 to 1, as the engine says it."""

    text: str
    box: Box
    confidence: float


@dataclass(frozen=True, slots=True)
class OcrLine:
    """Words in reading order, joined by spaces in `text`, and the box around them.

    `size` is the height of the letters from the top of an ascender to the bottom of a descender,
    about the font's size. `turn` counts quarter turns clockwise of the writing direction, `slope` is its
    rise downwards over its length (0.01 is 0.6 degrees) in the frame of `turn`.
    """

    text: str
    box: Box
    words: tuple[OcrWord, ...]
    confidence: float
    size: float
    turn: int = 0
    slope: float = 0.0


class OcrEngine(Protocol):
    """Reads pixels. `turned` says whether it finds lines that run up or down on a page that stands upright."""

    name: str
    turned: bool

    def read(self, pixels: Pixels) -> list[OcrLine]:
        """The lines of a picture in pixels, unsure ones too; raises `Refused`."""
        ...


def move_line(line: OcrLine, place: Callable[[Box], Box], *, scale: float = 1.0, turn: int = 0) -> OcrLine:
    """A line with each box put elsewhere; sizes grow by `scale`, `turn` is added to its own."""
    words = tuple(replace(word, box=place(word.box)) for word in line.words)
    return replace(line, box=place(line.box), words=words, size=line.size * scale, turn=(line.turn + turn) % 4)


def mean_confidence(lines: Iterable[OcrLine]) -> float:
    """The mean over all letters; 0 where there are none."""
    pairs = [(len(word.text), word.confidence) for line in lines for word in line.words]
    letters = sum(count for count, _ in pairs)
    return sum(count * sure for count, sure in pairs) / letters if letters else 0.0


def to_grey(pixels: Pixels) -> npt.NDArray[np.uint8]:
    """How bright each pixel is, by the weights of ITU-R BT.601."""
    red, green, blue = (pixels[:, :, channel].astype(np.uint16) for channel in range(3))
    return ((77 * red + 150 * green + 29 * blue) >> 8).astype(np.uint8)
