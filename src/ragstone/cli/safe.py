"""The gate for all that a command shows: secrets masked, and nothing that a terminal would obey."""

from typing import Any

from ragstone import guard
from ragstone.answering.formats import inline, printable


def plain(text: str) -> str:
    """Text for a terminal."""
    return printable(guard.shown(text))


def line(text: str) -> str:
    """A name or a message on one line of a terminal: what would end the line is escaped."""
    return inline(guard.shown(text))


def masked(data: Any) -> Any:
    """Plain data with the secrets in every text masked; keys stay."""
    return guard.plain(data)
