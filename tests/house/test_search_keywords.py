"""The keywords of a search, for type checkers and editors, are the fields of `SearchOptions`.

A type checker cannot make a TypedDict of a dataclass, so `python tests/house/test_search_keywords.py` writes it.
"""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from ragstone.config.search_options import SearchOptions
from ragstone.config.validation import read_options

FILE = Path(__file__).parents[2] / "src" / "ragstone" / "config" / "search_keywords.py"
HEAD = '''"""The options of a search as keywords. `tests/house/test_search_keywords.py` writes this file."""

from typing import Literal, TypedDict


class SearchKeywords(TypedDict, total=False):
    """Options of a search; None and what is left out mean the setting's default."""

'''


def format_kind(kind: Any) -> str:
    if get_origin(kind) is Literal:
        values = ", ".join(json.dumps(value) for value in get_args(kind))
        return f"Literal[{values}]"
    return kind.__name__ if isinstance(kind, type) else str(kind).replace("typing.", "")


def make_text() -> str:
    """The file as it must be."""
    kinds, options = get_type_hints(SearchOptions), read_options(SearchOptions)
    lines = []
    for one in fields(SearchOptions):
        kind = format_kind(kinds[one.name])
        kind = kind if "None" in kind else f"{kind} | None"
        lines += [f"    {one.name}: {kind}", f'    """{options[one.name].help}"""']
    return HEAD + "\n".join(lines) + "\n"


def test_the_keywords_are_the_options() -> None:
    assert FILE.read_text(encoding="utf-8") == make_text()


if __name__ == "__main__":
    FILE.write_text(make_text(), encoding="utf-8")
