"""Chunking of documents: the table of chunkers by name.

To add one: a file with a small options dataclass and a class with `recipe` and `cut`, its row in
`CHUNKERS`, and a test class that inherits `ChunkerContract`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import import_module
from typing import Any

from ragstone.chunking.tokens import CachingTokenizer, Characters
from ragstone.core.errors import UsageError
from ragstone.core.ports import Chunker, Tokenizer
from ragstone.core.types import Piece

__all__ = [
    "CHUNKERS",
    "CachingTokenizer",
    "Characters",
    "ChunkerKind",
    "limit_pieces",
    "make_chunker",
]


@dataclass(frozen=True, slots=True)
class ChunkerKind:
    """One chunker: the module, class and options of a chunker, and whether it needs to know how many tokens the
    embedder reads.

    The class takes its options and a tokenizer, and `reads` if it needs that.
    """

    module: str
    chunker: str
    options: str
    reads: bool = False

    def load_options(self) -> type[Any]:
        """The dataclass of its options."""
        kind: type[Any] = getattr(import_module(self.module), self.options)
        return kind

    def make(self, options: Any, tokenizer: Tokenizer, reads: int | None) -> Chunker:
        """The chunker itself."""
        known = {"reads": reads} if self.reads else {}
        chunker: Chunker = getattr(import_module(self.module), self.chunker)(options, tokenizer, **known)
        return chunker


CHUNKERS: dict[str, ChunkerKind] = {
    "bounded": ChunkerKind("ragstone.chunking.bounded", "BoundedChunker", "BoundedOptions"),
    "markdown": ChunkerKind("ragstone.chunking.markdown", "MarkdownChunker", "MarkdownOptions"),
    "recursive": ChunkerKind("ragstone.chunking.recursive", "RecursiveChunker", "RecursiveOptions"),
    "sentence-window": ChunkerKind(
        "ragstone.chunking.sentence", "SentenceWindowChunker", "SentenceWindowOptions", reads=True
    ),
    "structure": ChunkerKind("ragstone.chunking.structure", "StructureChunker", "StructureOptions", reads=True),
}


def make_chunker(
    name: str, *, tokenizer: Tokenizer, reads: int | None = None, options: Mapping[str, object] | None = None
) -> Chunker:
    """The chunker of that name. `reads`: the tokens that the embedder reads, None without a limit.

    Raises `UsageError` for an unknown name or option and for an impossible value.

    >>> make_chunker("recursive", tokenizer=Characters(), options={"size": 300}).recipe
    'recursive/4(size=300,overlap=64,tokenizer=characters/4)'
    """
    if name not in CHUNKERS:
        raise UsageError(f"unknown chunker {name!r}: expected one of: {', '.join(sorted(CHUNKERS))}")
    chunker = CHUNKERS[name]
    kind = chunker.load_options()
    known = [field.name for field in fields(kind)]
    for key, value in (options or {}).items():
        if key not in known:
            raise UsageError(
                f"unknown chunker option {key!r}: expected one of the options of {name}: {', '.join(known)}"
            )
        if isinstance(value, bool) or not isinstance(value, int):
            raise UsageError(f"invalid chunker option {key} of {name}: expected a whole number, got {value!r}")
    counted = tokenizer if isinstance(tokenizer, CachingTokenizer) else CachingTokenizer(tokenizer)
    return chunker.make(kind(**(options or {})), counted, reads)


def limit_pieces(pieces: Sequence[Piece], most: int | None) -> tuple[list[Piece], bool]:
    """The first `most` pieces (all with None), and whether some were left out."""
    if most is None or len(pieces) <= most:
        return list(pieces), False
    return list(pieces[:most]), True
