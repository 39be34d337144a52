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
    """Processes of one owner that read documents; the functions of this module use shared ones."""

    def run(
        self,
        parser: str,
        data: bytes,
        *,
        path: str,
        options: Mapping[str, object] = NO_OPTIONS,
        bounds: Bounds = DEFAULT,
    ) -> Extraction:
        """Extract a document in a process of this sandbox; options and errors as for the function `run`."""
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
        """Call a drawing function in a process of this sandbox; options and errors as for the function `run`."""
        ...

    def close(self) -> None:
        """End the processes of this sandbox: idle ones now, busy ones when they are done."""
        ...

    def stop(self) -> None:
        """End all processes at once and start no more. Waiting and later calls raise `Refused`."""
        ...


def create_sandbox() -> Sandbox:
    """A sandbox with its own processes, none started yet: closing or stopping it does not affect others. They end
    with this program."""
    from ragstone.extraction.sandbox.pool import Pool

    return Pool()


def run(
    parser: str, data: bytes, *, path: str, options: Mapping[str, object] = NO_OPTIONS, bounds: Bounds = DEFAULT
) -> Extraction:
    """Extract a document with a parser in another process, and return its `Extraction`. Any thread may call.

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
    """Call a function that gives bytes, such as a picture of a page, in another process. Options and errors as for
    `run`."""
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
    """`parser` is "package.module:function"; `sandbox.run` describes its arguments and errors."""

    recipe: str
    parser: str
    bounds: Bounds = DEFAULT
    options: Mapping[str, object] = field(default_factory=dict)

    def extract(self, data: bytes, *, path: str) -> Extraction:
        """As the parser does, within the bounds; raises `Refused`."""
        return run(self.parser, data, path=path, options=self.options, bounds=self.bounds)
