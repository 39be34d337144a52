"""The words of a paragraph, as a reader sees them: insertions in, deletions out, fields by their results."""

from collections.abc import Callable, Iterator, Mapping

from ragstone.extraction.docx.fields import Field, OpenFields, read_checkbox, read_list_choice
from ragstone.extraction.docx.notes import Notes
from ragstone.extraction.docx.paragraph_content import ParagraphContent
from ragstone.extraction.docx.styles import ResolvedStyle, Run, Styles, resolve_run
from ragstone.extraction.ooxml.drawings import read_drawing
from ragstone.extraction.ooxml.elements import MC, Element, M, R, W, choose_alternative
from ragstone.extraction.ooxml.formula import to_latex
from ragstone.extraction.ooxml.package import Link, Package
from ragstone.extraction.record.markdown_links import format_link
from ragstone.extraction.symbol_fonts import PRIVATE, decode_symbol, decode_symbol_text

BREAKS = str.maketrans("\r\n\t", "   ", "\xad")
DRAWING = "a drawing was not looked at"
PLACES = ("commentRangeStart", "commentRangeEnd")


class InlineReader:
    """Reads paragraphs one after another; counts what it had to leave out."""

    def __init__(self, package: Package, styles: Styles, notes: Notes) -> None:
        self._package = package
        self._styles = styles
        self._notes = notes
        self.hidden = 0
        self.unknown = 0
        self.pictures = 0
        self.deleted = 0
        self._start(ResolvedStyle(), OpenFields(), {})

    def read(
        self, paragraph: Element, look: ResolvedStyle, fields: OpenFields, links: Mapping[str, Link]
    ) -> ParagraphContent:
        """The words of a `w:p`; `fields` are those open before it, `links` the relationships of its part."""
        self._start(look, fields, links)
        stack: list[tuple[Element, Iterator[Element]]] = [(paragraph, iter(paragraph))]
        while stack:
            element, children = stack[-1]
            child = next(children, None)
            if child is None:
                stack.pop()
                self._leave(element)
            elif child.tag == MC + "AlternateContent":
                choice = choose_alternative(child)
                stack.append((child, iter(choice if choice is not None else ())))
            else:
                handler = ENTER.get(str(child.tag))
                if handler is None or handler(self, child):
                    stack.append((child, iter(child)))
        self._words.contents = self._words.contents or fields.contents
        fields.end_paragraph()
        self._words.raw = "".join(self._pieces)
        self._words.mono = self._mono > 0 and self._mono == self._typed
        return self._words

    def _start(self, look: ResolvedStyle, fields: OpenFields, links: Mapping[str, Link]) -> None:
        self._links = links
        self._fields = fields
        self._plain = Run(hidden=look.hidden, raised=look.raised, mono=look.mono)
        self._run = self._plain
        self._words = ParagraphContent(contents=fields.contents)
        self._pieces: list[str] = []
        self._open: list[int] = []  # where the words of each open link begin
        self._typed = self._mono = 0

    def _put(self, text: str) -> None:
        if not text or not self._fields.is_visible:
            return
        if self._run.hidden:
            self.hidden += len(text)
            return
        self._pieces.append(text)
        self._notes.add_commented_text(text)

    def _leave(self, element: Element) -> None:
        if element.tag == W + "r":
            self._run = self._plain
        elif element.tag == W + "hyperlink" and self._open:
            since = self._open.pop()
            link = self._links.get(element.get(R + "id") or "")
            if link is not None and link.outside:
                anchor = element.get(W + "anchor")
                self._make_link(since, link.target + (f"#{anchor}" if anchor and "#" not in link.target else ""))

    def _make_link(self, since: int, address: str | None) -> None:
        """Turn the words since a place into a link; one inside another stays text."""
        if address and not self._open:
            self._pieces[since:] = [format_link("".join(self._pieces[since:]), address)]

    def _enter_run(self, run: Element) -> bool:
        properties = run.find(W + "rPr")
        if properties is None:
            self._run = self._plain
            return True
        self._run = resolve_run(properties, self._plain, self._styles)
        return True

    def _read_text(self, element: Element) -> bool:
        text = (element.text or "").translate(BREAKS)
        if PRIVATE.search(text) or self._run.font.lower() == "symbol":
            before = len(text)
            text = decode_symbol_text(text, self._run.font)
            self.unknown += before - len(text)
        text = self._run.render_text(text)
        typed = len(text) - text.count(" ")
        self._typed += typed
        self._mono += typed if self._run.mono else 0
        self._put(text)
        return False

    def _read_symbol(self, element: Element) -> bool:
        try:
            code = int(element.get(W + "char") or "0", 16)
        except ValueError:
            code = 0
        text = decode_symbol(code, element.get(W + "font") or "")
        self.unknown += not text
        self._put(text)
        return False

    def _put_break(self, _: Element) -> bool:
        self._put("\n")
        return False

    def _put_tab(self, _: Element) -> bool:
        self._put("\t")
        return False

    def _put_hyphen(self, _: Element) -> bool:
        self._put("-")
        return False

    def _read_field_character(self, element: Element) -> bool:
        kind = element.get(W + "fldCharType")
        if kind == "begin":
            self._put_checkbox(element)
            self._fields.begin(read_list_choice(element))
        elif kind == "separate":
            self._fields.separate(len(self._pieces))
            if self._fields.open and self._fields.open[-1].address:
                self._open.append(len(self._pieces))
            self._words.contents = self._words.contents or self._fields.contents
        elif kind == "end":
            self._end_field()
        return False

    def _end_field(self) -> None:
        ended = self._fields.end()
        if ended is None:
            return
        self._words.counted = self._words.counted or _is_counter(ended.code)
        if ended.address and ended.shows and ended.since is not None and self._open:
            self._open.pop()
            self._make_link(min(ended.since, len(self._pieces)), ended.address)
        elif not ended.shows or ended.since == len(self._pieces):
            self._put(ended.fallback_text)

    def _put_checkbox(self, element: Element) -> None:
        if (ticks := read_checkbox(element)) is not None:
            self._put("☒" if ticks else "☐")

    def _read_instruction(self, element: Element) -> bool:
        self._fields.instruct(element.text or "")
        return False

    def _read_simple_field(self, element: Element) -> bool:
        code = element.get(W + "instr") or ""
        self._words.counted = self._words.counted or _is_counter(code)
        if len(element) == 0:
            self._put(Field(code).fallback_text)
        return True

    def _open_hyperlink(self, _: Element) -> bool:
        self._open.append(len(self._pieces))
        return True

    def _put_note(self, element: Element) -> bool:
        kind = "endnote" if element.tag == W + "endnoteReference" else "footnote"
        if self._fields.is_visible and not self._run.hidden:
            note = kind, element.get(W + "id") or ""
            if mark := self._notes.mark(*note):
                self._put(mark)
                self._words.notes.append(note)
        return False

    def _mark_comment(self, element: Element) -> bool:
        self._notes.mark_comment(element.get(W + "id") or "", opens=element.tag == W + "commentRangeStart")
        return False

    def _put_formula(self, element: Element) -> bool:
        text = self._package.attempt("a formula was read as plain text", lambda: to_latex(element))
        if text is None:
            text = " ".join("".join(run.text or "" for run in element.iter(M + "t")).split())
        glued = bool(self._pieces) and not self._pieces[-1][-1].isspace() and self._pieces[-1][-1] not in "([{"
        self._put(f"{' ' if glued else ''}${text}$" if text else "")
        return False

    def _read_drawing(self, element: Element) -> bool:
        if not self._fields.is_visible or self._run.hidden:
            return False
        found = self._package.attempt(DRAWING, lambda: read_drawing(element, self._package, self._links))
        if found is None:
            return True  # its text boxes are looked for one by one
        self.pictures += found.pictures
        for text in found.alt:
            self._put(f" ![{text}] ")
        self._words.boxes += found.boxes
        self._words.blocks += found.blocks
        return False

    def _count_deletion(self, _: Element) -> bool:
        self.deleted += 1
        return False

    def _skip(self, _: Element) -> bool:
        return False


def _is_counter(code: str) -> bool:
    """Whether a field counts tables or figures."""
    words = code.split(None, 2)
    return len(words) > 1 and words[0].upper() == "SEQ" and words[1].lower() not in ("equation", "gleichung")


OUT = "pPr rPr delText delInstrText rt sdtPr sdtEndPr footnoteRef endnoteRef annotationRef softHyphen"
ENTER: Mapping[str, Callable[[InlineReader, Element], bool]] = {
    **{W + name: InlineReader._skip for name in OUT.split()},
    W + "del": InlineReader._count_deletion,
    W + "moveFrom": InlineReader._count_deletion,
    W + "r": InlineReader._enter_run,
    W + "t": InlineReader._read_text,
    W + "sym": InlineReader._read_symbol,
    W + "cr": InlineReader._put_break,
    W + "br": InlineReader._put_break,
    W + "tab": InlineReader._put_tab,
    W + "ptab": InlineReader._put_tab,
    W + "noBreakHyphen": InlineReader._put_hyphen,
    W + "fldChar": InlineReader._read_field_character,
    W + "fldSimple": InlineReader._read_simple_field,
    W + "instrText": InlineReader._read_instruction,
    W + "hyperlink": InlineReader._open_hyperlink,
    W + "footnoteReference": InlineReader._put_note,
    W + "endnoteReference": InlineReader._put_note,
    **{W + name: InlineReader._mark_comment for name in PLACES},
    M + "oMath": InlineReader._put_formula,
    W + "drawing": InlineReader._read_drawing,
    W + "pict": InlineReader._read_drawing,
    W + "object": InlineReader._read_drawing,
}
