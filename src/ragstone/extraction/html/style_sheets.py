"""Classes and ids that a page's own style sheet hides, as mails and exports do; of pages that scripts change none.

Only `.x { display: none }` and `#x { visibility: hidden }` count, for all readers and not for paper or small screens
alone. A name that another rule shows (on hover, in a tab, on a telephone) hides nothing: its text may be read.
"""

import re
from collections.abc import Iterator, Mapping

from lxml import etree

PART = re.compile(r"([^{};]*+)([{};]|\Z)")
SIMPLE = re.compile(r"\s*(?:[a-z][a-z0-9]{0,15})?([.#][\w-]{1,100})\s*", re.IGNORECASE)
NAME = re.compile(r"[.#]([\w-]{1,100})")
FOR_ALL = re.compile(r"@media\s+(?:only\s+)?(?:all|screen)\s*", re.IGNORECASE)
HIDES = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))\s*(?:!\s*important\s*)?(?=;|$)", re.I
)
# What may bring into view what is hidden.
SHOWS = re.compile(r"(?:^|;)\s*(?:display|visibility|all|animation|content-visibility)\s*:", re.IGNORECASE)
HANDLER = re.compile(r"\son(?:click|load|change|input|toggle|mouseover|mouseenter|focus)\s*=", re.IGNORECASE)
DATA = ("json", "template", "text/html", "text/plain")
DEEPEST = 4  # at-rules around a rule
MOST = 2_000_000  # characters of style sheets


def find_hiding_names(root: "etree._Element", text: str) -> frozenset[str]:
    """The classes (`.x`) and ids (`#x`) that hide an element; none where scripts may show it."""
    sheets = "\n".join(element.text or "" for element in root.iter("style"))[:MOST]
    if "none" not in sheets and "hidden" not in sheets:
        return frozenset()
    if any(map(_runs, root.iter("script"))) or HANDLER.search(text):
        return frozenset()
    hiding, shown = set[str](), set[str]()
    for selectors, declarations, for_all in _read_rules(_drop_comments(sheets)):
        hides = HIDES.search(declarations) is not None
        if hides and for_all:
            hiding.update(simple[1] for simple in map(SIMPLE.fullmatch, selectors.split(",")) if simple)
        elif not hides and SHOWS.search(declarations):
            shown.update(name[0] for name in NAME.finditer(selectors))
    return frozenset(hiding - shown)


def is_hidden_by_sheet(about: Mapping[str, str], hiding: frozenset[str]) -> bool:
    """Whether one of an element's names hides it, and its own style does not show it."""
    names = {f".{name}" for name in about.get("class", "").split()} | {f"#{about.get('id', '').strip()}"}
    style = about.get("style", "")
    return not hiding.isdisjoint(names) and not (SHOWS.search(style) and not HIDES.search(style))


def _runs(script: "etree._Element") -> bool:
    """Whether a script does something: others hold data."""
    kind = (script.get("type") or "").lower()
    return not any(data in kind for data in DATA) and bool(script.get("src") or (script.text or "").strip())


def _drop_comments(sheet: str) -> str:
    first, *rest = sheet.replace("<!--", " ").replace("-->", " ").split("/*")
    return first + " ".join(part.partition("*/")[2] for part in rest)


def _read_rules(sheet: str) -> Iterator[tuple[str, str, bool]]:
    """The selectors and declarations of each rule, and whether it counts for all readers."""
    outer: list[str] = []
    said: list[str] = []
    for part in PART.finditer(sheet):
        text, mark = part[1].strip(), part[2]
        if mark == "{":
            outer.append(text)
            said = []
        elif mark == ";" and outer:
            said.append(text)
        elif mark == "}" and outer:
            selectors, around = outer.pop(), outer
            declarations = ";".join((*said, text))
            said = []
            if not selectors.startswith("@"):
                for_all = len(around) <= DEEPEST and all(FOR_ALL.fullmatch(one) for one in around)
                yield selectors, declarations, for_all
