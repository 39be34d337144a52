"""Which table or figure each caption belongs to: the nearest right above or below it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ragstone.core.page_layout import Box, bounding_box
from ragstone.core.types import CaptionTarget
from ragstone.extraction.pdf.characters.pieces import Piece
from ragstone.extraction.pdf.page import Page
from ragstone.extraction.record.caption_and_list_markers import ALONE, caption_kind

# In letter heights of the caption unless said otherwise; from looking at 41 captions of 20 documents.
FAR = {"table": 3.5, "figure": 5.0}  # between a caption and what it names
LETTERED = 60  # characters of a line between: axis labels, a unit, a subtitle; what is longer is text …
SMALLER = 0.92  # … unless it is a note in letters that are so much smaller than the caption's
BETWEEN = {"table": 2, "figure": 6}  # such lines
NOTE = 4  # lines of such a note
TITLE = 0.9  # between a label that stands alone and its title
ASIDE = 6.0  # between them where they stand side by side
INSIDE = 3.0  # from the edge of a figure's frame to a caption in it
SHARED = 0.3  # of the narrower one's width is shared
UNUSUAL = 1.5  # what the side that captions of its kind do not stand on costs
OTHER = 3.0  # what a table under the name of a figure costs, and the other way round
OFTEN, MOSTLY = 3, 0.8  # so many captions of a document, and such a share of them, tell its usual side
LONGEST = 500  # characters: what is longer is text that begins like a caption
MOST, PIECES = 40, 500  # captions and targets of a page, and pieces on it: what has more is no page that anybody reads
TEXT = 300  # letters of running text in a drawing: it is the ground of a note, no figure

Side = Literal["above", "below"]  # where the caption stands


@dataclass(slots=True)
class _Caption:
    """A caption: its label, and its title where that stands apart."""

    pieces: list[Piece]
    box: Box = (0.0, 0.0, 0.0, 0.0)
    size: float = 10.0

    def __post_init__(self) -> None:
        self.box = bounding_box([piece.box for piece in self.pieces])
        self.size = max(1.0, self.pieces[0].size)


class _Target(NamedTuple):
    kind: CaptionTarget
    box: Box
    page: int
    turn: int
    table: Piece | None = None


class _Pair(NamedTuple):
    cost: float
    caption: int
    target: int
    side: Side


@dataclass(slots=True)
class _Sheet:
    """What stands on one page in one direction of writing."""

    pieces: list[Piece] = field(default_factory=list)
    captions: list[_Caption] = field(default_factory=list)
    targets: list[_Target] = field(default_factory=list)
    near: list[_Pair] = field(default_factory=list)  # what may belong together; sides are not judged yet


def tie_captions(pieces: Sequence[Piece], pages: Sequence[Page]) -> None:
    """Tie captions to their tables and figures; the order stays that of reading.

    `captions` of a table's piece are its own, `caption_kind` of a caption's piece says what it is of, and
    `figure` where that stands. Call it before headings are told: a title that goes with a label is none.
    """
    sheets = [sheet for sheet in _build_sheets(pieces, pages) if sheet.captions and sheet.targets]
    sheets = [s for s in sheets if max(len(s.captions), len(s.targets)) <= MOST and len(s.pieces) <= PIECES]
    for sheet in sheets:
        sheet.near = list(_find_near_pairs(sheet))
    usual = _find_usual_sides((sheet, _choose_pairs(sheet, {})) for sheet in sheets)
    for sheet in sheets:
        for pair in _choose_pairs(sheet, usual):
            _tie_caption(sheet.captions[pair.caption], sheet.targets[pair.target])


def _tie_caption(caption: _Caption, target: _Target) -> None:
    for piece in caption.pieces:
        piece.kind, piece.names = "caption", target.kind
        piece.figure = target.box if target.kind == "figure" else None
    if target.table is not None:
        target.table.captions += caption.pieces


def _build_sheets(pieces: Sequence[Piece], pages: Sequence[Page]) -> Iterator[_Sheet]:
    """The pages that have a caption, in order."""
    wanted = {(piece.page, piece.turn) for piece in pieces if _is_caption(piece)}
    if not wanted:
        return
    sheets: dict[tuple[int, int], _Sheet] = {place: _Sheet() for place in sorted(wanted)}
    for number, piece in enumerate(pieces):
        if piece.role != "body":
            continue
        for part in (piece, *piece.parts):
            if sheet := sheets.get((part.page, part.turn)):
                sheet.pieces.append(part)
        if piece.table:
            _add_table(piece, sheets)
        elif _is_caption(piece):
            sheets[piece.page, piece.turn].captions.append(_Caption([piece, *_find_title(pieces, number)]))
    for page in pages:
        if sheet := sheets.get((page.number, 0)):
            sheet.targets += _figure_targets(page, sheet)
    yield from sheets.values()


def _is_caption(piece: Piece) -> bool:
    return piece.kind == "caption" and piece.role == "body" and len(piece.text) <= LONGEST


def _add_table(piece: Piece, sheets: Mapping[tuple[int, int], _Sheet]) -> None:
    """A table stands on its first page and, with its end, on its last."""
    assert piece.table is not None
    if sheet := sheets.get((piece.page, piece.turn)):
        sheet.targets.append(_Target("table", piece.table.box, piece.page, piece.turn, piece))
    if piece.tail and (sheet := sheets.get((piece.page_end, piece.turn))):
        sheet.targets.append(_Target("table", piece.tail, piece.page_end, piece.turn, piece))


def _figure_targets(page: Page, sheet: _Sheet) -> Iterator[_Target]:
    """The figures of a page: drawings that are no ground of a table or a text."""
    tables = [target.box for target in sheet.targets]
    texts = [piece for piece in sheet.pieces if len(piece.lines) > 1]
    for box in page.figures:
        area = (box[2] - box[0]) * (box[3] - box[1])
        if any(_overlap_area(box, table) > 0.4 * min(area, _overlap_area(table, table)) for table in tables):
            continue
        if sum(len(piece.text) for piece in texts if _overlap_area(piece.box, box) > 0) <= TEXT:
            yield _Target("figure", box, page.number, 0)


def _overlap_area(a: Box, b: Box) -> float:
    return max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))


def _find_title(pieces: Sequence[Piece], number: int) -> list[Piece]:
    """The title that belongs to a label alone: right below or beside it."""
    label = pieces[number]
    if not ALONE.fullmatch(label.text.strip()):
        return []
    below = next((piece for piece in pieces[number + 1 : number + 3] if piece.role == "body"), None)
    if below is None or below.kind not in ("paragraph", "list") or below.parts or len(below.lines) > 3:
        return []
    if (below.page, below.turn) != (label.page, label.turn) or len(below.text) > LONGEST:
        return []
    (x0, _, x1, y1), box = label.box, below.box
    size = max(label.size, below.size)
    under = -0.5 * size <= box[1] - y1 <= TITLE * size and min(x1, box[2]) > max(x0, box[0]) - size
    beside = abs(below.lines[0].base - label.lines[0].base) < 0.4 * size and 0 <= box[0] - x1 <= ASIDE * size
    return [below] if under or beside else []


def _choose_pairs(sheet: _Sheet, usual: Mapping[CaptionTarget, Side]) -> list[_Pair]:
    """The matching of a page under the sides that bring most captions to a target, then the nearest, then the usual."""
    found: list[tuple[int, float, int, list[_Pair]]] = []
    for number, sides in enumerate(_side_choices(usual)):
        pairs = _match_pairs(sheet, sides)
        found.append((-len(pairs), round(sum(pair.cost for pair in pairs)), number, pairs))
    return min(found, key=lambda one: one[:3])[3]


def _side_choices(usual: Mapping[CaptionTarget, Side]) -> Iterator[Mapping[CaptionTarget, Side]]:
    """Where captions may stand on a page: the usual way first."""
    other: Mapping[Side, Side] = {"above": "below", "below": "above"}
    table, figure = usual.get("table", "above"), usual.get("figure", "below")
    for own, drawn in ((table, figure), (other[table], figure), (table, other[figure]), (other[table], other[figure])):
        yield {"table": own, "figure": drawn}


def _match_pairs(sheet: _Sheet, sides: Mapping[CaptionTarget, Side]) -> list[_Pair]:
    """One target a caption and one caption a target, the nearest first."""
    out: list[_Pair] = []
    captions: set[int] = set()
    taken: set[int] = set()
    costs = [
        pair._replace(cost=pair.cost + UNUSUAL * (pair.side != sides[sheet.targets[pair.target].kind]))
        for pair in sheet.near
    ]
    for pair in sorted(costs):
        target = sheet.targets[pair.target]
        one = id(target.table) if target.table else id(target)
        # A table that goes on over several pages may have its caption on an earlier one.
        if pair.caption in captions or one in taken or (target.table and target.table.captions):
            continue
        out.append(pair)
        captions.add(pair.caption)
        taken.add(one)
    return out


def _find_near_pairs(sheet: _Sheet) -> Iterator[_Pair]:
    """Captions and targets with nothing between, and how far they are apart."""
    boxes = [piece.box for piece in sheet.pieces]
    for number, caption in enumerate(sheet.captions):
        named = caption_kind(caption.pieces[0].text)
        for place, target in enumerate(sheet.targets):
            found = _measure_gap(caption, target)
            if (
                found is None
                or found[0] > FAR[target.kind]
                or not _is_clear_between(sheet, boxes, caption, target, found[1])
            ):
                continue
            gap, side = found
            yield _Pair(max(0.0, gap) + OTHER * bool(named and named != target.kind), number, place, side)


def _measure_gap(caption: _Caption, target: _Target) -> tuple[float, Side] | None:
    """How far a caption is off in letter heights, and on which side; None where it stands elsewhere."""
    x0, y0, x1, y1 = caption.box
    left, top, right, bottom = target.box
    if min(x1, right) - max(x0, left) < SHARED * min(x1 - x0, right - left):
        return None
    size = caption.size
    if (y0 + y1) / 2 <= top:
        return (top - y1) / size, "above"
    if (y0 + y1) / 2 >= bottom:
        return (y0 - bottom) / size, "below"
    if target.kind == "figure" and y0 - top <= INSIDE * size:
        return 0.0, "above"
    if target.kind == "figure" and bottom - y1 <= INSIDE * size:
        return 0.0, "below"
    return None


def _is_clear_between(sheet: _Sheet, boxes: Sequence[Box], caption: _Caption, target: _Target, side: Side) -> bool:
    """Whether nothing stands between but a unit, a subtitle or the lettering of a figure."""
    x0, x1 = min(caption.box[0], target.box[0]), max(caption.box[2], target.box[2])
    top, bottom = (caption.box[3], target.box[1]) if side == "above" else (target.box[3], caption.box[1])
    lines = 0
    for piece, box in zip(sheet.pieces, boxes, strict=True):
        if not (top < (box[1] + box[3]) / 2 < bottom and min(x1, box[2]) > max(x0, box[0])):
            continue
        if piece is target.table or any(piece is own for own in caption.pieces):
            continue
        if piece.table or piece.kind == "caption":
            return False
        if piece.size <= SMALLER * caption.size and len(piece.lines) <= NOTE:
            continue
        lines += len(piece.lines)
        if lines > BETWEEN[target.kind] or any(len(line.text) > LETTERED for line in piece.lines):
            return False
    return True


def _find_usual_sides(found: Iterable[tuple[_Sheet, Sequence[_Pair]]]) -> dict[CaptionTarget, Side]:
    """On which side most captions of a kind stand in this document."""
    counts: Counter[tuple[CaptionTarget, Side]] = Counter(
        (sheet.targets[pair.target].kind, pair.side) for sheet, pairs in found for pair in pairs
    )
    out: dict[CaptionTarget, Side] = {}
    kinds: tuple[CaptionTarget, ...] = ("table", "figure")
    sides: tuple[Side, ...] = ("above", "below")
    for kind in kinds:
        total = sum(counts[kind, side] for side in sides)
        for side in sides:
            if counts[kind, side] >= OFTEN and counts[kind, side] >= MOSTLY * total:
                out[kind] = side
    return out
