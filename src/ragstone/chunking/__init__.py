"""Cutting documents into pieces: the table of ways by name.

To add a way: a file with a small options dataclass and a class with `recipe` and `cut`, one line in
`WAYS`, and a test class that inherits `ChunkerContract`.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from ragstone.chunking.bounded import Bounded, Bounds
from ragstone.chunking.markdown import Markdown, Sections
from ragstone.chunking.recursive import Recursive, Window
from ragstone.chunking.sentence import Around, SentenceWindow
from ragstone.chunking.structure import Cutting, Structure
from ragstone.chunking.tokens import Characters, Counted
from ragstone.chunking.trim import limit
from ragstone.core.errors import UsageError
from ragstone.core.ports import Chunker, Tokenizer

__all__ = ["WAYS", "Characters", "Counted", "Cutting", "Structure", "limit", "make"]

Maker = Callable[[Any, Tokenizer, int | None], Chunker]

WAYS: dict[str, tuple[type[Any], Maker]] = {
    "bounded": (Bounds, lambda options, tokenizer, _: Bounded(options, tokenizer)),
    "markdown": (Sections, lambda options, tokenizer, _: Markdown(options, tokenizer)),
    "recursive": (Window, lambda options, tokenizer, _: Recursive(options, tokenizer)),
    "sentence-window": (Around, lambda options, tokenizer, reads: SentenceWindow(options, tokenizer, reads=reads)),
    "structure": (Cutting, lambda options, tokenizer, reads: Structure(options, tokenizer, reads=reads)),
}


def make(
    name: str, *, tokenizer: Tokenizer, reads: int | None = None, options: Mapping[str, object] | None = None
) -> Chunker:
    """The chunker of that name. `reads`: the tokens that the embedder reads, None without a limit.

    Raises `UsageError` for an unknown name or option and for an impossible value.

    >>> make("recursive", tokenizer=Characters(), options={"size": 300}).recipe
    'recursive/1(size=300,overlap=64,tokenizer=characters/4)'
    """
    if name not in WAYS:
        raise UsageError(f"chunker {name!r} is unknown; known chunkers: {', '.join(sorted(WAYS))}")
    kind, maker = WAYS[name]
    known = [field.name for field in fields(kind)]
    for key, value in (options or {}).items():
        if key not in known:
            raise UsageError(f"chunker option {key!r} is unknown; options of {name}: {', '.join(known)}")
        if isinstance(value, bool) or not isinstance(value, int):
            raise UsageError(f"chunker option {key} of {name} must be a whole number, not {value!r}")
    counted = tokenizer if isinstance(tokenizer, Counted) else Counted(tokenizer)
    return maker(kind(**(options or {})), counted, reads)
