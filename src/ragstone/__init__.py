"""Ragstone: a folder of documents in, checked answers out.

import ragstone

with ragstone.open("./store") as kb:
    kb.ingest("docs/")
    print(kb.ask("How long are samples kept?").text)
"""

from ragstone.ask import Question
from ragstone.blocking import Knowledge, open, open_async  # noqa: A004  # ragstone.open reads like what it is
from ragstone.config import Settings, load
from ragstone.engine import Engine
from ragstone.errors import ConfigError, NotBuilt, RagstoneError, Refused, StoreError, Unavailable, UsageError
from ragstone.types import Answer, Chunk, Citation, Document, Event, Found, Hit, Info, Run, Scope, Span
from ragstone.where import Condition, Where

__all__ = [
    "Answer",
    "Chunk",
    "Citation",
    "Condition",
    "ConfigError",
    "Document",
    "Engine",
    "Event",
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
    "Unavailable",
    "UsageError",
    "Where",
    "load",
    "open",
    "open_async",
]
