"""Raised and lowered text in a line of plain characters: `10⁻³`, `H₂O`, `x_max`, `[^1]`; never `10-3`."""

import re
import unicodedata

UP = str.maketrans("0123456789+-−–=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ⁿⁱ")
DOWN = str.maketrans("0123456789+-−–=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎")
UPPED = frozenset("0123456789+-−–=()ni")
DOWNED = frozenset("0123456789+-−–=()")
BESIDE = frozenset(",.*†‡§¶ ")  # between the marks of several notes
LONGEST = 20  # characters: more is small print, no power
ORDINAL = frozenset("aeor")  # nº, 1ᵉ, Mʳ: letters that are only an ending
WORD = re.compile(r"[^\W\d_]+[.'’]?")
BRACKETED = re.compile(r"\[(?:\w{0,6}\s?\d{1,4}|[a-z]{1,3})\]")
NOTE = re.compile(r"\[?\s*([\w ]{1,12})\s*\]?")


def format_superscript(text: str, before: str) -> str:
    """The text of `<sup>`, as it reads after the text `before`.

    >>> (format_superscript("-3", "10"), format_superscript("th", "20"), format_superscript("n-kt", "e"),
    ...  format_superscript("TM", "Foo"), format_superscript("1,2", "Smith"))
    ('⁻³', 'th', '^(n-kt)', '™', '¹,²')
    """
    inner = " ".join(text.split())
    if BRACKETED.fullmatch(inner):
        return format_note_mark(inner) or text
    if not inner or len(inner) > LONGEST or inner[0] in "[!$" or not any(c.isalnum() for c in inner):
        return text
    if inner.upper() in ("TM", "SM"):
        return "™" if inner.upper() == "TM" else "℠"
    if UPPED.issuperset(inner) and (any(c.isdigit() for c in inner) or (inner == "n" and _is_letter(before))):
        return inner.translate(UP)
    if UPPED.union(BESIDE).issuperset(inner) and inner[0].isdigit() and "." not in inner:
        return inner.translate(UP)
    if WORD.fullmatch(inner):
        power = len(inner) == 1 and inner not in ORDINAL and _is_letter(before)
        return f"^{inner}" if power else text
    return f"^{_wrap_in_brackets(inner)}" if _is_base(before) else text


def format_subscript(text: str, before: str) -> str:
    """The text of `<sub>`, as it reads after the text `before`.

    >>> (format_subscript("2", "H"), format_subscript("max", "V"), format_subscript("i+j", "a"),
    ...  format_subscript("see the note", "x "))
    ('₂', '_max', '_(i+j)', 'see the note')
    """
    inner = " ".join(text.split())
    if not inner or len(inner) > LONGEST or inner[0] in "[!$" or not any(c.isalnum() for c in inner):
        return text
    if DOWNED.issuperset(inner):
        return inner.translate(DOWN)
    return f"_{_wrap_in_brackets(inner)}" if _is_base(before) and " " not in inner else text


def format_note_mark(text: str) -> str | None:
    """The mark of a note as Markdown writes it, so that it does not join a word or number; None for other text.

    >>> (format_note_mark("[12]"), format_note_mark("²"), format_note_mark("note 1"),
    ...  format_note_mark("see below for more"))
    ('[^12]', '[^2]', '[^note1]', None)
    """
    match = NOTE.fullmatch(text.strip())
    label = unicodedata.normalize("NFKC", "".join(match[1].split())) if match else ""
    return f"[^{label}]" if label else None


def _is_letter(before: str) -> bool:
    """Whether a lone letter stands last: a variable, not a word."""
    return before[-1:].isalpha() and not before[-2:-1].isalpha()


def _is_base(before: str) -> bool:
    return before[-1:].isalnum() or before[-1:] in tuple(")}")


def _wrap_in_brackets(text: str) -> str:
    return text if text.replace(".", "").isalnum() else f"({text})"
