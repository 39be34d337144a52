"""Ragstone: a folder of documents in, checked answers out.

import ragstone

with ragstone.open("./store") as kb:
    kb.ingest("docs/")
    print(kb.ask("How long are samples kept?").text)

Each name is imported when it is first used: `import ragstone` alone costs a program nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what HOMES says, for type checkers and editors
    from ragstone.access import Credential
    from ragstone.config.load import load
    from ragstone.config.settings import Settings
    from ragstone.core.errors import (
        ConfigError,
        Forbidden,
        NotBuilt,
        RagstoneError,
        Refused,
        StoreError,
        Unauthorized,
        Unavailable,
        UsageError,
    )
    from ragstone.core.filters import Condition, Where
    from ragstone.core.types import Answer, Chunk, Citation, Document, Event, Found, Hit, Info, Run, Scope, Span
    from ragstone.engine import Engine
    from ragstone.engine.blocking import Knowledge, open, open_async  # noqa: A004  # ragstone.open reads like what it is
    from ragstone.retrieval.question import Question

HOMES = {
    "access": ("Credential",),
    "retrieval.question": ("Question",),
    "engine.blocking": ("Knowledge", "open", "open_async"),
    "config.load": ("Settings", "load"),
    "engine": ("Engine",),
    "core.errors": (
        "ConfigError",
        "Forbidden",
        "NotBuilt",
        "RagstoneError",
        "Refused",
        "StoreError",
        "Unauthorized",
        "Unavailable",
        "UsageError",
    ),
    "core.types": (
        "Answer",
        "Chunk",
        "Citation",
        "Document",
        "Event",
        "Found",
        "Hit",
        "Info",
        "Run",
        "Scope",
        "Span",
    ),
    "core.filters": ("Condition", "Where"),
}
HOME = {name: f"{__name__}.{home}" for home, names in HOMES.items() for name in names}

__all__ = [
    "Answer",
    "Chunk",
    "Citation",
    "Condition",
    "ConfigError",
    "Credential",
    "Document",
    "Engine",
    "Event",
    "Forbidden",
    "Found",
    "Hit",
    "Info",
    "Knowledge",
    "NotBuilt",
    "Question",
    "RagstoneError",
    "Refused",
    "Run",
    "Scope",
    "Settings",
    "Span",
    "StoreError",
    "Unauthorized",
    "Unavailable",
    "UsageError",
    "Where",
    "load",
    "open",
    "open_async",
]


def __getattr__(name: str) -> Any:
    if name not in HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(HOME[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
