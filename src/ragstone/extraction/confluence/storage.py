"""The storage format of Confluence: pages as XHTML with elements of its own (macros, links, tasks), made HTML."""

import re
from collections.abc import Mapping
from html.entities import name2codepoint

from lxml import etree

from ragstone.core.errors import Refused
from ragstone.extraction.archive import Element, parse_xml

AC, RI = "{http://atlassian.com/content}", "{http://atlassian.com/resource/identifier}"
ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]{1,30});")
OF_XML = ("amp", "lt", "gt", "quot", "apos")
CODE = ("code", "noformat")
# Macros whose parameter is what a reader sees of them.
SHOWN = {"status": "title", "jira": "key", "anchor": "", "expand": "title", "panel": "title", "info": "title"}
SHOWN |= {"note": "title", "warning": "title", "tip": "title", "code": "title", "noformat": "title"}
# Elements that no reader sees: hints for authors, settings, ids.
UNSEEN = frozenset(
    "parameter placeholder emoticon task-id task-uuid task-status adf-attribute default-parameter".split()
)


def build_page(storage: str, people: Mapping[str, str]) -> str:
    """The page as HTML; `people` are names by the keys of users. A page that is not XML is given as it stands.

    >>> build_page('<p>Ask <ac:link><ri:user ri:userkey="8a" /></ac:link>.</p>', {"8a": "petra"})
    '<div><p>Ask <span>petra</span>.</p></div>'
    """
    # An export cannot hold the end of a CDATA section within another one, and writes a space into it.
    text = ENTITY.sub(_replace_entity, storage.replace("]] >", "]]>"))
    source = f'<div xmlns:ac="{AC[1:-1]}" xmlns:ri="{RI[1:-1]}">{text}</div>'
    try:
        root = parse_xml(source.encode(errors="replace"), path="page", name="page")
    except Refused:
        return storage
    for element in [*root.iter(etree.Element)]:
        _convert(element, people)
    etree.cleanup_namespaces(root)
    return etree.tostring(root, method="html", encoding="unicode", with_tail=False)


def _replace_entity(entity: re.Match[str]) -> str:
    name = entity[1]
    return entity[0] if name in OF_XML else chr(name2codepoint[name]) if name in name2codepoint else f"&amp;{name};"


def _convert(element: Element, people: Mapping[str, str]) -> None:
    """Make an element one of HTML, in place; those in it come later."""
    tag = str(element.tag)
    if not tag.startswith((AC, RI)):
        return
    name = tag.rpartition("}")[2]
    if tag.startswith(RI) or name in UNSEEN:
        _empty(element, "span")
    elif name in ("structured-macro", "macro"):
        _convert_macro(element)
    elif name in ("link", "link-body", "plain-text-link-body", "inline-comment-marker", "task-body"):
        said = "".join(map(str, element.itertext())).strip()
        if name == "link" and not said:
            target = _name_target(element, people)
            _empty(element, "span")
            element.text = target
        element.tag = "span"
    elif name == "image":
        _convert_image(element)
    elif name == "task-list":
        element.tag = "ul"
    elif name == "task":
        is_done = (element.findtext(AC + "task-status") or "").strip() == "complete"
        element.tag = "li"
        box = etree.Element("input", {"type": "checkbox", "disabled": ""} | ({"checked": ""} if is_done else {}))
        element.insert(0, box)
    else:
        element.tag = "div"


def _convert_image(image: Element) -> None:
    described = image.get(AC + "alt") or image.get(AC + "title") or _find_resource(image, "filename")
    _empty(image, "img")
    image.set("alt", described)


def _convert_macro(macro: Element) -> None:
    """A macro with a body is its title and its body, code is code; of others what their parameter shows."""
    kind = macro.get(AC + "name") or ""
    parameters = {one.get(AC + "name") or "": "".join(map(str, one.itertext())) for one in macro.iter(AC + "parameter")}
    title = parameters.get(SHOWN.get(kind, "title"), "").strip() if kind in SHOWN else ""
    body = macro.find(AC + "plain-text-body")
    tail, macro.tag = macro.tail, "div"
    if body is not None and kind in CODE:
        code = "".join(map(str, body.itertext()))
        language = parameters.get("language", "")
        _empty(macro, "div")
        made = etree.SubElement(macro, "pre")
        etree.SubElement(made, "code", {"class": f"language-{language}"} if language else {}).text = code
    elif body is None and macro.find(AC + "rich-text-body") is None:
        _empty(macro, "span")
        macro.text, title = title, ""
    if title:
        first = etree.Element("p")
        first.text = title
        macro.insert(0, first)
    macro.tail = tail


def _name_target(link: Element, people: Mapping[str, str]) -> str:
    """What a link without words of its own shows: the page, the file or the person that it leads to."""
    key = _find_resource(link, "userkey") or _find_resource(link, "account-id")
    return people.get(key) or _find_resource(link, "content-title") or _find_resource(link, "filename")


def _find_resource(element: Element, name: str) -> str:
    return next((text for one in element.iter() if (text := one.get(RI + name))), "")


def _empty(element: Element, tag: str) -> None:
    """Make an element one without content or attributes; what follows it stays."""
    tail = element.tail
    element.clear()
    element.tag, element.tail = tag, tail
