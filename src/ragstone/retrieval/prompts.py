"""The prompts of this package: files of parts that begin with `=== name`, with fields in braces."""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

PART = re.compile(r"^=== ([a-z ]+)$\n", re.MULTILINE)
FIELD = re.compile(r"\{([a-z]+)\}")


@cache
def read_parts(name: str) -> Mapping[str, str]:
    """The parts of a prompt file by their names, in their order."""
    _, *rest = PART.split(files(__package__).joinpath("prompts", f"{name}.txt").read_text("utf-8"))
    return dict(zip(rest[::2], (part.strip("\n") for part in rest[1::2]), strict=True))


def fill_fields(text: str, fields: Mapping[str, str]) -> str:
    """A part with its fields filled in once, so that braces in filled-in text mean nothing."""
    return FIELD.sub(lambda found: fields.get(found[1], found[0]), text)
