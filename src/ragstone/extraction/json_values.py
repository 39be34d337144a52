"""Values of JSON whose types are not known before."""

from collections.abc import Iterator
from typing import Any


def list_dicts(value: Any) -> list[dict[str, Any]]:
    """The objects of an array; none of any other value."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def strip_text(value: Any) -> str:
    """A text without the white space around it; "" for any other value."""
    return value.replace("\0", "").strip() if isinstance(value, str) else ""


def find_texts(value: Any) -> Iterator[str]:
    """The values of `text` at any depth, in order: what a message in blocks or a card says.

    >>> list(find_texts([{"type": "section", "text": {"text": "Build 7"}}, {"elements": [{"text": "failed"}]}]))
    ['Build 7', 'failed']
    """
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, list):
            left += reversed(one)
        elif isinstance(one, dict):
            if said := strip_text(one.get("text")):
                yield said
            left += reversed([inner for inner in one.values() if isinstance(inner, dict | list)])
