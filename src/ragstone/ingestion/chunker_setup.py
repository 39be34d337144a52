"""The chunker of a run with its tokenizer and recipe; its pieces know the secrets that touch them."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

from ragstone import chunking, guard
from ragstone.core.ports import Chunker, Tokenizer
from ragstone.core.types import Extraction, Piece
from ragstone.core.work_limit import check_work

EDITION = re.compile(r"([^/(]+/)(\d+)")


@dataclass(frozen=True, slots=True)
class SecretAwareChunker:
    """A chunker whose pieces know which secrets touch them: these are looked for once, in the whole text, because
    a piece alone need not show that it holds a part of one."""

    chunker: Chunker

    @property
    def recipe(self) -> str:
        return self.chunker.recipe

    def cut(self, extraction: Extraction) -> list[Piece]:
        """The pieces; secrets that headings or table headers repeat are gone from these."""
        pieces = self.chunker.cut(extraction)
        check_work()
        found = guard.locate_secrets(extraction.record)
        if not found:
            return pieces
        known = guard.KnownSecrets(extraction.record, found)
        return [
            replace(
                piece,
                secrets=guard.select_secrets(found, piece.spans),
                heading_path=tuple(known.mask_known(heading) for heading in piece.heading_path),
                header=known.mask_known(piece.header),
            )
            for piece in pieces
        ]


class ChunkerSetup:
    """A chunker and the tokenizer that it counts with. Unpickling builds it again from its arguments."""

    def __init__(
        self, name: str, tokenizer: Tokenizer, reads: int | None = None, options: Mapping[str, object] | None = None
    ) -> None:
        """As `chunk.make`, which raises `UsageError` for what it does not know."""
        self._made_of = (name, tokenizer, reads, options)
        self.tokenizer: Tokenizer = chunking.CachingTokenizer(tokenizer)
        self.chunker: Chunker = SecretAwareChunker(
            chunking.make_chunker(name, tokenizer=self.tokenizer, reads=reads, options=options)
        )

    def with_tokenizer(self, tokenizer: Tokenizer, reads: int) -> "ChunkerSetup":
        """A copy of this chunker for a model that counts with `tokenizer` and reads `reads` tokens."""
        name, _, _, options = self._made_of
        return ChunkerSetup(name, tokenizer, reads, options)

    def list_former_recipes(self) -> frozenset[str]:
        """The short recipes of earlier editions of the chunker with the same settings."""
        recipe = self.chunker.recipe
        edition = EDITION.match(recipe)
        earlier = range(1, int(edition[2])) if edition else ()
        return frozenset(shorten_recipe(EDITION.sub(rf"\g<1>{n}", recipe, count=1)) for n in earlier)

    def __reduce__(self) -> tuple[type[Self], tuple[object, ...]]:
        return type(self), self._made_of


def shorten_recipe(recipe: str) -> str:
    """The form of a chunker's recipe in which documents record it."""
    return f"{recipe.partition('/')[0]}-{hashlib.sha256(recipe.encode()).hexdigest()[:8]}"
