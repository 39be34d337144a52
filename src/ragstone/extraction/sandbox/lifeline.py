"""A pipe that nothing is written to: it ends when the process that holds it ends, however that comes about."""

import os
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Lifeline:
    """Held by a parent, with its other end in one child.

    The pipe of requests cannot serve for this: the kernel can send the signal for a request after the child has read
    it. A child that expected its parent's end then ended, in up to one of a hundred documents that one thread sent.
    """

    def __init__(self) -> None:
        self._far, self._near = os.pipe()

    def start(self, start: Callable[[int], T]) -> T:
        """Call `start` with the child's end and return its result; the end stays open in the child alone."""
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
