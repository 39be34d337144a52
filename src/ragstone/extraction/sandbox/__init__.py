"""Parsers of foreign formats run in another process under limits: a document that breaks one is lost alone."""

import sys
from collections.abc import Mapping
from typing import Protocol

from ragstone.core.types import Extraction
from ragstone.extraction.sandbox.document_limits import DEFAULT, NO_OPTIONS, Bounds

__all__ = ["Bounds", "Sandbox", "close", "create_sandbox", "get_shared", "stop"]

POOL = f"{__name__}.pool"


class Sandbox(Protocol):
    """Processes of one owner that read documents."""

    def run(
        self,
        parser: str,
        data: bytes,
        *,
        path: str,
        options: Mapping[str, object] = NO_OPTIONS,
        bounds: Bounds = DEFAULT,
    ) -> Extraction:
        """Extract a document with a parser in another process, and return its `Extraction`. Any thread may call.

        `parser` is "package.module:function" of our own table, never of a document; the function is called
        as `function(data, path=path, **options)` and returns an `Extraction` or raises `Refused`.
        `options` are plain values: numbers, texts, lists, dicts.

        Raises `Refused` and nothing else on a document's account: the parser's own reasons, too_slow,
        too_big (memory), too_large (output), broken (it crashed), unsupported (it cannot be loaded), sandbox
        (no such process can be started here: documents are then not read at all).
        """
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
        """Call a function that gives bytes, such as a picture of a page, in another process. Options and errors as for
        `run`."""
        ...

    def close(self) -> None:
        """End the processes of this sandbox: idle ones now, busy ones when they are done."""
        ...

    def stop(self) -> None:
        """End all processes at once and start no more. Waiting and later calls raise `Refused`."""
        ...


# The child imports this package too and has no use for what starts processes: it is imported when one is started.


def create_sandbox() -> Sandbox:
    """A sandbox with its own processes, none started yet: closing or stopping it does not affect others. They end
    with this program."""
    from ragstone.extraction.sandbox.pool import Pool

    return Pool()


def get_shared() -> Sandbox:
    """The sandbox of all callers that have none of their own."""
    from ragstone.extraction.sandbox.pool import default_pool

    return default_pool()


def close() -> None:
    """End the shared processes: idle ones now, busy ones when they are done; more start when needed."""
    if (pool := sys.modules.get(POOL)) is not None:  # else there never was one
        pool.default_pool().close()


def stop() -> None:
    """End all shared processes at once; who waits for one gets `Refused`. More start when they are needed."""
    if (pool := sys.modules.get(POOL)) is not None:
        pool.renew_default_pool()
