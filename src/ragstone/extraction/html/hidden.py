"""Text hidden from a reader by attributes and inline styles: invisible text must not speak for the page."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

# Never text for a reader, whatever is in it.
NEVER = frozenset("script style template frame embed head rt rp".split())
# What a page shows in another way than as its text, or instead of what it cannot show.
APART = frozenset(
    "noscript noframes iframe applet canvas audio video map option datalist button progress meter input".split()
)
UNSEEN = NEVER | APART
TYPED = frozenset(("", "text", "number", "date", "email", "tel", "url"))  # kinds of fields whose content is shown
MARKUP = re.compile(r"<[^<>]*+>")
FAR = 500.0  # pixels beyond an edge from which a part is out of sight
SMALL = 2.0  # pixels of a font that nobody reads
THIN = 1.0  # pixels of a box that shows nothing
NEAR = 16  # of 255, by which the parts of two colours may differ for an eye that sees one
CLEAR = 0.02
PIXELS = {"": 1.0, "px": 1.0, "pt": 4 / 3, "em": 16.0, "rem": 16.0, "ex": 8.0, "ch": 8.0, "cm": 38.0, "mm": 3.8}
PIXELS |= {"in": 96.0, "vw": 10.0, "vh": 10.0}
LENGTH = re.compile(r"([-+]?\d{0,9}(?:\.\d{0,9})?)([a-z%]{0,4})")
SHIFT = re.compile(r"translate(?:x|y|3d)?\(\s*([-+]?\d{1,9}(?:\.\d{0,9})?)([a-z%]{0,4})")
NO_SIZE = re.compile(r"scale(?:x|y|3d)?\(\s*0?\.?0*\s*[,)]")
CLIPPED = re.compile(r"rect\(\s*[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?\s*\)")
CLIPPED_PATH = re.compile(
    r"inset\(\s*(?:[5-9]\d|100)%|circle\(\s*0|polygon\(\s*0[^,]{0,9},\s*0[^,]{0,9},\s*0[^,]{0,9}\)"
)
RGB = re.compile(r"rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})\s*(?:[,/]\s*([\d.]{1,8}%?)\s*)?\)")
HEX = re.compile(r"#?([0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})")
COLOUR_NAMES = {
    "white": "ffffff", "snow": "fffafa", "ivory": "fffff0", "whitesmoke": "f5f5f5", "ghostwhite": "f8f8ff",
    "floralwhite": "fffaf0", "azure": "f0ffff", "mintcream": "f5fffa", "black": "000000", "red": "ff0000",
    "blue": "0000ff", "navy": "000080", "green": "008000", "lime": "00ff00", "yellow": "ffff00", "gray": "808080",
    "grey": "808080", "silver": "c0c0c0", "lightgray": "d3d3d3", "lightgrey": "d3d3d3",
}  # fmt: skip
# What is clear or shrunk only until a script moves it into view.
MOVED = ("transform", "transition", "animation", "animation-name", "will-change")
Colour = tuple[int, int, int]


class Appearance(NamedTuple):
    """How the text of an element looks, as far as inline styles say: None for a colour that they do not know."""

    ink: Colour | None = None
    paper: Colour | None = None
    clear: bool = False
    tiny: bool = False
    veiled: bool = False

    @property
    def is_unseen(self) -> bool:
        """Whether text with this style is invisible."""
        return self.clear or self.tiny or self.veiled or _is_same_colour(self.ink, self.paper)


PAPER = Appearance(paper=(255, 255, 255))  # of a page without a style sheet
UNKNOWN = Appearance()


def is_gone(about: Mapping[str, str]) -> bool:
    """Whether an element is out of sight with all that is in it."""
    if "hidden" in about and about["hidden"].strip().lower() != "until-found":
        return True
    style = about.get("style")
    return style is not None and _is_hiding_style(style)


def derive_appearance(about: Mapping[str, str], around: Appearance, *, styled: bool) -> Appearance:
    """How an element's own text looks within `around`; in a `styled` page a class may change any colour."""
    style = about.get("style")
    says = _parse_declarations(style) if style else {}
    paper, ink, clear = around.paper, around.ink, around.clear
    if styled and ("class" in about or "id" in about):
        paper = ink = None
    if plain := says.get("background-color") or says.get("background") or about.get("bgcolor"):
        paper = _find_background(plain, paper)
    elif "background-image" in says or "background" in about:
        paper = None
    if colour := says.get("color") or about.get("color") or about.get("text"):
        known = _parse_colour(colour)
        ink = known[0] if known else None
        clear = known is not None and known[1] <= CLEAR and "clip" not in (style or "")
    veil = says.get("visibility", "")
    veiled = veil in ("hidden", "collapse") if veil and veil != "inherit" else around.veiled
    return Appearance(ink, paper, clear, _is_tiny(says.get("font-size", ""), around.tiny), veiled)


def _parse_declarations(style: str) -> dict[str, str]:
    """The declarations of an inline style, names and values in small letters."""
    return _parse_style(style) if len(style) > 500 else _parse_short_style(style)


@lru_cache(maxsize=4096)
def _parse_short_style(style: str) -> dict[str, str]:
    return _parse_style(style)


def _parse_style(style: str) -> dict[str, str]:
    if "/*" in style:
        first, *rest = style.split("/*")
        style = first + "".join(part.partition("*/")[2] for part in rest)
    found: dict[str, str] = {}
    for one in style.lower().split(";"):
        name, _, value = one.partition(":")
        found[name.strip()] = value.replace("!important", "").strip()[:200]
    return found


def _is_hiding_style(style: str) -> bool:
    says = _parse_declarations(style)
    if says.get("display") == "none" or says.get("content-visibility") == "hidden":
        return True
    opacity = _parse_number(says.get("opacity", ""))
    if opacity is not None and opacity <= CLEAR and not any(name in says for name in MOVED):
        return True
    return _is_outside(says) or _is_clipped(says)


def _is_outside(says: Mapping[str, str]) -> bool:
    """Whether a part stands beyond the page's edge."""
    names = ("left", "top", "right", "bottom") if says.get("position") in ("absolute", "fixed") else ()
    for name in (*names, "text-indent", "margin-left", "margin-top"):
        if (at := _parse_pixels(says.get(name, ""))) is not None and at <= -FAR:
            return True
    shift = SHIFT.match(says.get("transform", ""))
    return shift is not None and float(shift[1]) * PIXELS.get(shift[2], 0) <= -FAR


def _is_clipped(says: Mapping[str, str]) -> bool:
    """Whether a part is cut to nothing."""
    if CLIPPED.match(says.get("clip", "")) or CLIPPED_PATH.match(says.get("clip-path", "")):
        return True
    if NO_SIZE.match(says.get("transform", "")) and "transition" not in says:
        return True
    if not (says.get("overflow", "") + says.get("overflow-y", "") + says.get("overflow-x", "")).startswith(HIDING):
        return False
    sizes = (_parse_pixels(says.get(name, "")) for name in ("width", "height", "max-width", "max-height"))
    return any(size is not None and 0 <= size <= THIN for size in sizes)


HIDING = ("hidden", "clip")


def _parse_number(value: str) -> float | None:
    match = LENGTH.fullmatch(value[:40])
    if match is None or not any(c.isdigit() for c in match[1]):
        return None
    return float(match[1]) / (100 if match[2] == "%" else 1)


def _parse_pixels(value: str) -> float | None:
    match = LENGTH.fullmatch(value[:40])
    if match is None or match[2] not in PIXELS or not any(c.isdigit() for c in match[1]):
        return None
    return float(match[1]) * PIXELS[match[2]]


def _is_tiny(size: str, around: bool) -> bool:
    if not size or size == "inherit":
        return around
    number = _parse_number(size)
    if number is not None and size.endswith(("%", "em")) and not size.endswith("rem"):
        return around or number <= CLEAR
    pixels = _parse_pixels(size)
    return pixels is not None and pixels <= SMALL


def _find_background(value: str, around: Colour | None) -> Colour | None:
    """The colour of a background; what lies below where it is none, None for a picture."""
    if value in ("none", "transparent", "inherit"):
        return around
    known = _parse_colour(value) or next(filter(None, map(_parse_colour, value.split())), None)
    if known is None or "url(" in value or "gradient" in value:
        return None
    return known[0] if known[1] > 0.5 else around


def _parse_colour(value: str) -> tuple[Colour, float] | None:
    """A colour and how much of it covers what is below (0 to 1); None where it is not known."""
    value = value.strip().lower()
    if value == "transparent":
        return (0, 0, 0), 0.0
    if match := RGB.fullmatch(value):
        alpha = _parse_number(match[4] or "1")
        return (int(match[1]), int(match[2]), int(match[3])), 1.0 if alpha is None else alpha
    digits = HEX.fullmatch(COLOUR_NAMES.get(value, value))
    if digits is None:
        return None
    code = digits[1] if len(digits[1]) > 4 else "".join(c * 2 for c in digits[1])
    red, green, blue, *alpha_ = (int(code[i : i + 2], 16) for i in range(0, len(code), 2))
    return (red, green, blue), alpha_[0] / 255 if alpha_ else 1.0


def _is_same_colour(ink: Colour | None, paper: Colour | None) -> bool:
    return ink is not None and paper is not None and all(abs(a - b) <= NEAR for a, b in zip(ink, paper, strict=True))


def replacement_text(tag: str, about: Mapping[str, str]) -> str:
    """The visible text in attributes of such an element: the content of a field, the page in a frame."""
    if tag == "input":
        return about.get("value", "") if about.get("type", "").lower() in TYPED else ""
    return MARKUP.sub(" ", about.get("srcdoc", "")) if tag == "iframe" else ""
