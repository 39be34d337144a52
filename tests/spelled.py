"""A result with all that it holds, as text: its own `repr` is short."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any


def spell(value: Any) -> str:
    """Every field of a value, of the values in it, and so on."""
    return repr(_unfold(value))


def _unfold(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _unfold(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {name: _unfold(one) for name, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_unfold(one) for one in value]
    return value
