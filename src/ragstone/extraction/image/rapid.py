"""Reads pixels with rapidocr: neural networks that come in its wheel and run on onnxruntime."""

import re
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ragstone.config.environment import silence_telemetry
from ragstone.core.errors import Refused
from ragstone.core.page_layout import Box, bounding_box
from ragstone.extraction.image.ink import fit_to_ink
from ragstone.extraction.image.ocr_result import OcrLine, OcrWord, Pixels, to_grey

NAME = "rapidocr"
# Measured on a page of 1,600 x 2,000 pixels (benchmarks/extraction/ocr.md): lines read one by one cost half
# of batches that are filled up to the longest, and looking for lines in at most 1,600 pixels takes a third
# of 2,000's time. Print so small that it is lost there is looked for once more in 2,400.
PARAMETERS = {
    "Global.log_level": "critical",
    "Global.max_side_len": 10_000,  # scan.py has made pictures small enough
    "Det.limit_type": "max",
    "Det.max_candidates": 4000,  # boxes; a page of a dense table has 1,300
    "Rec.rec_batch_num": 1,
    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
}
COARSE, FINE = 1600, 2400  # pixels of the longer side in which lines are looked for
SMALL = 17.0  # pixels of the middle box's height at COARSE: letters of 12; below it lines were lost
UPRIGHT = 1.5  # a box so much higher than wide is read as a line that runs up or down, by rapidocr too
TALL_LINES = 6  # such lines tell the way of all others where a page consists of them
WORDS = re.compile(r"^[•·●▪■◦‣➢](?=\w)|\S+")  # it reads a bullet and the word behind it as one
LINES = 40  # of them are read one by one


def is_missing() -> bool:
    """Whether rapidocr or the models that come with it are not installed."""
    found = find_spec("rapidocr")
    if found is None or not found.submodule_search_locations:
        return True
    models = Path(next(iter(found.submodule_search_locations)), "models")
    # Without them it would look for them on the network.
    return len(list(models.glob("*.onnx"))) < 3


class RapidEngine:
    """Its lines are boxes of any slope with a margin; words are fitted to their ink."""

    name = NAME
    turned = True

    def read(self, pixels: Pixels) -> list[OcrLine]:
        """The lines, in pixels; raises `Refused` where the engine cannot be loaded."""
        found = _run_engine(pixels, COARSE)
        shrunk = COARSE / max(pixels.shape)
        if shrunk < 1 and found is not None and _median_height(found.boxes) * shrunk < SMALL:
            found = _run_engine(pixels, FINE)
        if found is None:
            return []
        dark = to_grey(pixels)
        lines: list[OcrLine] = []
        tall: list[tuple[Box, str]] = []
        parts = found.word_results if len(found.word_results) == len(found.txts) else [()] * len(found.txts)
        for corners, text, score, words in zip(found.boxes, found.txts, found.scores, parts, strict=True):
            if _is_tall(corners):
                tall.append((_corner_box(corners), text))
            elif text.strip():
                lines.append(fit_to_ink(_build_line(corners, text, float(score), words), dark))
        return lines + _read_tall_lines(pixels, tall, alone=len(tall) > len(lines))


def _run_engine(pixels: Pixels, limit: int) -> Any:
    """What the engine makes of a page; None where it finds no text."""
    given = np.ascontiguousarray(pixels[:, :, ::-1])
    try:
        made = _load_engine(limit)(
            given, use_det=True, use_cls=False, use_rec=True, return_word_box=True, text_score=0.0
        )
    except Exception as error:
        # onnxruntime's own kinds of errors; where memory is short, who set the limit should hear of it.
        if "alloc" in str(error).lower():
            raise MemoryError from error
        raise Refused("broken", f"rapidocr failed on these pixels: {error}") from error
    return made if made.boxes is not None and len(made.boxes) else None


def _median_height(boxes: Any) -> float:
    corners = np.asarray(boxes, dtype=np.float64)
    return float(np.median(np.linalg.norm(corners[:, 0] - corners[:, 3], axis=1)))


@lru_cache(maxsize=2)
def _load_engine(limit: int = COARSE) -> Any:
    silence_telemetry()
    try:
        from rapidocr import RapidOCR
    except ImportError as error:
        raise Refused("unsupported", f"rapidocr cannot be loaded ({error}): pip install 'ragstone[ocr]'") from error
    return RapidOCR(params={**PARAMETERS, "Det.limit_side_len": limit})


def _is_tall(corners: npt.NDArray[np.float32]) -> bool:
    width = max(np.linalg.norm(corners[0] - corners[1]), np.linalg.norm(corners[2] - corners[3]))
    height = max(np.linalg.norm(corners[0] - corners[3]), np.linalg.norm(corners[1] - corners[2]))
    return bool(height >= UPRIGHT * width)


def _corner_box(corners: Any) -> Box:
    points = np.asarray(corners, dtype=np.float64)
    x0, y0 = points.min(axis=0).tolist()
    x1, y1 = points.max(axis=0).tolist()
    return x0, y0, x1, y1


def _build_line(corners: npt.NDArray[np.float32], text: str, score: float, parts: Sequence[Any]) -> OcrLine:
    """One line from its four corners and those of the words that the engine told apart."""
    box = _corner_box(corners)
    along = corners[1] - corners[0]
    slope = float(along[1] / max(1.0, float(along[0])))
    text = " ".join(text.split())
    edges = _place_edges(text, box, [(part[0], _corner_box(part[2])) for part in parts])
    middle_x, middle = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    half = float(np.linalg.norm(corners[0] - corners[3])) / 2
    words: list[OcrWord] = []
    for match in WORDS.finditer(text):
        x0, x1 = edges[match.start()], edges[match.end()]
        y = middle + slope * ((x0 + x1) / 2 - middle_x)
        words.append(OcrWord(match[0], (x0, y - half, x1, y + half), score))
    return OcrLine(" ".join(word.text for word in words), box, tuple(words), score, 2 * half, 0, slope)


def _place_edges(text: str, box: Box, parts: Sequence[tuple[str, Box]]) -> list[float]:
    """The x of each character's boundary: from the parts that the engine placed, evenly between them."""
    known: dict[int, float] = {0: box[0], len(text): box[2]}
    at = 0
    for said, own in parts:
        start = text.find(said, at)
        if said and start >= 0:
            at = start + len(said)
            known[start], known[at] = own[0], own[2]
    places = sorted(known)
    edges: list[float] = np.interp(range(len(text) + 1), places, [known[p] for p in places]).tolist()
    return list(accumulate(edges, max))


def _read_tall_lines(pixels: Pixels, tall: Sequence[tuple[Box, str]], *, alone: bool) -> list[OcrLine]:
    """Lines that run up or down, or single high letters: each read every way, the surest is right.

    A page that consists of such lines will be turned and read again, so that some are enough to tell its way.
    """
    longest = sorted(range(len(tall)), key=lambda k: (tall[k][0][1] - tall[k][0][3], k))
    tried = sorted(longest[: TALL_LINES if alone else LINES])
    lines = [line for k in tried for line in _read_every_way(pixels, tall[k][0])]
    if not alone or not lines:
        return lines
    turn = max((1, 3), key=lambda turn: sum(len(line.text) * line.confidence for line in lines if line.turn == turn))
    rest = [tall[k] for k in range(len(tall)) if k not in set(tried)]
    return lines + [_build_tall_line(box, text, 0.0, turn) for box, text in rest if text.strip()]


def _read_every_way(pixels: Pixels, box: Box) -> list[OcrLine]:
    x0, y0, x1, y1 = (max(0, round(at)) for at in box)
    part = pixels[y0:y1, x0:x1, ::-1]
    if not part.size:
        return []
    best = OcrLine("", box, (), 0.0, 0.0)
    for turn, turns in ((0, 0), (1, 1), (3, -1)):
        found = _load_engine()(
            np.ascontiguousarray(np.rot90(part, turns)),
            use_det=False,
            use_cls=False,
            use_rec=True,
            return_word_box=False,
            text_score=0.0,
        )
        for text, score in zip(found.txts or (), found.scores or (), strict=True):
            if text.strip() and (turn or len(text) < 3) and float(score) > best.confidence:
                best = _build_tall_line(box, text, float(score), turn)
    return [best] if best.text else []


def _build_tall_line(box: Box, text: str, score: float, turn: int) -> OcrLine:
    """A line whose words share its box evenly along its way."""
    text = " ".join(text.split())
    x0, y0, x1, y1 = box
    words: list[OcrWord] = []
    at = 0
    for word in text.split(" "):
        a, b = at / len(text), (at + len(word)) / len(text)
        if turn == 3:
            own = (x0, y1 - b * (y1 - y0), x1, y1 - a * (y1 - y0))
        elif turn == 1:
            own = (x0, y0 + a * (y1 - y0), x1, y0 + b * (y1 - y0))
        else:
            own = (x0 + a * (x1 - x0), y0, x0 + b * (x1 - x0), y1)
        words.append(OcrWord(word, own, score))
        at += len(word) + 1
    size = 0.7 * (x1 - x0 if turn else y1 - y0)
    return OcrLine(text, bounding_box(word.box for word in words), tuple(words), score, size, turn)
