"""The gate for all that a command shows: secrets masked, and nothing that a terminal would obey."""

from typing import Any

from ragstone import answer, guard


def plain(text: str) -> str:
    """Text for a terminal."""
    return answer.printable(guard.mask(text)[0])


def masked(data: Any) -> Any:
    """Plain data with the secrets in every text masked; keys stay."""
    if isinstance(data, str):
        return guard.mask(data)[0]
    if isinstance(data, dict):
        return {key: masked(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [masked(value) for value in data]
    return data
