"""Elements that the parser let run on to the end of a page: `<button><div></button>` closes neither for it."""

from lxml import etree

PARTS = ("main", "article", "nav", "footer")  # of a page; none of them is within a control
LINKED = ("main", "nav", "footer")  # an article may be one link
HOLDERS = frozenset("button label select option noscript iframe canvas audio video map object datalist".split())


def release_swallowed(root: "etree._Element") -> None:
    """Make a control, a medium or a link that has come to hold parts of the page a plain element.

    libxml2 ignores an end tag while a division within is open, so that one unclosed division in a button hid all
    that followed it; to a browser the end tag closes both.
    """
    seen: set[etree._Element] = set()
    for part in root.iter(*PARTS):
        for around in part.iterancestors():
            if around in seen:
                break
            seen.add(around)
            if around.tag in HOLDERS:
                around.tag = "div"
    seen.clear()
    for part in root.iter(*LINKED):
        for around in part.iterancestors():
            if around in seen:
                break
            seen.add(around)
            if around.tag == "a" and "href" in around.attrib:
                del around.attrib["href"]
