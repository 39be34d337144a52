"""Formulas of web pages as LaTeX: as their authors wrote them, else from their structure."""

from collections.abc import Iterator

from lxml import etree

from ragstone.extraction.html.hidden import is_gone

WRITTEN = frozenset(("text", "foreignobject"))
NEVER = frozenset("title desc metadata defs symbol style script clippath mask pattern marker".split())
LONGEST = 4000  # characters of a formula
TEX = ("application/x-tex", "application/x-latex", "tex", "latex")
# How the children of an element are written, in order; those that are not named here stand side by side.
SHAPES = {
    "mfrac": r"\frac{{{0}}}{{{1}}}",
    "msup": "{0}^{{{1}}}",
    "msub": "{0}_{{{1}}}",
    "msubsup": "{0}_{{{1}}}^{{{2}}}",
    "munder": "{0}_{{{1}}}",
    "mover": "{0}^{{{1}}}",
    "munderover": "{0}_{{{1}}}^{{{2}}}",
    "mroot": r"\sqrt[{1}]{{{0}}}",
}
LEFT_OUT = frozenset(("annotation", "annotation-xml", "mphantom"))


def mathml_to_tex(formula: "etree._Element") -> str:
    """A `math` element on one line, "" for an empty one."""
    written = formula.get("alttext") or next(filter(None, map(_read_annotation, formula.iter())), "")
    text = " ".join((written or _render_structure(formula))[:LONGEST].split())
    return text.strip("$").strip().replace("$", r"\$") if len(text) > 1 or text != "$" else ""


def _read_annotation(element: "etree._Element") -> str:
    is_tex = str(element.tag).lower() == "annotation" and (element.get("encoding") or "").lower() in TEX
    return (element.text or "") if is_tex else ""


def _render_structure(formula: "etree._Element") -> str:
    """The formula from its structure, from the inside out."""
    stack: list[tuple[etree._Element, Iterator[etree._Element], list[str]]] = [(formula, iter(formula), [])]
    length = 0
    while True:
        element, children, parts = stack[-1]
        child = next(children, None)
        if child is not None:
            tag = str(child.tag).lower()
            if tag not in LEFT_OUT:
                stack.append((child, iter(child), []))
            continue
        stack.pop()
        text = _render_element(str(element.tag).lower(), (element.text or "").strip(), parts)
        length += len(element.text or "")
        if not stack or length > LONGEST:
            return text
        stack[-1][2].append(text[:LONGEST])


def _render_element(tag: str, own: str, parts: list[str]) -> str:
    shape = SHAPES.get(tag)
    if shape is not None and len(parts) >= 2 + (tag in ("msubsup", "munderover")):
        return shape.format(*parts)
    if tag == "msqrt":
        return rf"\sqrt{{{''.join(parts)}}}"
    if tag == "mtr":
        return " & ".join(parts)
    if tag == "mtable":
        return r" \\ ".join(parts)
    return own + "".join(parts)


def collect_drawing_text(drawing: "etree._Element") -> str:
    """The texts of an `svg` element in order, on one line; the depth of the drawing costs no stack."""
    out: list[str] = []
    written = 0  # elements that are open around and show text
    walk = etree.iterwalk(drawing, events=("start", "end"))
    skipped = None
    for event, element in walk:
        tag = element.tag.lower() if isinstance(element.tag, str) else "script"
        if event == "start":
            if tag in NEVER or is_gone(
                {key: element.get(key, "") for key in ("hidden", "style") if key in element.attrib}
            ):
                walk.skip_subtree()
                skipped = element
                continue
            written += tag in WRITTEN
            if written:
                out += [" " * (tag not in ("tspan", "a")), element.text or ""]
        else:
            written -= tag in WRITTEN and element is not skipped
            if written and element is not drawing:
                out.append(element.tail or "")
    return " ".join("".join(out).split())
