"""The attributes of a page's elements: those that are read, of elements that have them by the thousand too."""

import re

from lxml import etree

KEPT = frozenset(
    "class id role itemprop rowspan colspan scope start reversed type value checked href alt data-lang data-language "
    "lang".split()
)
STYLED = frozenset(("style", "bgcolor", "color", "text", "background", "class", "id"))
SHADOW = frozenset(("shadowrootmode", "shadowmode", "shadowroot"))  # of a template that a page shows at once
READ = KEPT | STYLED | SHADOW | frozenset("hidden aria-hidden disabled selected srcdoc name property content".split())
LONG = 4000  # characters of a tag: shorter ones have few enough
# Tags as the standard takes them apart; what only looks like some, in comments and scripts, is passed over whole.
TAG = re.compile(
    r"<!--(?s:.*?)(?:-->|\Z)|<script\b(?s:.*?)(?:</script|\Z)|<style\b(?s:.*?)(?:</style|\Z)"
    r"|(<[a-z][^\s/>]*+)((?:[\s/]++|=?[^\s/>=]++(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>\"'][^\s>]*+)?+)?+|=)*+)",
    re.IGNORECASE,
)
ONE = re.compile(r"([^\s/>=]++)(\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>\"'][^\s>]*+))?+")


def drop_attributes(text: str) -> str:
    """A page whose long tags keep only the attributes that are read, the first of each name.

    The parser looks at all attributes of an element for each further one: 50,000 of them took 7 seconds, and as
    many again to list them.
    """
    return TAG.sub(_drop_from_tag, text)


def _drop_from_tag(match: re.Match[str]) -> str:
    if match[2] is None or len(match[2]) < LONG:
        return match[0]
    found: dict[str, str] = {}
    for one in ONE.finditer(match[2]):
        if (name := one[1].lower()) in READ:
            found.setdefault(name, one[2] or "")
    return match[1] + "".join(f" {name}{value}" for name, value in found.items())


def read_attributes(element: "etree._Element") -> dict[str, str]:
    """The attributes of an element that are read."""
    return {str(key): str(element.get(key, "")) for key in element.attrib if key in READ}
