"""Elements of a page that are no text of it: those that never are, and those that are left out and counted."""

import re
from collections.abc import Mapping

# Never text for a reader, whatever is in it.
NEVER = frozenset("script style template frame embed head rt rp".split())
# What a page shows in another way than as its text, or instead of what it cannot show.
APART = frozenset(
    "noscript noframes iframe applet canvas audio video map option datalist button progress meter input".split()
)
UNSEEN = NEVER | APART
TYPED = frozenset(("", "text", "number", "date", "email", "tel", "url"))  # kinds of fields whose content is shown
MARKUP = re.compile(r"<[^<>]*+>")


def replacement_text(tag: str, about: Mapping[str, str]) -> str:
    """What attributes of such an element show: the content of a field, the page in a frame."""
    if tag == "input":
        return about.get("value", "") if about.get("type", "").lower() in TYPED else ""
    return MARKUP.sub(" ", about.get("srcdoc", "")) if tag == "iframe" else ""
