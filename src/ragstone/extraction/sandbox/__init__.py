"""Parsers of foreign formats run in another process under limits: a document that breaks one is lost alone."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from ragstone.core.types import Extraction
from ragstone.extraction.sandbox.document_limits import DEFAULT, NO_OPTIONS, Bounds

__all__ = ["Bounds", "Sandbox", "SandboxExtractor", "close", "create_sandbox", "draw", "run", "stop"]

POOL = f"{__name__}.pool"


class Sandbox(Protocol):
    """Processes that read for one owner, as the functions of this module do for whoever has none of his own."""

    def run(
        self,
        parser: str,
        data: bytes,
        *,
        path: str,
        options: Mapping[str, object] = NO_OPTIONS,
        bounds: Bounds = DEFAULT,
    ) -> Extraction:
        """See `run`."""
        ...

    def draw(
        self,
        drawer: str,
        data: bytes,
        *,
        path: str,
        options: Mapping[str, object] = NO_OPTIONS,
        bounds: Bounds = DEFAULT,
    ) -> bytes:
        """See `draw`."""
        ...

    def close(self) -> None:
        """See `close`."""
        ...

    def stop(self) -> None:
        """End all processes at once and start no more; who waits for one or comes later gets `Refused`."""
        ...


def create_sandbox() -> Sandbox:
    """Processes of one's own, none yet: closing or stopping them touches nobody else's. They end with this program."""
    from ragstone.extraction.sandbox.pool import Pool

    return Pool()


def run(
    parser: str, data: bytes, *, path: str, options: Mapping[str, object] = NO_OPTIONS, bounds: Bounds = DEFAULT
) -> Extraction:
    """What a parser makes of a document, in another process. Any thread may call.

    `parser` is "package.module:function" of our own table, never of a document; the function is called
    as `function(data, path=path, **options)` and returns an `Extraction` or raises `Refused`.
    `options` are plain values: numbers, texts, lists, dicts.

    Raises `Refused` and nothing else on a document's account: the parser's own reasons, too_slow,
    too_big (memory), too_large (output), broken (it crashed), unsupported (it cannot be loaded), sandbox
    (no such process can be started here: documents are then not read at all).
    """
    # The child imports this package too and has no use for what starts processes.
    from ragstone.extraction.sandbox.pool import default_pool

    return default_pool().run(parser, data, path=path, options=options, bounds=bounds)


def draw(
    drawer: str, data: bytes, *, path: str, options: Mapping[str, object] = NO_OPTIONS, bounds: Bounds = DEFAULT
) -> bytes:
    """The same for a function that gives bytes, such as a picture of a page."""
    from ragstone.extraction.sandbox.pool import default_pool

    return default_pool().draw(drawer, data, path=path, options=options, bounds=bounds)


def close() -> None:
    """End the processes that have nothing to do, and those at work when they are done; more start when needed."""
    if (pool := sys.modules.get(POOL)) is not None:  # else there never was one
        pool.default_pool().close()


def stop() -> None:
    """End all processes at once; who waits for one gets `Refused`. More start when they are needed."""
    if (pool := sys.modules.get(POOL)) is not None:
        pool.renew_default_pool()


@dataclass(frozen=True, slots=True)
class SandboxExtractor:
    """`parser` is "package.module:function"; what it is given and may raise, `sandbox.run` tells."""

    recipe: str
    parser: str
    bounds: Bounds = DEFAULT
    options: Mapping[str, object] = field(default_factory=dict)

    def extract(self, data: bytes, *, path: str) -> Extraction:
        """As the parser does, within the bounds; raises `Refused`."""
        return run(self.parser, data, path=path, options=self.options, bounds=self.bounds)
