"""Prompts as files of parts that begin with `=== name`, with fields in braces."""

import re
from collections.abc import Mapping

PART = re.compile(r"^=== ([a-z ]+)$\n", re.MULTILINE)
FIELD = re.compile(r"\{([a-z]+)\}")


def split_parts(text: str) -> dict[str, str]:
    """The parts of a prompt file by their names, in their order.

    >>> split_parts("=== system\\nYou judge.\\n=== user\\nJudge {this}.\\n")
    {'system': 'You judge.', 'user': 'Judge {this}.'}
    """
    _, *rest = PART.split(text)
    return dict(zip(rest[::2], (part.strip("\n") for part in rest[1::2]), strict=True))


def fill_fields(text: str, fields: Mapping[str, str]) -> str:
    """A part with its fields filled in once, so that braces in filled-in text mean nothing."""
    return FIELD.sub(lambda found: fields.get(found[1], found[0]), text)
