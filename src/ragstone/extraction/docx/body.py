"""The walk through a text of a document (body, header, footer): its paragraphs and tables as blocks."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from ragstone.core.types import Role
from ragstone.extraction.docx.embedded import EmbeddedDocuments
from ragstone.extraction.docx.fields import OpenFields
from ragstone.extraction.docx.inline import InlineReader
from ragstone.extraction.docx.notes import Notes
from ragstone.extraction.docx.numbering import Label, Nesting, Numbering
from ragstone.extraction.docx.paragraph_content import ParagraphContent
from ragstone.extraction.docx.styles import ResolvedStyle, Styles, list_reference, outline_level, read_indent
from ragstone.extraction.docx.table import TableGrid
from ragstone.extraction.ooxml.elements import MC, Element, R, W, child_value, choose_alternative
from ragstone.extraction.ooxml.package import Link, Package
from ragstone.extraction.record.builder import BlockDraft

LONGEST_HEADING = 400  # characters; longer ones are paragraphs that only look like headings
LONGEST_CAPTION = 300
DEEPEST_HEADING = 6
LABEL = "labels of lists were not counted"
CODE_SIGN = re.compile(r"[{}=;<>$\\|]|\w\(|\w_\w|^\s{2,}\S|^#|^\$", re.MULTILINE)
INSIDE = frozenset(W + name for name in ("customXml", "smartTag", "ins", "moveTo", "sdtContent", "txbxContent"))


@dataclass(slots=True)
class _Frame:
    """An element whose children are being read, and where what they hold goes."""

    children: Iterator[Element]
    into: list[BlockDraft]
    links: Mapping[str, Link]
    fields: OpenFields = field(default_factory=OpenFields)
    nesting: Nesting = field(default_factory=Nesting)
    contents: bool = False
    grid: TableGrid | None = None
    closes: bool = False  # the grid ends with this frame
    mark: str = ""  # of a note, before its first words


class StoryReader:
    """Reads texts of one document in order; lists count on from one to the next."""

    def __init__(self, package: Package, part: str, *, styles: Styles, numbering: Numbering, notes: Notes) -> None:
        self._package = package
        self._part = part
        self._styles = styles
        self._numbering = numbering
        self.notes = notes
        self.inline = InlineReader(package, styles, notes)
        self.embedded = EmbeddedDocuments(package)
        self._carried: list[ParagraphContent] = []
        self._due: list[tuple[str, str]] = []
        self._tables = 0
        self._role: Role = "body"

    def read(self, root: Element, *, part: str, role: Role = "body") -> list[BlockDraft]:
        """The blocks of a text, notes behind the paragraph or the table that refers to them."""
        out: list[BlockDraft] = []
        self._role, self._carried, self._due, self._tables = role, [], [], 0
        stack = [_Frame(iter(root), out, self._package.links(part))]
        while stack:
            frame = stack[-1]
            child = next(frame.children, None)
            if child is None:
                stack.pop()
                self._close(frame, stack)
            elif child.tag == W + "p":
                stack.extend(reversed(self._read_paragraph(child, frame)))
            else:
                self._enter(child, frame, stack)
        return out

    def _enter(self, child: Element, frame: _Frame, stack: list[_Frame]) -> None:
        tag = child.tag
        if tag in (W + "tbl", W + "tr", W + "tc"):
            self._enter_table(child, frame, stack)
        elif tag == W + "sdt":
            content = child.find(W + "sdtContent")
            contents = frame.contents or _is_contents(child)
            stack.append(
                replace(frame, children=iter(content if content is not None else ()), contents=contents, closes=False)
            )
        elif tag in INSIDE:
            stack.append(replace(frame, children=iter(child), closes=False))
        elif tag == MC + "AlternateContent":
            choice = choose_alternative(child)
            stack.append(replace(frame, children=iter(choice if choice is not None else ()), closes=False))
        elif tag in (W + "commentRangeStart", W + "commentRangeEnd"):
            self.notes.mark_comment(child.get(W + "id") or "", opens=tag == W + "commentRangeStart")
        elif tag in (W + "altChunk", W + "subDoc"):
            stack.extend(reversed(self._finish_carried(frame)))
            frame.into.extend(self.embedded.read(frame.links.get(child.get(R + "id") or ""), role=self._role))

    def _enter_table(self, child: Element, frame: _Frame, stack: list[_Frame]) -> None:
        """Open a table, a row or a cell."""
        if child.tag == W + "tbl":
            before = self._finish_carried(frame)
            self._tables += 1
            frame.nesting.clear()
            grid = TableGrid(child, self._role)
            stack.append(replace(frame, children=iter(child), grid=grid, closes=True, mark=""))
            stack.extend(reversed(before))
        elif child.tag == W + "tr":
            if frame.grid is None or frame.grid.open_row(child):
                stack.append(replace(frame, children=iter(child), closes=False))
        else:
            into = frame.grid.open_cell(child) if frame.grid is not None else frame.into
            if into is not None:
                stack.append(
                    replace(frame, children=iter(child), into=into, nesting=Nesting(), grid=None, closes=False)
                )

    def _close(self, frame: _Frame, stack: list[_Frame]) -> None:
        if not stack or stack[-1].into is not frame.into:
            stack.extend(reversed(self._finish_carried(frame)))
        if frame.closes and frame.grid is not None:
            frame.into.extend(frame.grid.read_drafts())
            self._tables -= 1
            if not self._tables:
                due, self._due = self._due, []
                stack.extend(reversed(list(self._note_frames(due, frame.into))))

    def _read_paragraph(self, paragraph: Element, frame: _Frame) -> list[_Frame]:
        """Add a paragraph's block; the frames of what hangs on it: text boxes, notes."""
        properties = paragraph.find(W + "pPr")
        look = self._styles.resolve(child_value(properties, W + "pStyle"))
        words = self.inline.read(paragraph, look, frame.fields, frame.links)
        if _runs_on(properties):
            self._carried.append(words)
            return []
        words = self._join_carried(words)
        return self._put(self._build_draft(words, properties, look, frame), words, frame)

    def _finish_carried(self, frame: _Frame) -> list[_Frame]:
        """What goes on in nothing, though its end was deleted, is a paragraph of its own."""
        if not self._carried:
            return []
        words = self._join_carried(ParagraphContent())
        return self._put(BlockDraft("paragraph", words.text, self._role), words, frame)

    def _put(self, draft: BlockDraft, words: ParagraphContent, frame: _Frame) -> list[_Frame]:
        """Add a block; the frames of what hangs on it."""
        if draft.type != "list" and draft.text and draft.type != "paragraph":
            frame.nesting.clear()
        if draft.text or draft.type == "code":
            if frame.mark:
                draft, frame.mark = replace(draft, text=f"{frame.mark} {draft.text}"), ""
            frame.into.append(draft)
        frame.into.extend(replace(block, role=self._role) for block in words.blocks)
        boxes = [_Frame(iter(box), frame.into, frame.links) for box in words.boxes]
        if self._tables:
            self._due += words.notes
            return boxes
        return [*boxes, *self._note_frames(words.notes, frame.into)]

    def _join_carried(self, words: ParagraphContent) -> ParagraphContent:
        """A paragraph with those before it that go on in it."""
        if not self._carried:
            return words
        parts, self._carried = [*self._carried, words], []
        return ParagraphContent(
            "".join(part.raw for part in parts),
            [box for part in parts for box in part.boxes],
            [block for part in parts for block in part.blocks],
            [note for part in parts for note in part.notes],
            all(part.mono for part in parts),
            any(part.counted for part in parts),
            any(part.contents for part in parts),
        )

    def _note_frames(self, notes: Iterable[tuple[str, str]], into: list[BlockDraft]) -> Iterator[_Frame]:
        for kind, name in notes:
            if found := self.notes.take(kind, name):
                body, part = found
                mark = f"{self.notes.mark(kind, name)}:"
                yield _Frame(iter(body), into, self._package.links(part), mark=mark)

    def _build_draft(
        self, words: ParagraphContent, properties: Element | None, look: ResolvedStyle, frame: _Frame
    ) -> BlockDraft:
        text = words.text
        label = self._package.attempt(LABEL, lambda: self._find_label(properties, look), timed=False)
        if frame.contents or words.contents or look.contents:
            role: Role = "toc" if self._role == "body" else self._role
            return BlockDraft("paragraph", _prepend_label(label, text), role)
        level = 1 if look.title else outline_level(properties)
        level = look.level if level is None else level
        if level and text and len(text) <= LONGEST_HEADING and self._role == "body" and not frame.mark:
            line = " ".join(text.split())
            return BlockDraft("heading", _prepend_label(label, line), level=min(level, DEEPEST_HEADING))
        if label is not None and label.text:
            left = read_indent(properties)
            place = replace(label, indent=left) if left is not None else label
            depth = frame.nesting.enter_item(place)
            return BlockDraft("list", f"{label.text} {text}" if text else "", self._role, depth)
        if self._is_code(words, look, frame):
            return BlockDraft("code", words.raw.replace("\t", "    ").rstrip(), self._role)
        caption = (look.caption or words.counted) and len(text) <= LONGEST_CAPTION
        return BlockDraft("paragraph", text, self._role, caption=caption)

    def _find_label(self, properties: Element | None, look: ResolvedStyle) -> Label | None:
        num, level = list_reference(properties)
        own = num is not None
        num = num if own else look.number[0]
        level = level if level is not None else None if own else look.number[1]
        return self._numbering.next_label(num, level, style=look.id)

    def _is_code(self, words: ParagraphContent, look: ResolvedStyle, frame: _Frame) -> bool:
        """By style; by a typewriter's font, where the rest has another and the text has signs of code."""
        after = bool(frame.into) and frame.into[-1].type == "code"
        if look.code:
            return bool(words.raw.strip()) or after
        if not words.mono or self._styles.is_monospaced:
            return False
        return after or CODE_SIGN.search(words.raw) is not None


def _prepend_label(label: Label | None, text: str) -> str:
    return f"{label.text} {text}" if text and label is not None and label.text not in ("", "-") else text


def _is_contents(sdt: Element) -> bool:
    gallery = sdt.find(f"{W}sdtPr/{W}docPartObj/{W}docPartGallery")
    return gallery is not None and "contents" in (gallery.get(W + "val") or "").lower()


def _runs_on(properties: Element | None) -> bool:
    """Whether the end of this paragraph was deleted, so that the next one goes on in it."""
    mark = properties.find(W + "rPr") if properties is not None else None
    return mark is not None and any(mark.find(W + name) is not None for name in ("del", "moveFrom"))
