"""Fields of a text: what they show is text, what they are made of is not."""

import re
from dataclasses import dataclass, field

from ragstone.extraction.ooxml.elements import Element, W, child_switch, child_value, parse_number

TARGET = re.compile(r'\s*HYPERLINK\s+(?:"([^"]*)"|([^\s"\\]\S*))', re.IGNORECASE)
# What follows the name of such a field, or that and one word more, is what it shows.
SHOWN = re.compile(r"\s*(?:EQ|(?:MACROBUTTON|GOTOBUTTON)\s+\S+)\s+(.*)", re.IGNORECASE | re.DOTALL)
LONGEST_CODE = 8192  # characters of a field's code that are looked at
DEEPEST = 64  # fields in one another


@dataclass(slots=True)
class Field:
    """An open field: its code so far, whether its result has begun, and where that begins among the words.

    `chosen` is what is chosen of a list, where the field is one.
    """

    code: str = ""
    chosen: str = ""
    shows: bool = False
    since: int | None = None

    @property
    def kind(self) -> str:
        """The name of the field (`TOC`, `PAGE` …) in capitals."""
        return (self.code.split(None, 1) or [""])[0].upper()

    @property
    def address(self) -> str | None:
        """Where a link leads; None for other fields and for links into the document."""
        match = TARGET.match(self.code)
        return (match[1] or match[2]) if match else None

    @property
    def fallback_text(self) -> str:
        """The text of a field without a result: the choice, the code of a formula, the words of a button."""
        match = SHOWN.match(self.code)
        return self.chosen or (" ".join(match[1].split()) if match else "")


@dataclass(slots=True)
class OpenFields:
    """The fields that are open at a place of the text; they may reach over paragraphs."""

    open: list[Field] = field(default_factory=list)
    lost: int = 0

    @property
    def is_visible(self) -> bool:
        """Whether text here is shown: no field is at its code."""
        return all(one.shows for one in self.open)

    @property
    def contents(self) -> bool:
        """Whether a table of contents or an index is open."""
        return any(one.kind in ("TOC", "INDEX", "TOA") for one in self.open)

    def begin(self, chosen: str = "") -> None:
        if len(self.open) < DEEPEST:
            self.open.append(Field(chosen=chosen))
        else:
            self.lost += 1

    def instruct(self, text: str) -> None:
        """A piece of a field's code."""
        if self.open and not self.open[-1].shows and len(self.open[-1].code) < LONGEST_CODE:
            self.open[-1].code += text

    def separate(self, since: int) -> None:
        """The result begins here."""
        if self.open and not self.lost:
            self.open[-1].shows, self.open[-1].since = True, since

    def end(self) -> Field | None:
        """The field that ends here; None where none was open."""
        if self.lost:
            self.lost -= 1
            return None
        return self.open.pop() if self.open else None

    def end_paragraph(self) -> None:
        """Drop fields that never came to their result, so that a broken one hides no text after it."""
        self.open = [one for one in self.open if one.shows]
        for one in self.open:
            one.since = None


def read_checkbox(field: Element) -> bool | None:
    """Whether the box that begins with this `w:fldChar` is ticked; None for other elements."""
    box = field.find(f"{W}ffData/{W}checkBox")
    if box is None:
        return None
    now = child_switch(box, W + "checked")
    return bool(now if now is not None else child_switch(box, W + "default"))


def read_list_choice(field: Element) -> str:
    """The entry of a list that is chosen, the first where nothing is said; "" for other elements."""
    choices = field.find(f"{W}ffData/{W}ddList")
    if choices is None:
        return ""
    entries = [one.get(W + "val") or "" for one in choices.iterchildren(W + "listEntry")]
    at = parse_number(child_value(choices, W + "result") or child_value(choices, W + "default")) or 0
    return entries[at] if 0 <= at < len(entries) else ""
