"""Fields of a feed's entry that its program adds: exports of tickets (Jira) and pages (WordPress) are feeds too."""

import re
from collections.abc import Iterator
from itertools import islice

from ragstone.extraction.archive import Element
from ragstone.extraction.feed.elements import element_name, read_content, read_title
from ragstone.extraction.record.builder import BlockDraft

OF_FEEDS = frozenset(
    "title link description author category comments enclosure guid pubDate source content summary id updated published"
    " date issued modified creator encoded".split()
)
WORDPRESS = "{http://wordpress.org/export/"
UNSEEN_STATES = ("draft", "private", "pending", "future", "trash", "auto-draft")
UNSEEN_TYPES = ("nav_menu_item", "revision", "customize_changeset", "wp_global_styles", "oembed_cache", "custom_css")
SHORT = 200  # characters of a value on a line
MOST = 20_000  # elements of an entry that are looked at
ADDRESS = re.compile(r"https?://\S+")
HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|[_-]+")
WHO, WHEN = ("author", "username", "user"), ("created", "date", "time")


def is_unseen(entry: Element) -> bool:
    """Whether an export of WordPress says that nobody sees the entry on its site, or that it is none of its pages."""
    state, kind = _read_wordpress(entry, "status"), _read_wordpress(entry, "post_type")
    return state in UNSEEN_STATES or kind in UNSEEN_TYPES


def read_fields(entry: Element, title: str, warnings: list[str]) -> Iterator[BlockDraft]:
    """Short values as lines `Name: value`, then long ones and comments; only of elements that no feed has."""
    if next(islice(entry.iterdescendants(), MOST, None), None) is not None:
        warnings.append(f"{title or 'an entry'}: fields behind the first {MOST:,} elements were not read")
    lines: dict[str, dict[str, None]] = {}
    below: list[BlockDraft] = []
    for label, value in _list_values(entry):
        text = read_title(value)
        if not text or text == title or f"[{text}]" in title or ADDRESS.fullmatch(text):
            continue
        said = " ".join(filter(None, (_find_attribute(value, WHO), _show_when(_find_attribute(value, WHEN)))))
        if said:
            below += _head(said, list(read_content(value, title, warnings)))
        elif len(text) <= SHORT:
            lines.setdefault(label, {})[text] = None
        else:
            below += _head(label, list(read_content(value, title, warnings)))
    yield BlockDraft("paragraph", "\n".join(f"{label}: {', '.join(values)}" for label, values in lines.items()))
    yield from below
    yield from _read_comments(entry, title, warnings)


def _read_comments(entry: Element, title: str, warnings: list[str]) -> Iterator[BlockDraft]:
    """The comments of readers that a site of WordPress shows."""
    for comment in entry.iterchildren("{*}comment"):
        if str(comment.tag).startswith(WORDPRESS) and _read_wordpress(comment, "comment_approved") == "1":
            when = _show_when(_read_wordpress(comment, "comment_date"))
            said = " ".join(filter(None, (_read_wordpress(comment, "comment_author"), when)))
            content = next((one for one in comment if element_name(one) == "comment_content"), None)
            yield from _head(said, list(read_content(content, title, warnings)))


def _show_when(text: str) -> str:
    return f"({text})" if text else ""


def _head(label: str, drafts: list[BlockDraft]) -> Iterator[BlockDraft]:
    """The blocks, the first of them behind a label."""
    if drafts and drafts[0].type == "paragraph":
        yield BlockDraft("paragraph", f"{label}: {drafts[0].text}")
        yield from drafts[1:]
    elif drafts:
        yield BlockDraft("paragraph", f"{label}:")
        yield from drafts


def _list_values(entry: Element) -> Iterator[tuple[str, Element]]:
    """The elements that say something, with their labels; in a group each, of a name with its values the values."""
    named: dict[Element, bool] = {}
    for number, child in enumerate(entry.iterdescendants(), 1):
        if number > MOST:
            return
        if str(child.tag).startswith("{") or _is_known(child, entry):
            continue
        name = next((one for one in child if element_name(one).lower().endswith("name")), None)
        if _is_named(child, entry, named):
            continue
        if name is not None and len(child) > 1:
            yield from ((_clean(read_title(name)), one) for one in _list_leaves(child) if one is not name)
        elif not len(child):
            yield _label(child), child


def _list_leaves(element: Element) -> Iterator[Element]:
    return islice((one for one in element.iterdescendants() if not len(one)), MOST)


def _is_known(element: Element, entry: Element) -> bool:
    """Whether an element of the entry itself is one that feeds have, unless it is a group of a program's own."""
    up = element
    while (above := up.getparent()) is not None and above is not entry:
        up = above
    is_group = element_name(up) == "comments" and next(up.iterchildren(), None) is not None
    return element_name(up) in OF_FEEDS and not is_group


def _is_named(element: Element, entry: Element, named: dict[Element, bool]) -> bool:
    """Whether an element around this one has a name beside it, by which it was given already; `named` keeps what was
    found, since each look at a group goes through all that is in it."""
    up = element.getparent()
    if up is None or up is entry:
        return False
    if up not in named:
        has_name = any(element_name(one).lower().endswith("name") for one in up) and len(up) > 1
        named[up] = has_name or _is_named(up, entry, named)
    return named[up]


def _label(element: Element) -> str:
    return _clean(HUMP.sub(" ", element_name(element)).lower().capitalize())


def _clean(label: str) -> str:
    return label.rstrip(": ")[:SHORT]


def _find_attribute(element: Element, names: tuple[str, ...]) -> str:
    """The first of these attributes, of an element that tells when it was written; "" for any other."""
    if not any(element.get(name) for name in WHEN):
        return ""
    return next((" ".join(text.split())[:SHORT] for name in names if (text := element.get(name))), "")


def _read_wordpress(element: Element, name: str) -> str:
    found = (one for one in element if str(one.tag).startswith(WORDPRESS) and element_name(one) == name)
    return next(("".join(map(str, one.itertext())).strip()[:SHORT] for one in found), "")
