"""An embedder without a model: texts that share words are near. Made for tests, the same on every machine."""

import re
import zlib
from collections.abc import Sequence
from typing import Literal

import numpy as np

from ragstone.core.errors import UsageError
from ragstone.core.ports import Vectors

WORD_PATTERN = re.compile(r"\w+")


class Words:
    """Counts what stands between blanks."""

    name = "words"

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]


class BagOfWords:
    """Counts of a text's lower-case words, each word in the place that its CRC-32 names, to length 1.

    Reads `reads` words and stops. Words that share a place by chance make texts look alike: take a
    larger dimension where that matters.
    """

    model = "bag-of-words"
    variant = "crc32"

    def __init__(self, dimension: int = 256, *, reads: int = 256) -> None:
        self.dimension = dimension
        self.reads = reads
        self.tokenizer = Words()

    async def embed(self, texts: Sequence[str], *, kind: Literal["document", "query"] = "document") -> Vectors:
        """Questions and documents alike. Raises `UsageError` for a blank text."""
        del kind
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            if not text.strip():
                raise UsageError(f"blank text cannot be embedded (text {row} of {len(texts)})")
            for word in self._split_words(text):
                vectors[row, zlib.crc32(word.encode("utf-8", "replace")) % self.dimension] += 1
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    async def close(self) -> None:
        """Nothing to give back."""

    def _split_words(self, text: str) -> list[str]:
        read = " ".join(text.lower().split()[: self.reads])
        return WORD_PATTERN.findall(read) or [read]
