"""The category of a document, by the words in its path."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

DEFAULT = "documentation"
# In this order: the first category with one of its words in the path is taken.
CATEGORIES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "ui-component": ("ui component", "ui components", "component", "components", "ui"),
        "brand": ("brand", "branding", "logo", "logos", "style guide"),
        "product-brief": ("product brief", "product briefs", "brief", "briefs", "prd"),
        "help-doc": ("help", "faq", "support", "how to", "howto", "troubleshooting", "user guide"),
        "task": ("task", "tasks", "todo", "todos", "plan", "plans", "roadmap"),
        "architecture": ("architecture", "arch", "adr", "adrs", "design", "rfc", "rfcs"),
        DEFAULT: ("documentation", "docs", "doc"),
    }
)
WORD = re.compile(r"[^\W_]+")
CAMEL_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def categorize_path(path: str, table: Mapping[str, Sequence[str]] = CATEGORIES) -> str:
    """The first category of `table` with one of its words in the path, else "documentation".

    Words are whole words of the path's folders and file name without its ending, case ignored; a
    keyword of several words fits them side by side (`how to` finds `how-to/` and `how_to.md`).
    To extend: `category(path, {"minutes": ("meeting",), **CATEGORIES})`.

    >>> categorize_path("guides/how-to/restart.md"), categorize_path("src/helper.md")
    ('help-doc', 'documentation')
    """
    stem, dot, ending = path.rpartition(".")
    whole = stem if dot and "/" not in ending else path
    words = f" {' '.join(WORD.findall(CAMEL_BOUNDARY.sub(' ', whole))).lower()} "
    for name, keywords in table.items():
        if any(f" {_normalize_keyword(keyword)} " in words for keyword in keywords):
            return name
    return DEFAULT


@lru_cache(maxsize=1024)
def _normalize_keyword(keyword: str) -> str:
    return " ".join(WORD.findall(keyword)).lower()
