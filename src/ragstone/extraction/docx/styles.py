"""The effect of a style on a paragraph or a run: heading, list, code, caption, hidden."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ragstone.extraction.ooxml.elements import Element, W, child_switch, child_value, parse_number

# A power read as a plain digit would be another number.
RAISED = str.maketrans("0123456789+-−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ")
POWERS = frozenset("0123456789+-−=()n")
DEEPEST = 40  # styles based on one another
BODY_TEXT = 9  # the outline level that says "no heading"
# Names of the built-in styles. Word writes them in English whatever its language; others do not.
WORDS = (
    "heading|überschrift|titre|título|titolo|kop|rubrik|overskrift|otsikko|nagłówek|nadpis|заголовок|标题|標題|見出し|제목"
    "|başlık|naslov|titlu|címsor|επικεφαλίδα|כותרת|عنوان|judul|tiêu đề"
)
HEADING = re.compile(rf"(?:{WORDS})[ _]?([1-9])")
TITLES = frozenset(
    ("title", "titel", "titre", "título", "titolo", "tytuł", "название", "标题", "標題", "表題", "제목", "otsikko")
)
CONTENTS = re.compile(
    r"(?:toc|contents|verzeichnis|table of figures|table of authorities|tm|inhalt)(?: ?(?:[1-9]|heading))?"
)
CAPTIONS = re.compile(
    r"caption|beschriftung|légende|leyenda|didascalia|bijschrift|题注|図表番号|(?:table|figure) ?caption"
)
CODES = re.compile(
    r"(?:(?:source|program|sample) ?)?code(?: ?(?:block|listing|snippet|sample|example))?|html preformatted"
    r"|preformatted(?: text)?|source text|verbatim|macro(?: ?text)?|listing|quelltext|quellcode|console|terminal"
)
MONO = re.compile(
    r"courier(?: new)?|consolas|monaco|menlo|lucida console|lucida sans typewriter|andale mono|source code pro"
    r"|fira code|jetbrains mono|cascadia (?:code|mono)|.{0,40}\bmono(?:space)?(?:d)?\b.{0,20}|letter gothic.{0,10}"
)


@dataclass(frozen=True, slots=True)
class ResolvedStyle:
    """A style with all that it is based on. `level` is a heading's (1 to 9, 0 for none).

    `parse_number` is the list it is in and its level there, each None where nothing is said; `read_indent` is in
    twentieths of a point.
    """

    id: str = ""
    level: int = 0
    title: bool = False
    number: tuple[str | None, int | None] = (None, None)
    indent: int | None = None
    hidden: bool = False
    mono: bool = False
    code: bool = False
    caption: bool = False
    contents: bool = False
    raised: bool = False


def is_mono(font: str | None) -> bool:
    """Whether a font's name is that of a typewriter's."""
    return bool(font) and MONO.fullmatch((font or "").lower()) is not None


class Styles:
    """The styles of a document; `look` resolves one with its ancestors, once."""

    def __init__(self, root: Element | None) -> None:
        self._elements: dict[str, Element] = {}
        self._default: str | None = None
        self._looks: dict[str | None, ResolvedStyle] = {}
        for style in root.iterchildren(W + "style") if root is not None else ():
            name = style.get(W + "styleId") or ""
            self._elements.setdefault(name, style)
            if style.get(W + "type") == "paragraph" and style.get(W + "default") in ("1", "true", "on"):
                self._default = name
        base = root.find(f"{W}docDefaults/{W}rPrDefault/{W}rPr") if root is not None else None
        self._mono = is_mono(child_value(base, W + "rFonts", W + "ascii"))

    @property
    def is_monospaced(self) -> bool:
        """Whether the whole document is set in a typewriter's font."""
        return self._mono or self.resolve(None).mono

    def resolve(self, name: str | None) -> ResolvedStyle:
        """The effect of a paragraph or character style; None is the default of paragraphs."""
        if name not in self._looks:
            self._looks[name] = self._resolve(name if name is not None else self._default)
        return self._looks[name]

    def _chain(self, name: str | None) -> Iterator[Element]:
        seen: set[str] = set()
        while name is not None and name in self._elements and name not in seen and len(seen) < DEEPEST:
            seen.add(name)
            yield self._elements[name]
            name = child_value(self._elements[name], W + "basedOn")

    def _resolve(self, name: str | None) -> ResolvedStyle:
        chain = list(self._chain(name))
        if not chain:
            return ResolvedStyle(name or "", _heading_level_by_name((name or "").lower()))
        paragraph = [style.find(W + "pPr") for style in chain]
        runs = [style.find(W + "rPr") for style in chain]
        names = [(child_value(style, W + "name") or "").strip().lower() for style in chain]
        is_paragraph = chain[0].get(W + "type", "paragraph") == "paragraph"
        contents = is_paragraph and CONTENTS.fullmatch(names[0]) is not None
        return ResolvedStyle(
            chain[0].get(W + "styleId") or "",
            _find_heading_level(paragraph, names) if is_paragraph and not contents else 0,
            is_paragraph and names[0] in TITLES,
            _find_list_reference(paragraph),
            _find_indent(paragraph),
            bool(next((s for r in runs if (s := child_switch(r, W + "vanish")) is not None), False)),
            is_mono(next((f for r in runs if (f := child_value(r, W + "rFonts", W + "ascii"))), None)),
            is_paragraph and any(CODES.fullmatch(n) for n in names),
            is_paragraph and any(CAPTIONS.fullmatch(n) for n in names),
            contents,
            next((v for r in runs if (v := child_value(r, W + "vertAlign"))), "") == "superscript",
        )


def outline_level(properties: Element | None) -> int | None:
    """The heading level (1 to 9) that paragraph properties set, 0 for body text, None where they say nothing."""
    level = parse_number(child_value(properties, W + "outlineLvl"))
    if level is None:
        return None
    return level + 1 if 0 <= level < BODY_TEXT else 0


def read_indent(properties: Element | None) -> int | None:
    """The left indent that properties set, in twentieths of a point."""
    element = properties.find(W + "ind") if properties is not None else None
    return parse_number(element.get(W + "left") or element.get(W + "start")) if element is not None else None


def list_reference(properties: Element | None) -> tuple[str | None, int | None]:
    """The list and the level in it that properties set, each None where they say nothing."""
    element = properties.find(W + "numPr") if properties is not None else None
    return child_value(element, W + "numId"), parse_number(child_value(element, W + "ilvl"))


def _find_heading_level(paragraph: list[Element | None], names: list[str]) -> int:
    for properties, name in zip(paragraph, names, strict=True):
        if (level := outline_level(properties)) is not None:
            return level
        if level := _heading_level_by_name(name):
            return level
    return 0


def _heading_level_by_name(name: str) -> int:
    match = HEADING.fullmatch(name)
    return int(match[1]) if match else 0


def _find_list_reference(paragraph: list[Element | None]) -> tuple[str | None, int | None]:
    found, level = None, None
    for properties in paragraph:
        own, own_level = list_reference(properties)
        level = own_level if level is None else level
        if own is not None:
            found = own
            break
    return found, level


def _find_indent(paragraph: list[Element | None]) -> int | None:
    return next((i for properties in paragraph if (i := read_indent(properties)) is not None), None)


@dataclass(frozen=True, slots=True)
class Run:
    """The style of a run; `font` only where it says so itself."""

    hidden: bool = False
    raised: bool = False
    mono: bool = False
    font: str = ""

    def render_text(self, text: str) -> str:
        """A text in this run: a power stays one."""
        power = self.raised and text and POWERS.issuperset(text) and any(c.isdigit() for c in text)
        return text.translate(RAISED) if power else text


def resolve_run(properties: Element, plain: Run, styles: Styles) -> Run:
    """The look that the properties of a run give it, in a paragraph whose runs are `plain`."""
    style = child_value(properties, W + "rStyle")
    look = styles.resolve(style) if style is not None else None
    hidden = child_switch(properties, W + "vanish")
    raised = child_value(properties, W + "vertAlign")
    font = (
        child_value(properties, W + "rFonts", W + "ascii") or child_value(properties, W + "rFonts", W + "hAnsi") or ""
    )
    return Run(
        hidden if hidden is not None else plain.hidden or (look is not None and look.hidden),
        raised == "superscript" if raised is not None else look.raised if look is not None else plain.raised,
        is_mono(font) if font else plain.mono or (look is not None and look.mono),
        font,
    )
