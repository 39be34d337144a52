"""Secrets of web hooks, which end their addresses: everyone who knows one may post there."""

import re
from collections.abc import Iterator

from ragstone.core.late_pattern import compile_late
from ragstone.guard.plausible import is_example, is_key
from ragstone.guard.secret_places import Places

HOOK_STARTS = ("hook",)
HOOK = compile_late(
    r"(?i)hooks?\w{0,24}[\"'`]?(?:[ ]{0,4}[:=][ ]{0,4}[\"'`]?https?://)?[^\s\"'<>`]{0,200}?/"
    r"(?P<value>[\w-]{20,128})(?![\w/.-])"
)
# The word stands in an address or leads to one: in base64 and in paths of files it stands by chance.
ADDRESS = re.compile(r"://[^\s\"'<>`]{1,400}\Z")
BEFORE = 200


def find_hooks(text: str, places: Places) -> Iterator[tuple[str, int, int]]:
    """Kind and place of each."""
    for at in places.find(HOOK_STARTS):
        match = HOOK.match(text, at)
        if match and ADDRESS.search(text, max(0, at - BEFORE), match.start("value")):
            value = match["value"]
            if is_key(value) and not is_example(value):
                yield "api_key", *match.span("value")
