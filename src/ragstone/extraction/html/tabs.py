"""Parts of a page behind tabs, as the specifications in a shop: a reader opens them, so that they are text."""

import re
from collections.abc import Mapping
from itertools import islice

from lxml import etree

WORDS = re.compile(r"[A-Z]?[a-z]+")
FEWEST = 2  # tabs of a group
ADDRESSES = ("data-target", "data-bs-target", "href")  # of a part of the page
TOGGLES = ("data-toggle", "data-bs-toggle")
TABS = frozenset(("tab", "tabs", "tablist"))
PANELS = frozenset(("tab", "tabs", "tabpanel", "tabcontent", "panel", "pane"))
WINDOWS = frozenset("modal dialog popup overlay drawer offcanvas cookie consent".split())  # open over the page
AROUND = 3  # elements around a link of which one says that it is a tab
MOST = 30  # elements of a tab in which its text is looked for
LONGEST = 200  # characters of an id


def find_tab_panels(root: "etree._Element") -> frozenset[str]:
    """The ids of the elements to which the tabs with text of a page lead, where there are several."""
    found: set[str] = set()
    for element in root.iter("a", "button", "li", "div", "span", "label"):
        if (targets := _find_targets(element)) and _is_tab(element) and _has_text(element):
            found |= targets
    return frozenset(found) if len(found) >= FEWEST else frozenset()


def is_closed_panel(about: Mapping[str, str], panels: frozenset[str]) -> bool:
    """Whether an element is the part behind a tab that is only closed, not hidden by some trick."""
    if about.get("id") not in panels:
        return False
    style = "".join(about.get("style", "").lower().split()).strip(";")
    named = {word.lower() for word in WORDS.findall(about.get("class", ""))}
    is_panel = about.get("role") == "tabpanel" or not named.isdisjoint(PANELS)
    is_window = about.get("role", "").endswith("dialog") or not named.isdisjoint(WINDOWS) or "aria-modal" in about
    return is_panel and not is_window and style in ("", "display:none")


def _find_targets(element: "etree._Element") -> set[str]:
    """The ids to which a tab leads."""
    addresses = (value for name in ADDRESSES if (value := element.get(name, "")).startswith("#"))
    found = (element.get("aria-controls", ""), *(value[1:] for value in addresses))
    return {value[:LONGEST] for value in found if value}


def _has_text(element: "etree._Element") -> bool:
    if (element.text or "").strip():
        return True
    inner = islice(element.iterdescendants(), MOST)
    return any((one.text or "").strip() or (one.tail or "").strip() for one in inner)


def _is_tab(element: "etree._Element") -> bool:
    if element.get("role") == "tab" or any(element.get(name) in ("tab", "pill") for name in TOGGLES):
        return True
    up: etree._Element | None = element
    for _ in range(AROUND):
        if up is None:
            return False
        if up.get("role") == "tablist" or not TABS.isdisjoint(WORDS.findall(up.get("class", "").lower())):
            return True
        up = up.getparent()
    return False
