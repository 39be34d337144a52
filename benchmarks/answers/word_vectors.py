"""Writes the vectors of single words with which the check of sentences compares them.

    python benchmarks/answers/word_vectors.py

The words are those of the built-in model's vocabulary, without light ones; words of one stem share the mean of their
vectors. 64 principal components are kept, as bytes; 12,000 stems, the most frequent first.
"""

import asyncio
import json
from pathlib import Path

import numpy as np

from ragstone.answering.verification import word_similarity
from ragstone.core.comparable_words import LIGHT, key_of
from ragstone.providers import make_embedder, minilm

MOST = 12_000
SHORTEST, LONGEST = 3, 16  # letters of a stem
BATCH = 256


def main() -> None:
    """Write both files beside the module that reads them."""
    tokenizer = Path(minilm.__file__).with_name("tokenizer.json")
    vocabulary = json.loads(tokenizer.read_text("utf-8"))["model"]["vocab"]
    ordered = sorted(vocabulary, key=lambda word: int(vocabulary[word]))
    words = [word for word in ordered if word.isalpha() and word.isascii() and len(word) >= SHORTEST]
    vectors = asyncio.run(_embed(words))
    vectors = vectors - vectors.mean(axis=0)
    stems: dict[str, list[int]] = {}
    for n, word in enumerate(words):
        if word not in LIGHT:
            stems.setdefault(key_of(word), []).append(n)
    means = np.array([vectors[places].mean(axis=0) for places in stems.values()])
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    *_, components = np.linalg.svd(means - means.mean(axis=0), full_matrices=False)
    kept = means @ components[: word_similarity.SIZE].T
    chosen = [n for n, stem in enumerate(stems) if SHORTEST <= len(stem) <= LONGEST][:MOST]
    scaled = np.round(kept[chosen] * 127 / np.abs(kept[chosen]).max(axis=1, keepdims=True)).astype(np.int8)
    here = Path(word_similarity.__file__)
    here.with_name("word_vectors.i8").write_bytes(scaled.tobytes())
    names = list(stems)
    here.with_name("word_vectors.txt").write_text("\n".join(names[n] for n in chosen) + "\n", "utf-8")


async def _embed(words: list[str]) -> np.ndarray:
    embedder = make_embedder("minilm")
    found = [await embedder.embed(words[start : start + BATCH]) for start in range(0, len(words), BATCH)]
    await embedder.close()
    return np.concatenate([np.array(batch) for batch in found])


if __name__ == "__main__":
    main()
