"""Text that stands side by side without being a table: one block is read to its end before the next."""

from collections.abc import Sequence

from ragstone.extraction.pdf.characters.lines import Line
from ragstone.extraction.pdf.characters.rows import LEADER, Row, group_rows
from ragstone.extraction.record.caption_and_list_markers import is_marker

GAP = 1.2  # letter heights of white between two blocks
STEP = 2.4  # letter heights between rows of one group
ROWS = 2  # of a group, at the least


def split_side_by_side(rows: Sequence[Row]) -> list[Sequence[Row]]:
    """Groups of rows in reading order, from which paragraphs can be made."""
    out: list[Sequence[Row]] = []
    plain: list[Row] = []
    at = 0
    while at < len(rows):
        end = _find_group_end(rows, at)
        parts = _split_blocks(rows[at:end]) if end - at >= ROWS else []
        if len(parts) > 1:
            if plain:
                out.append(plain)
                plain = []
            out += [group_rows(part) for part in parts]
            at = end
        else:
            plain.append(rows[at])
            at += 1
    if plain:
        out.append(plain)
    return out


def _is_pair(row: Row) -> bool:
    return len(row.lines) >= 2 and not is_marker(row.lines[0].text) and not LEADER.search(row.text)


def _find_group_end(rows: Sequence[Row], at: int) -> int:
    """The row behind a run that begins with two blocks side by side and that one gap parts throughout."""
    if not _is_pair(rows[at]):
        return at
    end = at + 1
    while end < len(rows) and rows[end].base - rows[end - 1].base <= STEP * max(rows[end].size, rows[end - 1].size):
        if not _find_gaps(rows[at : end + 1]):
            break
        end += 1
    while (
        end > at + 1
        and not _is_pair(rows[end - 1])
        and rows[end - 1].x1 - rows[end - 1].x0 > 0.6 * _rows_width(rows[at:end])
    ):
        end -= 1
    return end


def _rows_width(rows: Sequence[Row]) -> float:
    return max(row.x1 for row in rows) - min(row.x0 for row in rows)


def _find_gaps(rows: Sequence[Row]) -> list[float]:
    """The x of white that runs through all rows."""
    spans = sorted((line.x0, line.x1) for row in rows for line in row.lines)
    size = max(row.size for row in rows)
    out: list[float] = []
    reach = spans[0][1]
    for x0, x1 in spans[1:]:
        if x0 - reach >= GAP * size:
            out.append((reach + x0) / 2)
        reach = max(reach, x1)
    return out


def _split_blocks(rows: Sequence[Row]) -> list[list[Line]]:
    gaps = _find_gaps(rows)
    blocks: list[list[Line]] = [[] for _ in range(len(gaps) + 1)]
    for row in rows:
        for line in row.lines:
            blocks[sum(at < line.x0 for at in gaps)].append(line)
    return [block for block in blocks if block]
