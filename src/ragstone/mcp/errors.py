"""Errors as a model reads them: one sentence, and the next step."""

import logging

from ragstone.core.errors import (
    IN_OWN_WORDS,
    Busy,
    ConfigError,
    Forbidden,
    NotAStore,
    NotBuilt,
    RagstoneError,
    SourceNotReady,
    StoreError,
    StoreNotReady,
    StoreTooNew,
    Unauthorized,
    Unavailable,
    UsageError,
    is_for_operator,
    tell_caller,
)
from ragstone.mcp.masking import mask_text


class ReadOnly(Forbidden):
    """A tool writes, and this server does not."""

    disclosure = IN_OWN_WORDS


class UnknownTool(UsageError):
    """There is no tool of this name."""

    disclosure = IN_OWN_WORDS


class TakesNoTexts(Forbidden):
    """A tool adds or deletes documents, and this server takes none from agents, or not from this caller."""

    disclosure = IN_OWN_WORDS


log = logging.getLogger("ragstone")
LENGTH = 1000  # characters
NEXT_STEPS: dict[type[RagstoneError], str] = {
    Unauthorized: "ask the user for a valid key",
    ReadOnly: "ask the user to ingest, or to start this server without --read-only",
    TakesNoTexts: "ask the user to start this server with --allow-adding and a key with the role write",
    Forbidden: "ask the user for a key with that role, or go on without this tool",
    UnknownTool: "call a tool that this server lists",
    UsageError: "change the arguments and call again",
    NotBuilt: "call list_collections for the collections that exist, or leave `collection` out",
    Busy: "another ingestion is running: call again in a minute",
    StoreError: "call again once; if it fails again, ask the user to run `ragstone doctor`",
    SourceNotReady: "ask the user to look at this server's log",
    StoreNotReady: "ask the user to look at this server's log",
    StoreTooNew: "ask the user to look at this server's log",
    ConfigError: "ask the user to look at this server's log",
    NotAStore: "ask the user to look at this server's log",
    Unavailable: "call again in a minute; rag_search with keywords needs no model",
    RagstoneError: "call again once; if it fails again, tell the user",
}


def describe_error(error: Exception) -> str:
    """A sentence and the next step; of an error that nobody foresaw, its kind alone."""
    said = tell_caller(error)
    if not isinstance(error, RagstoneError):
        log.error("a tool failed", exc_info=error)
        said = f"{said} ({type(error).__name__})"
    elif is_for_operator(error):
        log.warning("a tool failed: %s", error)  # it may name places and settings of this server
    step = next(NEXT_STEPS[kind] for kind in (*type(error).__mro__, RagstoneError) if kind in NEXT_STEPS)
    return f"{mask_text(said)[:LENGTH]}\nNext step: {step}."
