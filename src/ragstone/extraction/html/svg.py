"""The words in a drawing of a web page: what is written in an `svg`, without what only names or defines its parts."""

from lxml import etree

from ragstone.extraction.html.hidden import is_gone

WRITTEN = frozenset(("text", "foreignobject"))
NEVER = frozenset("title desc metadata defs symbol style script clippath mask pattern marker".split())


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
