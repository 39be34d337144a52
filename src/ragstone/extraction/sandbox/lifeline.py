"""A pipe that nothing is written to: it ends when the process that holds it ends, however that comes about."""

import os
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Lifeline:
    """Held by a parent, with its other end in one child.

    The pipe of requests cannot serve for this: the kernel tells of what was written only after the child could read
    it, and a child that waited for its parent's end was ended by that signal, in up to one of a hundred documents.
    """

    def __init__(self) -> None:
        self._far, self._near = os.pipe()

    def start(self, start: Callable[[int], T]) -> T:
        """What `start` makes of the child's end, which stays open there alone."""
        try:
            return start(self._far)
        except BaseException:
            self.close()
            raise
        finally:
            os.close(self._far)

    def close(self) -> None:
        """Let go, once the child has ended, or in a process that was forked from its parent."""
        os.close(self._near)
