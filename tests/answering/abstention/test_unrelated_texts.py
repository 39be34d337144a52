"""Unrelated texts of a language: how near a question comes to them, and cosines that begin there."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pytest

from ragstone.answering.abstention.unrelated_texts import SENTENCES, measure_floor, raise_zero
from ragstone.core.languages import SMALL_WORDS, detect_language
from ragstone.core.ports import Vectors
from ragstone.providers import make_embedder


class Counting:
    """An embedder that gives every text the same vector, and counts how often it was asked."""

    def __init__(self, model: str, dimensions: int = 2) -> None:
        self.model, self.variant, self.dimensions, self.asked = model, "", dimensions, 0

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)

    async def embed(self, texts: Sequence[str], *, kind: Literal["document", "query"] = "document") -> Vectors:
        self.asked += 1
        return np.array([[0.6, 0.8] + [0.0] * (self.dimensions - 2)] * len(texts), dtype=np.float32)


@pytest.mark.parametrize("language", SENTENCES)
def test_sentences_are_of_no_other_language(language: str) -> None:
    words = [word.strip(".,").lower() for text in SENTENCES[language] for word in text.split()]
    assert language in SMALL_WORDS
    assert detect_language(words) in (language, None)


async def test_sentences_are_embedded_once_for_each_model_and_width() -> None:
    question = np.array([1.0, 0.0], dtype=np.float32)
    one, wide = Counting("unrelated-test"), Counting("unrelated-test", 3)
    assert [await measure_floor(one, question, "french") for _ in range(3)] == [0.6] * 3
    assert one.asked == 1
    assert await measure_floor(wide, np.array([0.0, 1.0, 0.0], dtype=np.float32), "french") == 0.8
    assert await measure_floor(one, question, "klingon") is None


def test_nothing_changes_without_a_floor_and_order_stays() -> None:
    assert [raise_zero(cosine, None) for cosine in (-0.2, 0.0, 0.5)] == [-0.2, 0.0, 0.5]
    raised = [raise_zero(cosine, 0.45) for cosine in (0.2, 0.4, 0.8, 1.0)]
    assert raised == sorted(raised)
    assert raised[-1] == 1.0
    assert raise_zero(0.5, -0.1) == 0.5


async def test_the_built_in_model_takes_any_two_french_texts_for_alike() -> None:
    embedder = make_embedder("minilm")
    asked = "Combien de jours de congé ai-je par an ?", "Où se trouve la cantine de l'entreprise ?"
    for vector in await embedder.embed(asked, kind="query"):
        floor = await measure_floor(embedder, vector, "french")
        assert floor is not None
        assert floor > 0.2
