"""Cutting documents into pieces: the table of ways by name.

To add a way: a file with a small options dataclass and a class with `recipe` and `cut`, one line in
`CHUNKERS`, and a test class that inherits `ChunkerContract`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from ragstone.chunking.bounded import BoundedChunker, BoundedOptions
from ragstone.chunking.markdown import MarkdownChunker, MarkdownOptions
from ragstone.chunking.recursive import RecursiveChunker, RecursiveOptions
from ragstone.chunking.sentence import SentenceWindowChunker, SentenceWindowOptions
from ragstone.chunking.structure import StructureChunker, StructureOptions
from ragstone.chunking.tokens import CachingTokenizer, Characters
from ragstone.core.errors import UsageError
from ragstone.core.ports import Chunker, Tokenizer
from ragstone.core.types import Piece

__all__ = [
    "CHUNKERS",
    "CachingTokenizer",
    "Characters",
    "StructureChunker",
    "StructureOptions",
    "limit_pieces",
    "make_chunker",
]

ChunkerFactory = Callable[[Any, Tokenizer, int | None], Chunker]

CHUNKERS: dict[str, tuple[type[Any], ChunkerFactory]] = {
    "bounded": (BoundedOptions, lambda options, tokenizer, _: BoundedChunker(options, tokenizer)),
    "markdown": (MarkdownOptions, lambda options, tokenizer, _: MarkdownChunker(options, tokenizer)),
    "recursive": (RecursiveOptions, lambda options, tokenizer, _: RecursiveChunker(options, tokenizer)),
    "sentence-window": (
        SentenceWindowOptions,
        lambda options, tokenizer, reads: SentenceWindowChunker(options, tokenizer, reads=reads),
    ),
    "structure": (
        StructureOptions,
        lambda options, tokenizer, reads: StructureChunker(options, tokenizer, reads=reads),
    ),
}


def make_chunker(
    name: str, *, tokenizer: Tokenizer, reads: int | None = None, options: Mapping[str, object] | None = None
) -> Chunker:
    """The chunker of that name. `reads`: the tokens that the embedder reads, None without a limit.

    Raises `UsageError` for an unknown name or option and for an impossible value.

    >>> make_chunker("recursive", tokenizer=Characters(), options={"size": 300}).recipe
    'recursive/1(size=300,overlap=64,tokenizer=characters/4)'
    """
    if name not in CHUNKERS:
        raise UsageError(f"chunker {name!r} is unknown; known chunkers: {', '.join(sorted(CHUNKERS))}")
    kind, maker = CHUNKERS[name]
    known = [field.name for field in fields(kind)]
    for key, value in (options or {}).items():
        if key not in known:
            raise UsageError(f"chunker option {key!r} is unknown; options of {name}: {', '.join(known)}")
        if isinstance(value, bool) or not isinstance(value, int):
            raise UsageError(f"chunker option {key} of {name} must be a whole number, not {value!r}")
    counted = tokenizer if isinstance(tokenizer, CachingTokenizer) else CachingTokenizer(tokenizer)
    return maker(kind(**(options or {})), counted, reads)


def limit_pieces(pieces: Sequence[Piece], most: int | None) -> tuple[list[Piece], bool]:
    """The first `most` pieces (all with None), and whether some were left out."""
    if most is None or len(pieces) <= most:
        return list(pieces), False
    return list(pieces[:most]), True
