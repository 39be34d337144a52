"""Masking of all output of a command: secrets masked, and nothing that a terminal would obey."""

from typing import Any

from ragstone import guard
from ragstone.core.escaping import escape_line_ends, remove_controls


def escape_text(text: str) -> str:
    """Text for a terminal."""
    return remove_controls(guard.mask_secrets(text))


def escape_line(text: str) -> str:
    """A name or a message on one line of a terminal: what would end the line is escaped."""
    return escape_line_ends(guard.mask_secrets(text))


def mask_data(data: Any) -> Any:
    """Plain data with the secrets in every text masked; keys stay."""
    return guard.mask_data(data)
