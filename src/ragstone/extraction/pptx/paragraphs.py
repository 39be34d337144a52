"""The text in a shape of a slide: paragraphs with their bullets and numbers, tables, links."""

from collections.abc import Iterator, Mapping, Sequence

from ragstone.core.types import Cell
from ragstone.extraction.ooxml.elements import MC, A, Element, M, P, R, choose_alternative, local_name, parse_number
from ragstone.extraction.ooxml.formula import to_latex
from ragstone.extraction.ooxml.package import Link
from ragstone.extraction.record.builder import BlockDraft, flatten_blocks
from ragstone.extraction.record.header_rows import mark_header_rows
from ragstone.extraction.record.markdown_links import format_link
from ragstone.extraction.record.numerals import format_numeral
from ragstone.extraction.record.tables import COLUMNS

BODIES = ("body", "obj", "")
DEEPEST = 9
SHAPES = {"alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman", "romanUc": "upperRoman"}


class ParagraphReader:
    """Reads text on one slide, with the slide's `links`; `master` has the bullets that no other says."""

    def __init__(self, links: Mapping[str, Link], master: Element | None) -> None:
        self._links = links
        self._master = master

    def read_plain_text(self, element: Element) -> str:
        """All text in an element on one line."""
        return " ".join(" ".join(self.text(p) for p in element.iter(A + "p")).split())

    def read_drafts(self, body: Element, kind: str | None, inherited: Sequence[Element]) -> Iterator[BlockDraft]:
        """The paragraphs of a shape: of which kind of place, and what layout and master have in it."""
        counts: dict[int, int] = {}
        for paragraph in body.iterchildren(A + "p"):
            text = self.text(paragraph).strip()
            if not text:
                continue
            about = paragraph.find(A + "pPr")
            level = min(max(parse_number(about.get("lvl") if about is not None else None) or 0, 0), DEEPEST - 1)
            bullet = self._find_bullet(about, [body, *(one.find(P + "txBody") for one in inherited)], kind, level)
            for deeper in [one for one in counts if one > level or (one == level and bullet != "buAutoNum")]:
                del counts[deeper]
            if bullet == "buAutoNum":
                auto = _find_auto_numbering(about, body, level)
                counts[level] = counts[level] + 1 if level in counts else parse_number(auto.get("startAt") or "1") or 1
                yield BlockDraft(
                    "list", f"{_format_count(counts[level], auto.get('type') or '')} {text}", level=level + 1
                )
            elif bullet is None or bullet == "buNone":
                yield BlockDraft("paragraph", text)
            else:
                yield BlockDraft("list", f"- {text}", level=level + 1)

    def cells(self, table: Element) -> tuple[Cell, ...]:
        """The cells of a table, those of its header marked."""
        about = table.find(A + "tblPr")
        headed = about is not None and about.get("firstRow") in ("1", "true")
        return mark_header_rows(tuple(self._read_cells(table)), named=headed)

    def _read_cells(self, table: Element) -> Iterator[Cell]:
        rows = list(table.iterchildren(A + "tr"))
        for at, row in enumerate(rows):
            for col, cell in enumerate(row.iterchildren(A + "tc")):
                covered = cell.get("hMerge") in ("1", "true") or cell.get("vMerge") in ("1", "true")
                if not covered and col < COLUMNS:
                    height = max(1, min(parse_number(cell.get("rowSpan")) or 1, len(rows) - at))
                    width = max(1, min(parse_number(cell.get("gridSpan")) or 1, COLUMNS - col))
                    text = flatten_blocks([BlockDraft("paragraph", self.text(p)) for p in cell.iter(A + "p")])
                    yield Cell(at, col, text, height, width)

    def text(self, paragraph: Element) -> str:
        """The words of a paragraph; line breaks stay."""
        out: list[str] = []
        waiting = list(reversed(paragraph))
        while waiting:
            child = waiting.pop()
            if child.tag == MC + "AlternateContent":
                choice = choose_alternative(child)
                waiting.extend(reversed(choice if choice is not None else ()))
            elif child.tag in (A + "r", A + "fld"):
                text = (child.findtext(A + "t") or "").replace("\xad", "").replace("\v", "\n")
                click = child.find(f"{A}rPr/{A}hlinkClick")
                link = self._links.get(click.get(R + "id") or "") if click is not None else None
                out.append(format_link(text, link.target) if link is not None and link.outside else text)
            elif child.tag == A + "br":
                out.append("\n")
            elif child.tag == M + "oMath":
                out.append(f" ${to_latex(child)}$ ")
            elif child.tag == M + "oMathPara" or local_name(child.tag) == "m":
                waiting.extend(reversed(child))
        return "\n".join(filter(None, (" ".join(line.split()) for line in "".join(out).split("\n"))))

    def _find_bullet(
        self, about: Element | None, bodies: Sequence[Element | None], kind: str | None, level: int
    ) -> str | None:
        """Which kind of bullet a paragraph has, looked up from itself to the master."""
        name = f"{A}lvl{level + 1}pPr"
        styles = [about]
        for one in bodies:
            style = one.find(A + "lstStyle") if one is not None else None
            styles.append(style.find(name) if style is not None else None)
        if kind is not None and self._master is not None:
            which = "bodyStyle" if kind in BODIES else "otherStyle"
            styles.append(self._master.find(f"{P}txStyles/{P}{which}/{name}"))
        for style in styles:
            for child in style if style is not None else ():
                if child.tag in (A + "buNone", A + "buChar", A + "buAutoNum", A + "buBlip"):
                    return local_name(child.tag)
        return None


def _find_auto_numbering(about: Element | None, body: Element, level: int) -> Element:
    places = (about, body.find(f"{A}lstStyle/{A}lvl{level + 1}pPr"))
    found = (place.find(A + "buAutoNum") for place in places if place is not None)
    return next((one for one in found if one is not None), body)


def _format_count(n: int, shape: str) -> str:
    """A count as `arabicPeriod`, `alphaLcParenR` … write it."""
    name = next((ours for theirs, ours in SHAPES.items() if shape.startswith(theirs)), "decimal")
    text = format_numeral(n, name)
    if shape.endswith("ParenBoth"):
        return f"({text})"
    return f"{text})" if shape.endswith("ParenR") else text if shape.endswith("Plain") else f"{text}."
