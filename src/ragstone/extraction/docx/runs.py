"""How a run of characters looks: hidden, raised, in a typewriter's font."""

from dataclasses import dataclass

from ragstone.extraction.docx.styles import Styles, is_mono
from ragstone.extraction.ooxml.elements import Element, W, child_switch, child_value

# A power read as a plain digit would be another number.
RAISED = str.maketrans("0123456789+-−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ")
POWERS = frozenset("0123456789+-−=()n")


@dataclass(frozen=True, slots=True)
class Run:
    """What is said of a run; `font` only where it says so itself."""

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
