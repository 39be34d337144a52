"""Where lines stand on their pages, as ranges of characters with boxes."""

from collections.abc import Iterator, Sequence

from ragstone.core.page_layout import Box, bounding_box
from ragstone.extraction.pdf.characters.lines import Line

Range = tuple[int, int, int, Box]  # characters, page, box


def split_at_bars(text: str) -> list[str]:
    """Text cut so that every bar stands alone."""
    if "|" not in text:
        return [text] if text else []
    parts: list[str] = []
    for i, part in enumerate(text.split("|")):
        if i:
            parts.append("|")
        if part:
            parts.append(part)
    return parts


def word_boxes(line: Line, start: int, end: int) -> Iterator[tuple[int, int, Box]]:
    """Boxes of a line's words where characters do not run along the page's x; a space goes to the word before."""
    if line.edges is not None:
        text = line.text
        at = 0
        for word in text.split(" "):
            first, last = max(at, start), min(at + len(word), end)
            if last > first:
                yield first, last, (float(line.edges[first]), line.y0, float(line.edges[last]), line.y1)
            at += len(word) + 1
    else:
        for a, b, box in line.chunks:
            if min(b, end) > max(a, start):
                yield max(a, start), min(b, end), box


def merge_ranges(boxes: Sequence[Range], start: int, end: int) -> list[Range]:
    """One range a page and column over all characters of a block."""
    out: list[Range] = []
    for _, last, page, box in boxes:
        if out and out[-1][2] == page and box[1] >= out[-1][3][1] - 2 and _shares_column(out[-1][3], box):
            out[-1] = (out[-1][0], last, page, bounding_box([out[-1][3], box]))
        else:
            out.append((out[-1][1] if out else start, last, page, box))
    if out:
        out[-1] = (out[-1][0], end, *out[-1][2:])
    return out


def _shares_column(a: Box, b: Box) -> bool:
    return min(a[2], b[2]) > max(a[0], b[0]) or b[1] < a[3]


def round_box(box: Box) -> Box:
    """The box in hundredths of a point."""
    x0, y0, x1, y1 = box
    return round(x0, 2), round(y0, 2), round(x1, 2), round(y1, 2)
