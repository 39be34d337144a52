import numpy as np
import pytest

from ragstone.core.ports import Embedder
from ragstone.testing.bag_of_words import BagOfWords
from ragstone.testing.embedders import EmbedderContract


class TestBagOfWords(EmbedderContract):
    @pytest.fixture
    async def embedder(self) -> Embedder:
        return BagOfWords()


async def test_the_places_of_words_are_the_same_on_every_machine() -> None:
    # crc32("hello") = 0x3610a686 and crc32("world") = 0x3a771143, modulo 16.
    [vector] = await BagOfWords(16).embed(["Hello, world"])
    assert np.flatnonzero(vector).tolist() == [3, 6]


async def test_the_cosine_counts_shared_words() -> None:
    one, other = await BagOfWords(4096).embed(["alpha beta", "beta gamma"])
    assert one @ other == pytest.approx(0.5)


async def test_words_beyond_what_it_reads_change_nothing() -> None:
    one, other = await BagOfWords(reads=2).embed(["alpha beta", "alpha beta gamma"])
    assert np.array_equal(one, other)
