"""Links of a page: where they lead, and which characters of the record they lie on."""

import ctypes
from collections.abc import Sequence
from typing import Any, NamedTuple

import pypdfium2.raw as raw

from ragstone.core.page_layout import Box, Layout, Strip
from ragstone.extraction.pdf.characters.glyphs import View

MOST = 500  # links of one page
LONGEST = 2000  # bytes of an address


class Link(NamedTuple):
    """An address and its box on a page."""

    page: int
    box: Box
    url: str


def read_links(page: Any, number: int, view: View) -> list[Link]:
    """The links of a page that lead out of the document."""
    found: list[Link] = []
    at, link = ctypes.c_int(0), raw.FPDF_LINK()
    rect = raw.FS_RECTF()
    while len(found) < MOST and raw.FPDFLink_Enumerate(page.raw, ctypes.byref(at), ctypes.byref(link)):
        action = raw.FPDFLink_GetAction(link)
        if not action or raw.FPDFAction_GetType(action) != raw.PDFACTION_URI:
            continue
        buffer = ctypes.create_string_buffer(LONGEST)
        length = raw.FPDFAction_GetURIPath(page.pdf.raw, action, buffer, LONGEST)
        if 1 < length <= LONGEST and raw.FPDFLink_GetAnnotRect(link, ctypes.byref(rect)):
            ax, ay = view.map_point(rect.left, rect.top)
            bx, by = view.map_point(rect.right, rect.bottom)
            box = (min(ax, bx), min(ay, by), max(ax, bx), max(ay, by))
            found.append(Link(number, box, buffer.value.decode("utf-8", "replace")))
    return found


def locate_links(layout: Layout, record: str, found: Sequence[Link]) -> list[dict[str, Any]]:
    """Each link with the characters of the record under it: url, page, char_start, char_end, text."""
    wanted: dict[int, list[Link]] = {}
    for link in found:
        wanted.setdefault(link.page, []).append(link)
    ranges: dict[Link, tuple[int, int]] = {}
    for strip in layout.strips() if wanted else ():
        for link in wanted.get(strip.page, ()):
            if covered := _find_characters(strip, link.box):
                old = ranges.get(link, covered)
                ranges[link] = (min(old[0], covered[0]), max(old[1], covered[1]))
    out = []
    for link in found:
        if link in ranges:
            start, end = ranges[link]
            start += len(record[start:end]) - len(record[start:end].lstrip())
            out.append(
                {"url": link.url, "page": link.page, "char_start": start, "char_end": end, "text": record[start:end]}
            )
    return out


def _find_characters(strip: Strip, box: Box) -> tuple[int, int] | None:
    """The characters of a strip whose middle lies in a box."""
    x0, y0, x1, y1 = box
    if not y0 <= (strip.box[1] + strip.box[3]) / 2 <= y1 or strip.box[2] < x0 or strip.box[0] > x1:
        return None
    if not strip.edges:
        return (strip.start, strip.end) if x0 <= (strip.box[0] + strip.box[2]) / 2 <= x1 else None
    edges = strip.edges
    inside = [k for k in range(strip.end - strip.start) if x0 <= (edges[k] + edges[k + 1]) / 2 <= x1]
    return (strip.start + inside[0], strip.start + inside[-1] + 1) if inside else None
