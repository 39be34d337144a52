"""Masking of all that a tool returns: secrets masked, and nothing that a host's terminal would obey."""

from collections.abc import Sequence
from typing import Any

from ragstone import guard
from ragstone.core.escaping import remove_controls
from ragstone.core.types import Secret, Span


def mask_text(text: str, spans: Sequence[Span] = (), found: Sequence[Secret] = ()) -> str:
    """A text of a document as `guard.mask_secrets` masks it."""
    return remove_controls(guard.mask_secrets(text, spans, found))


def mask_json(data: Any) -> Any:
    """Plain data with every text masked; keys stay."""
    return _remove_controls(guard.mask_data(data))


def _remove_controls(data: Any) -> Any:
    if isinstance(data, str):
        return remove_controls(data)
    if isinstance(data, dict):
        return {key: _remove_controls(value) for key, value in data.items()}
    return [_remove_controls(value) for value in data] if isinstance(data, list) else data
