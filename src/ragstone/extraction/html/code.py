"""Code in the tree of a page: as it is written, in which language, without the numbers of its lines."""

import re
from itertools import pairwise

from ragstone.extraction.html.tree import BLOCKS, Node

CODE = frozenset(("pre", "listing", "xmp", "plaintext"))
# How highlighters name the language: Prism, GitHub, Sphinx, SyntaxHighlighter; pandoc and highlight.js after a word.
LANGUAGE = re.compile(
    r"\b(?:(?:language|lang|highlight-source|highlight-text|highlight|brush)[-:]\s?|(?:sourceCode|hljs)\s+)([\w+#.]+)"
)
NO_LANGUAGE = frozenset(
    "default none text plain plaintext txt auto nohighlight nocode notranslate copyable language lang hljs".split()
)
NAMING = ("data-lang", "data-language")


def raw_text(node: Node) -> str:
    """All text of an element as it is written: what `pre` shows."""
    out: list[str] = []
    ended = True  # whether the text so far ends a line
    waiting: list[Node | str | None] = list(reversed(node.children))
    while waiting:
        child = waiting.pop()
        breaks = isinstance(child, Node) and child.tag == "br"
        if breaks or (not ended and (child is None or (isinstance(child, Node) and child.tag in BLOCKS))):
            out.append("\n")
            ended = True
        if isinstance(child, str) and child:
            out.append(child)
            ended = child[-1] == "\n"
        elif isinstance(child, Node):
            if child.tag in BLOCKS:
                waiting.append(None)
            waiting.extend(reversed(child.children))
    return "".join(out)


def language_of(node: Node) -> str | None:
    """The language that code is marked with, in small letters."""
    names = (match[1].lower() for match in LANGUAGE.finditer(_collect_language_hints(node)))
    return next((name for name in names if name not in NO_LANGUAGE), None)


def is_gutter(pre: Node, text: str) -> bool:
    """Whether this is only the numbers of the lines that stand in the cell beside it."""
    up = pre.parent
    while up is not None and up.tag in ("div", "a", "span"):
        up = up.parent
    if up is None or up.tag not in ("td", "th") or up.parent is None or len(up.parent.children) < 2:
        return False
    numbers = text.split()
    if not all(n.isascii() and n.isdecimal() and len(n) < 7 for n in numbers) or (
        len(numbers) < 2 and numbers != ["1"]
    ):
        return False
    return all(int(b) == int(a) + 1 for a, b in pairwise(numbers))


def _collect_language_hints(node: Node) -> str:
    """What is said around code, from the inside out, of its language."""
    inner = next((child for child in node.children if isinstance(child, Node)), None)
    outer = node.parent.parent if node.parent is not None else None
    around = [one for one in (inner, node, node.parent, outer) if one is not None]
    named = [f"language-{said}" for one in around for name in NAMING if (said := one.get(name))]
    if node.get("lang"):
        named.append(f"language-{node.get('lang')}")
    return " ".join([*named, *(one.get("class") for one in around)])
