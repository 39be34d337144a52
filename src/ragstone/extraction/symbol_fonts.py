"""Characters of the Symbol and Wingdings fonts, which files keep as numbers in the private area."""

import re

PRIVATE = re.compile("[\uf020-\uf0ff]")
# The Symbol font from 0x20 and from 0xA0 on, as Unicode's own table of it says; a space where there is nothing.
LOW = " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_\u203eαβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
HIGH = "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪ 〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"
# The signs of Wingdings, Wingdings 2 and Webdings that carry a meaning: boxes, ticks, crosses, arrows, bullets.
DINGS = {
    "wingdings": {
        0x28: "☎", 0x2A: "✉", 0x4A: "☺", 0x4C: "☹", 0x6C: "●", 0x6E: "■", 0x6F: "□", 0x70: "□", 0x71: "❑", 0x72: "❒",
        0x75: "◆", 0x76: "❖", 0x77: "◆", 0x9F: "•", 0xA1: "○", 0xA7: "▪", 0xA8: "☐", 0xD8: "➢", 0xDF: "←", 0xE0: "→",
        0xE1: "↑", 0xE2: "↓", 0xE8: "➔", 0xEF: "⇐", 0xF0: "⇒", 0xF1: "⇑", 0xF2: "⇓", 0xF3: "⇔", 0xFB: "✗", 0xFC: "✓",
        0xFD: "☒", 0xFE: "☑", **{0x80 + n: "⓪①②③④⑤⑥⑦⑧⑨⑩"[n] for n in range(11)},
    },
    "wingdings 2": {0x4F: "✗", 0x50: "✓", 0x51: "☒", 0x52: "☑", 0x53: "☒", 0x54: "☒", 0xA3: "☐", 0x97: "●", 0x98: "●"},
    "webdings": {0x61: "✓", 0x63: "□", 0x67: "■", 0x6E: "●", 0x72: "✗"},
}  # fmt: skip


def decode_symbol(code: int, font: str) -> str:
    """The character for a number in a symbol font; "" where none is known."""
    font, low = font.strip().lower(), code & 0xFF
    if font in DINGS:
        return DINGS[font].get(low, "")
    if 0xF000 <= code <= 0xF0FF or font == "symbol":
        table, at = (LOW, low - 0x20) if low < 0x80 else (HIGH, low - 0xA0)
        return table[at].strip() if font == "symbol" and 0 <= at < len(table) else ""
    return chr(code) if 0x20 <= code < 0x110000 and not 0xD800 <= code < 0xE000 else ""


def decode_symbol_text(text: str, font: str) -> str:
    """A text whose characters of the private area, or set in the Symbol font, are made readable."""
    if font.strip().lower() == "symbol":
        return "".join(
            (decode_symbol(ord(c), font) or c) if "!" <= c <= "\xff" or PRIVATE.match(c) else c for c in text
        )
    return PRIVATE.sub(lambda match: decode_symbol(ord(match[0]), font), text) if PRIVATE.search(text) else text
