"""The order in which passages stand before a language model."""

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def order_ends_first(ranked: Sequence[T]) -> list[T]:
    """Best first, second-best last, the weakest in the middle, where models read least
    ("Lost in the Middle", Liu et al. 2023).

    >>> order_ends_first([1, 2, 3, 4, 5])
    [1, 3, 5, 4, 2]
    """
    return [*ranked[::2], *ranked[1::2][::-1]]
