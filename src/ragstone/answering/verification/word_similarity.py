"""How near in meaning two words are, by the vectors that the built-in model gives to single words.

The vectors are shipped, so that the check needs no model: the stems of the commonest English words, 64 principal
components of the model's vectors as bytes (`benchmarks/answers/word_vectors.py` writes them).
"""

from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ragstone.core.comparable_words import Word

SIZE = 64


@cache
def _load_vectors() -> tuple[dict[str, int], npt.NDArray[np.float32]]:
    here = Path(__file__)
    keys = here.with_name("word_vectors.txt").read_text("utf-8").split()
    raw: npt.NDArray[Any] = np.frombuffer(here.with_name("word_vectors.i8").read_bytes(), dtype=np.int8)
    vectors = raw.reshape(len(keys), SIZE).astype(np.float32)
    return {key: n for n, key in enumerate(keys)}, vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def compare_words(one: Word, other: Word) -> float:
    """The cosine of two words' vectors, 0 where one of them is unknown, 1 for the same stem.

    >>> from ragstone.core.comparable_words import parse_words
    >>> vehicle, car, hospital = parse_words("vehicle car hospital")
    >>> compare_words(vehicle, car) > 0.6 > 0.3 > compare_words(vehicle, hospital)
    True
    """
    return 1.0 if one.key == other.key else _compare_keys(*sorted((one.key, other.key)))


@lru_cache(maxsize=100_000)
def _compare_keys(one: str, other: str) -> float:
    places, vectors = _load_vectors()
    if one not in places or other not in places:
        return 0.0
    return float(vectors[places[one]] @ vectors[places[other]])


def is_known(word: Word) -> bool:
    """Whether there is a vector of a word."""
    return word.key in _load_vectors()[0]
