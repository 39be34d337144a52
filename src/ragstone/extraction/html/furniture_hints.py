"""Hints by which an element of a web page says itself that it is furniture: its tag, role, class or id."""

import re
from collections import Counter
from collections.abc import Iterable, Set

from ragstone.extraction.html.tree import BLOCKS, HEADINGS, Node

TAGS = {"nav": "nav", "aside": "nav", "footer": "footer", "header": "header", "dialog": "nav"}
ARIA = {
    "navigation": "nav",
    "menu": "nav",
    "menubar": "nav",
    "search": "nav",
    "complementary": "nav",
    "dialog": "nav",
    "alertdialog": "nav",
    "banner": "header",
    "contentinfo": "footer",
}
WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
ANSWERS = frozenset("comment comments disqus respond replies".split())
NAMES = {
    **dict.fromkeys("nav navbar navigation menu breadcrumb breadcrumbs pagination pager toolbar skip".split(), "nav"),
    # DocBook's, Javadoc's, and others' of the kind
    **dict.fromkeys("navheader navfooter topnav bottomnav sidenav subnav navlinks navpanel prevnext".split(), "nav"),
    **dict.fromkeys("sidebar sidebox rail aside widget widgets".split(), "nav"),
    **dict.fromkeys("cookie cookies consent gdpr popup modal overlay lightbox tooltip".split(), "nav"),
    **dict.fromkeys("newsletter subscribe subscription signup login paywall".split(), "nav"),
    **dict.fromkeys("promo promos promotion advert advertisement ad ads advertising sponsor sponsored".split(), "nav"),
    **dict.fromkeys("social share sharing shares sharebar addthis sharethis".split(), "nav"),
    **dict.fromkeys(
        "related recommended recommendations recirc trending popular teaser teasers outbrain taboola".split(), "nav"
    ),
    **dict.fromkeys("carousel slider".split(), "nav"),
    **dict.fromkeys(ANSWERS, "nav"),
    **dict.fromkeys("byline dateline timestamp tags taglist keywords".split(), "header"),
    **dict.fromkeys("footer copyright disclaimer".split(), "footer"),
    **dict.fromkeys("masthead topbar banner".split(), "header"),
}

GUARD = 0.4  # of a page's text: more is not furniture, whatever its class says
SERIES = 3
TEXTS = frozenset(("p", "pre", "td", "dd", "h1", "h2", "h3", "h4", "h5", "h6"))
HALF = 0.5


def find_titled(nodes: Iterable[Node]) -> set[int]:
    """The elements (by identity) whose ids name what they are about, as generators of documentation make them: the name
    of a function ("Iterator.skip"), or one of a series of sections with such ids ("install", "comments", "license")."""
    named = [(node, (id(node.parent), node.tag, node.get("class"))) for node in nodes if node.get("id")]
    count = Counter(kind for _, kind in named)
    plain = {
        kind for node, kind in named if not _find_named_role(node.get("id"))
    }  # not all are "comment-7" and the like
    return {
        id(node)
        for node, kind in named
        if (count[kind] >= SERIES and kind in plain) or not {".", "("}.isdisjoint(node.get("id"))
    }


def find_role_hint(node: Node, body: Node, titled: Set[int], around: Set[int] = frozenset()) -> str:
    """The role that an element gives itself, "" for none; `titled` are those of `find_titled`, `around` those around
    the page's title and prose."""
    if node.tag in ("html", "body", "article", "main", "h1") or node.text > GUARD * body.text:
        return ""
    if id(node) in around and (node.tag != "header" or _is_in_article(node)) and node.get("role") not in ARIA:
        return ""
    if role := ARIA.get(node.get("role")) or TAGS.get(node.tag):
        if role == "header" and _is_in_article(node):
            return ""
        return role
    # A heading's classes say how it looks (`anchorWithStickyNavbar`), not what it is.
    if not node.about or node.tag in HEADINGS or node.get("role") == "main" or node.get("itemprop") == "articleBody":
        return ""
    role = _find_named_role(node.get("class")) or ("" if id(node) in titled else _find_named_role(node.get("id")))
    if role and _is_review(node):
        return ""
    # Highlighters mark comments of code so.
    return "" if role and node.tag not in BLOCKS and _is_in_text(node) else role


def is_marked(node: Node) -> bool:
    """Whether an element is furniture by its tag or its role, which say so more surely than its names."""
    return node.tag in TAGS or node.get("role") in ARIA


def find_words(node: Node) -> set[str]:
    """The words of an element's class and id."""
    return {word.lower() for name in ("class", "id") for word in WORDS.findall(node.get(name))}


def _find_named_role(names: str) -> str:
    found = (NAMES.get(word.lower()) for word in WORDS.findall(names))
    return next((role for role in found if role), "")


def _is_review(node: Node) -> bool:
    """Whether what sounds like readers' comments is a review, or lies in a part for reviews."""
    words = find_words(node)
    if words.isdisjoint(ANSWERS) or not words.isdisjoint(NAMES.keys() - ANSWERS):
        return False
    up: Node | None = node
    while up is not None and up.tag != "body":
        if "reviews" in find_words(up) or (up is node and "review" in words):
            return True
        up = up.parent
    return False


def _is_in_text(node: Node) -> bool:
    """Whether an element within a line is in a paragraph or in code that has other text beside it."""
    up = node.parent
    while up is not None and up.tag not in BLOCKS:
        up = up.parent
    return up is not None and up.tag in TEXTS and node.text < HALF * up.text


def _is_in_article(node: Node) -> bool:
    up = node.parent
    while up is not None:
        if up.tag in ("article", "main"):
            return True
        up = up.parent
    return False
