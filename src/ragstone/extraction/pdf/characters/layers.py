"""Text on layers that are switched off: found by what a page shows without its text."""

import re
import zlib
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from ragstone.extraction.pdf.characters import pdfium
from ragstone.extraction.pdf.characters.glyphs import Glyphs, View

# PDF 32000-1, 8.11: the ways to say that something is not shown.
OFF = re.compile(
    rb"/OFF\s{0,20}\[\s{0,20}\d|/OFF\s{1,20}\d{1,9}\s|/(?:Base|View)State\s{0,20}/OFF|/A(?:ll|ny)Off|/VE\s{0,20}\["
)
PACKED = re.compile(rb"/ObjStm\b")
UNPACKED = 8_000_000  # bytes of one stream of objects
STREAMS = 5_000  # of them that are looked at
SCALE = 1.5  # pixels a point: a full stop of small print still leaves a mark
PIXELS = 4_000_000  # of one page


def may_have_hidden_layers(data: bytes) -> bool:
    """Whether a file may have layers that are off; where its objects cannot be looked at, it may."""
    if OFF.search(data):
        return True
    if b"/ObjStm" not in data:
        return False
    return b"/Encrypt" in data or any(OFF.search(objects) for objects in islice(_unpack_object_streams(data), STREAMS))


def _unpack_object_streams(data: bytes) -> Iterator[bytes]:
    """The streams of a file that hold objects."""
    at = 0
    while found := PACKED.search(data, at):
        start = data.find(b"stream", found.end())
        end = data.find(b"endstream", start + 6)
        if start < 0 or end < 0:
            return
        try:
            yield zlib.decompressobj().decompress(data[start + 6 : end].lstrip(b"\r\n"), UNPACKED)
        except zlib.error:
            yield b""
        at = end


def find_hidden_runs(page: Any, g: Glyphs, view: View) -> npt.NDArray[np.bool_]:
    """Of each run of characters: whether the page looks the same without it, as far as it stands on the page."""
    out = np.zeros(len(g.look), dtype=np.bool_)
    at = np.flatnonzero((g.run >= 0) & (g.code > 32))
    at = at[(g.x1[at] > 0) & (g.y1[at] > 0) & (g.x0[at] < view.width) & (g.y0[at] < view.height)]
    if not len(at):
        return out
    changed = _find_text_pixels(page, g)
    height, width = changed.shape
    sums = np.zeros((height + 1, width + 1), dtype=np.int64)
    sums[1:, 1:] = changed.cumsum(axis=0).cumsum(axis=1)
    x, y = width / view.width, height / view.height
    left, right = (np.clip(v, 0, width).astype(np.int64) for v in (np.floor(g.x0[at] * x), np.ceil(g.x1[at] * x)))
    top, bottom = (np.clip(v, 0, height).astype(np.int64) for v in (np.floor(g.y0[at] * y), np.ceil(g.y1[at] * y)))
    ink = sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left]
    out[g.run[at]] = True
    out[g.run[at[ink > 0]]] = False
    return out


def _find_text_pixels(page: Any, g: Glyphs) -> npt.NDArray[np.bool_]:
    """Which pixels of a page its text draws."""
    texts = [pdfium.pointer(address) for address in sorted(g.objects)]
    whole = _render_page(page)
    for text in texts:
        pdfium.activate(text, 0)
    try:
        changed: npt.NDArray[np.bool_] = (whole != _render_page(page)).any(axis=2)
        return changed
    finally:
        for text in texts:
            pdfium.activate(text, 1)


def _render_page(page: Any) -> npt.NDArray[np.uint8]:
    area = max(1.0, page.get_width() * page.get_height())
    bitmap = page.render(scale=min(SCALE, (PIXELS / area) ** 0.5), maybe_alpha=False)
    try:
        return np.array(bitmap.to_numpy()[:, :, :3])
    finally:
        bitmap.close()
