"""Methods of an asynchronous object as methods that wait."""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from ragstone.core.answers import Event

P = ParamSpec("P")
R = TypeVar("R")


class Waiter(ABC):
    """Runs the methods of `target` on an event loop of another thread, and waits for them."""

    target: Any

    @abstractmethod
    def wait(self, work: Coroutine[Any, Any, R]) -> R:
        """Run a coroutine to its end."""

    @abstractmethod
    def iterate_stream(self, stream: AsyncGenerator[Event]) -> Generator[Event, None, None]:
        """The events of a stream, each waited for."""


def blocking(verb: Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]) -> Callable[Concatenate[Any, P], R]:
    """A coroutine method with the same arguments, waited for."""

    @wraps(verb)
    def wait(self: Waiter, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.wait(verb(self.target, *args, **kwargs))

    return wait


def iterating(
    verb: Callable[Concatenate[Any, P], AsyncGenerator[Event]],
) -> Callable[Concatenate[Any, P], Generator[Event, None, None]]:
    """A method that streams events, with the same arguments; each event is waited for."""

    @wraps(verb)
    def iterate(self: Waiter, /, *args: P.args, **kwargs: P.kwargs) -> Generator[Event, None, None]:
        yield from self.iterate_stream(verb(self.target, *args, **kwargs))

    return iterate


def forwarding(verb: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], R]:
    """A method that waits for nothing, with the same arguments."""

    @wraps(verb)
    def call(self: Waiter, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return verb(self.target, *args, **kwargs)

    return call
