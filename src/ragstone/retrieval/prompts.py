"""The prompts of this package."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from ragstone.core.prompt_parts import fill_fields, split_parts

__all__ = ["fill_fields", "read_parts"]


@cache
def read_parts(name: str) -> Mapping[str, str]:
    """The parts of a prompt file by their names, in their order."""
    return split_parts(files(__package__).joinpath("prompts", f"{name}.txt").read_text("utf-8"))
