"""One page: from its characters and marks to pieces in reading order."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ragstone.core.page_layout import Box
from ragstone.core.types import Json
from ragstone.extraction.optional_steps import FailedStep, attempt_step
from ragstone.extraction.pdf.characters import pdfium
from ragstone.extraction.pdf.characters.annotations import Annotations, BoxText, read_annotations
from ragstone.extraction.pdf.characters.glyphs import SMALLEST, Glyphs, View, read_glyphs, read_view
from ragstone.extraction.pdf.characters.graphics import Graphics, read_graphics
from ragstone.extraction.pdf.characters.inked import find_inked
from ragstone.extraction.pdf.characters.layers import find_hidden_runs
from ragstone.extraction.pdf.characters.letters import PRIVATE
from ragstone.extraction.pdf.characters.lines import build_slanted_lines
from ragstone.extraction.pdf.characters.links import Link, read_links
from ragstone.extraction.pdf.characters.pieces import Piece
from ragstone.extraction.pdf.characters.unmapped_characters import is_text
from ragstone.extraction.pdf.characters.words import SPACING, drop_doubles
from ragstone.extraction.pdf.layout.figures import find_figures
from ragstone.extraction.pdf.layout.mixed_scans import area_share, is_mixed
from ragstone.extraction.pdf.page_pieces import PieceBuilder, turn_graphics

T = TypeVar("T")

SCAN = 0.5  # of the page: a picture so large under invisible letters is a scan, the letters its text
IMAGES = 500  # of a page are looked at: scans in strips have some dozens
DRAWN = 0.02  # of the page: pictures that cover more may show text


@dataclass(slots=True)
class Page:
    """The content of a page: pieces in reading order, and facts for warnings."""

    number: int
    width: float
    height: float
    pieces: list[Piece] = field(default_factory=list)
    letters: int = 0  # that a reader sees
    hidden: int = 0  # letters left out because nobody can see them
    pictured: bool = False  # shows pictures or drawings
    scanned: bool = False
    unread: int = 0  # letters without a meaning in the file
    failed: bool = False
    failures: list[FailedStep] = field(default_factory=list)  # steps that were left out
    links: list[Link] = field(default_factory=list)
    figures: list[Box] = field(default_factory=list)  # known on pages with captions only
    scan: list[Box] = field(default_factory=list)  # the pictures of a page that has little text beside them
    remarks: list[Json] = field(default_factory=list)  # of readers: they open at a click
    files: list[str] = field(default_factory=list)  # names of those attached to the page

    def attempt(self, what: str, work: Callable[[], T]) -> T | None:
        """As `attempt_step`, on this page."""
        return attempt_step(what, work, self.failures, page=self.number)


def read_pdf_page(page: Any, number: int, *, layered: bool = False) -> Page:
    """The pieces of one page of a pdfium document; `number` counts from 1.

    `layered` says that the file may have layers that are off: then text is looked for that the page does not show.
    """
    seen = read_view(page)
    text = page.get_textpage()
    try:
        g = read_glyphs(pdfium.address_of(text), text.count_chars(), seen)
    finally:
        text.close()
    out = Page(number, seen.width, seen.height)
    drawn = out.attempt(
        "lines and pictures were not looked at",
        lambda: read_graphics(pdfium.address_of(page), seen, g.objects),
    ) or Graphics([], [])
    out.links = out.attempt("links were not read", lambda: read_links(page, number, seen)) or []
    out.pictured = _total_area(drawn.images) > DRAWN * seen.width * seen.height or len(drawn.curves) > 20
    keep = _find_visible(page, g, seen, drawn, out)
    if layered and not out.scanned:
        keep = _drop_hidden_layers(page, g, seen, keep, out)
    typed = _take_annotations(page, seen, drawn, out)
    turns = np.where(g.run >= 0, g.turn[g.run], 0) if len(g.turn) else np.zeros(len(g.code), dtype=np.int64)
    for turn in (0, 1, 3, 2):
        own = keep & (turns == turn)
        added = typed if turn == 0 else []
        if added or own.any():
            out.pieces += PieceBuilder(number, turn, turn_graphics(drawn, turn), out.failures).build(g, own, added)
    if (slanted := keep & (turns == -1)).any():
        out.pieces += [
            Piece("paragraph", [line], number, -1, role="header") for line in build_slanted_lines(g, slanted)
        ]
    if any(piece.kind == "caption" for piece in out.pieces):
        out.figures = (
            out.attempt("figures were not looked for", lambda: find_figures(drawn, seen.width, seen.height)) or []
        )
    for piece in out.pieces:
        piece.freeze()
    return out


def _drop_hidden_layers(
    page: Any, g: Glyphs, view: View, keep: npt.NDArray[np.bool_], out: Page
) -> npt.NDArray[np.bool_]:
    """`keep` without text on layers that are off."""
    gone = find_hidden_runs(page, g, view)
    if not gone.any():
        return keep
    left_out = keep & (g.run >= 0) & gone[g.run]
    count = int((left_out & (g.code > 32)).sum())
    out.hidden, out.letters = out.hidden + count, out.letters - count
    return keep & ~left_out


def _take_annotations(page: Any, view: View, drawn: Graphics, out: Page) -> list[BoxText]:
    """What was typed into the page; with it a scan can have more text than it shows by itself."""
    said = (
        out.attempt("forms and annotations were not read", lambda: read_annotations(page, out.number, view))
        or Annotations()
    )
    out.hidden, out.remarks, out.files = out.hidden + said.hidden, said.remarks, said.files
    if said.typed:
        out.letters += sum(not letter.isspace() for typed in said.typed for letter in typed.text)
        if not (out.scanned or out.scan) and is_mixed(drawn.images, out.letters, view.width, view.height):
            out.scan = drawn.images[:IMAGES]
    return said.typed


def _total_area(boxes: Sequence[Box]) -> float:
    return sum((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in boxes)


def _find_visible(page: Any, g: Glyphs, view: View, drawn: Graphics, out: Page) -> npt.NDArray[np.bool_]:
    """Which characters a reader sees. Invisible letters over a scan are the text of the scan."""
    if not len(g.look):
        return np.zeros(len(g.code), dtype=np.bool_)
    known = g.run >= 0
    middle_x, middle_y = (g.x0 + g.x1) / 2, (g.y0 + g.y1) / 2
    inside = (middle_x >= -2) & (middle_y >= -2) & (middle_x <= view.width + 2) & (middle_y <= view.height + 2)
    unseen = g.unseen[g.run]
    ink = known & (g.code > 32)
    held = _inside_boxes(drawn.images, middle_x, middle_y) & ink & inside
    if unseen[known].any() and area_share(drawn.images, view.width, view.height) > SCAN:
        # The text of a scan says more than what is printed over it; a few words hidden on a page do not.
        out.scanned = 2 * int((held & unseen).sum()) >= int(held.sum())
        unseen = np.zeros_like(unseen) if out.scanned else unseen
    tiny = g.size[g.run] < SMALLEST
    pale = g.pale[g.run]
    if pale.any():
        for x0, y0, x1, y1 in (*drawn.fills, *drawn.images, *drawn.curves):
            pale &= ~((middle_x >= x0) & (middle_x <= x1) & (middle_y >= y0) & (middle_y <= y1))
    doubtful = ink & inside & ~tiny & (pale & ~unseen | g.clipping[g.run] & unseen & ~held)
    if doubtful.any() and not out.scanned:
        inked = find_inked(page, g, doubtful, ink & inside & ~tiny & ~unseen & ~pale)
        unseen, pale = unseen & ~inked, pale & ~inked
    keep = known & inside & ~unseen & ~tiny & ~pale
    out.hidden = int((ink & ~keep).sum())
    out.letters = int((ink & keep).sum())
    if out.letters and not out.scanned and is_mixed(drawn.images, int((held & keep).sum()), view.width, view.height):
        out.scan = drawn.images[:IMAGES]
    # A control code that is drawn stands for a letter whose meaning the file does not give; 2 for a hyphen.
    control = (g.code < 32) & (g.code > 2) & ~SPACING[np.minimum(g.code, 32)] | (g.code == 1)
    own = (g.code >= 0xE000) & (g.code <= 0xF8FF)
    if own.any():
        own &= ~np.isin(g.code, list(PRIVATE))
    guessed = g.unmapped & keep
    if guessed.any() and not is_text(g.code[guessed]):
        own |= guessed
    out.unread = int(((ink | control) & keep & (control | (g.code == 0xFFFD) | own)).sum())
    return drop_doubles(g, keep)


def _inside_boxes(
    boxes: Sequence[Box], x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]
) -> npt.NDArray[np.bool_]:
    """Which places lie in any of some boxes."""
    inside = np.zeros(len(x), dtype=np.bool_)
    for x0, y0, x1, y1 in boxes[:IMAGES]:
        inside |= (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)
    return inside
