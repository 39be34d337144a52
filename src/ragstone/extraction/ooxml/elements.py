"""Names and values in Office Open XML, and the one way in which its XML is read."""

from ragstone.extraction.archive import Element as Element
from ragstone.extraction.archive import parse_xml

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
DGM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
WP = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
V = "{urn:schemas-microsoft-com:vml}"

# The names that files saved as "strict" use for the same things.
STRICT = b"http://purl.oclc.org/ooxml/"
TRANSITIONAL = tuple(
    (STRICT + strict, b"http://schemas.openxmlformats.org/" + transitional)
    for strict, transitional in (
        (b"wordprocessingml/main", b"wordprocessingml/2006/main"),
        (b"presentationml/main", b"presentationml/2006/main"),
        (b"officeDocument/math", b"officeDocument/2006/math"),
        (b"officeDocument/relationships", b"officeDocument/2006/relationships"),
        (b"drawingml/main", b"drawingml/2006/main"),
        (b"drawingml/chart", b"drawingml/2006/chart"),
        (b"drawingml/diagram", b"drawingml/2006/diagram"),
        (b"drawingml/wordprocessingDrawing", b"drawingml/2006/wordprocessingDrawing"),
    )
)
# What the namespaces stand for that a reader of ours understands, as `Requires` of a choice names them.
KNOWN = frozenset("wps wpg wpc wpi wp14 w14 w15 w16 a14 v2 p14 c14".split())
OFF = ("0", "false", "off")
LONGEST = 9  # digits of a number that is believed


def read_xml(data: bytes, *, path: str, name: str) -> Element:
    """The root of a part, its names those of files that are not strict; raises `Refused` as `archive.xml` does."""
    if STRICT in data:
        for strict, transitional in TRANSITIONAL:
            data = data.replace(b'"' + strict + b'"', b'"' + transitional + b'"')
    return parse_xml(data, path=path, name=name)


def child_value(parent: Element | None, tag: str, name: str = W + "val") -> str | None:
    """An attribute of a child, `w:val` unless told."""
    child = parent.find(tag) if parent is not None else None
    return child.get(name) if child is not None else None


def child_switch(parent: Element | None, tag: str) -> bool | None:
    """A property that is on or off; None where nothing is said."""
    child = parent.find(tag) if parent is not None else None
    if child is None:
        return None
    return (child.get(W + "val") or child.get(M + "val") or "1").lower() not in OFF


def parse_number(text: str | None) -> int | None:
    """A whole number; None for anything else, and for numbers that no document has."""
    digits = (text or "").strip().removeprefix("+")
    plain = digits.removeprefix("-")
    return int(digits) if plain.isdecimal() and plain.isascii() and len(plain) <= LONGEST else None


def choose_alternative(alternatives: Element) -> Element | None:
    """Of what stands for the same content, the first that is understood, else the fallback."""
    for choice in alternatives.iterchildren(MC + "Choice"):
        if KNOWN.issuperset((choice.get("Requires") or "").split()):
            return choice
    return alternatives.find(MC + "Fallback")


def local_name(tag: object) -> str:
    """A name without its namespace."""
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""
