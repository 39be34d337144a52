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
    from ragstone.blocking import Knowledge, open, open_async  # noqa: A004  # ragstone.open reads like what it is
    from ragstone.config import load
    from ragstone.engine import Engine
    from ragstone.errors import (
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
    from ragstone.question import Question
    from ragstone.settings import Settings
    from ragstone.types import Answer, Chunk, Citation, Document, Event, Found, Hit, Info, Run, Scope, Span
    from ragstone.where import Condition, Where

HOMES = {
    "access": ("Credential",),
    "ask": ("Question",),
    "blocking": ("Knowledge", "open", "open_async"),
    "config": ("Settings", "load"),
    "engine": ("Engine",),
    "errors": (
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
    "types": (
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
    "where": ("Condition", "Where"),
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
