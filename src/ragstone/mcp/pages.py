"""Results in pages: no longer than a host accepts from one call, and a cursor that leads on."""

import base64
import binascii
import json
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from ragstone.core.errors import UsageError
from ragstone.core.types import Json
from ragstone.providers.token_counting import EstimatingTokenizer

TOKENS = 25_000  # that hosts accept from a tool; Claude Code refuses more
PAGE = TOKENS - 1_000  # the rest is for all that stands around a page
BYTES_A_TOKEN = 8  # no prose has more
TOKENIZER = EstimatingTokenizer()


def dump_json(data: Any) -> str:
    """A result as the text that a model reads."""
    return json.dumps(data, ensure_ascii=False, default=str)


def count_tokens(text: str) -> int:
    """The tokens of a text, rather too many than too few."""
    return TOKENIZER.count([text])[0]


def take_page(items: Sequence[Json], start: int, tokens: int = PAGE) -> tuple[list[Json], int | None]:
    """The items from `start` that fit into a page, at least one; the place of the next one, None at the end."""
    left = tokens
    page: list[Json] = []
    for item in items[start:]:
        left -= count_tokens(dump_json(item))
        if page and left < 0:
            return page, start + len(page)
        page.append(item)
    return page, None


def measure_page(text: str, tokens: int = PAGE) -> int:
    """How many characters of a text fit into this number of tokens; the page ends at a line's end where one is near.

    >>> measure_page("one two three", 2) < len("one two three") == measure_page("one two three", 50)
    True
    """
    size = min(len(text), tokens * BYTES_A_TOKEN)
    while size > 1 and (count := count_tokens(dump_json(text[:size]))) > tokens:
        size = max(1, min(size - 1, int(size * tokens / count * 0.98)))
    if size == len(text):
        return size
    end = text.rfind("\n", size // 2, size)
    return size if end < 0 else end + 1


def shorten(text: str, tokens: int) -> str:
    """A text of at most this number of tokens, with a mark where the rest was left out."""
    end = measure_page(text, tokens)
    return text if end == len(text) else f"{text[:end].rstrip()} […]"


def make_cursor(place: int, *about: object) -> str:
    """A cursor to a place in the result of a call; `about` is what must be the same when it is used."""
    return base64.urlsafe_b64encode(f"{place}.{_digest(about)}".encode()).decode().rstrip("=")


def read_cursor(cursor: str | None, *about: object) -> int:
    """The place of a cursor, 0 for None; raises `UsageError` for one of another call."""
    if cursor is None:
        return 0
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("ascii")
    except (ValueError, binascii.Error):
        text = ""
    place, _, digest = text.partition(".")
    if not (place.isdecimal() and len(place) < 12) or digest != _digest(about):
        raise UsageError(
            "the cursor is of another call, or the document changed meanwhile: "
            "repeat the call with the same arguments and without a cursor"
        )
    return int(place)


def _digest(about: tuple[object, ...]) -> str:
    return sha256(dump_json(about).encode("utf-8", "replace")).hexdigest()[:16]
