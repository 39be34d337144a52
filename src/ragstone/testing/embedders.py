"""The contract of every embedder, as tests: inherit `EmbedderContract` and give the fixture `embedder`."""

import asyncio

import numpy as np
import pytest

from ragstone.core.errors import UsageError
from ragstone.core.ports import Embedder

SIMILAR_TEXTS = ("The cat sleeps on the warm stove.", "A cat is sleeping on the stove.")
UNRELATED_TEXT = "Quarterly revenue of the shipping company fell by nine percent."
TEXTS = (*SIMILAR_TEXTS, UNRELATED_TEXT, "Straße, naïve, 日本語, \U0001f600", "x", "one two three " * 40)


class EmbedderContract:
    """Subclass it as `class TestMine(EmbedderContract)` with an async fixture that gives the embedder.

    `tolerance` is 0 where vectors must come out the same to the bit; set it for a vendor whose
    service does not promise that.
    """

    tolerance = 0.0

    def are_equal(self, one: object, other: object) -> bool:
        return bool(np.allclose(np.asarray(one), np.asarray(other), rtol=0, atol=self.tolerance))

    async def test_it_names_itself(self, embedder: Embedder) -> None:
        assert embedder.model
        assert embedder.variant
        assert embedder.tokenizer.name
        assert embedder.dimension > 0
        assert embedder.reads > 0

    async def test_every_text_gives_a_unit_vector_of_the_declared_dimension(self, embedder: Embedder) -> None:
        vectors = await embedder.embed(TEXTS)
        assert vectors.shape == (len(TEXTS), embedder.dimension)
        assert vectors.dtype == np.float32
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)

    async def test_no_texts_give_no_vectors(self, embedder: Embedder) -> None:
        assert (await embedder.embed([])).shape == (0, embedder.dimension)

    async def test_vectors_come_in_the_order_of_the_texts(self, embedder: Embedder) -> None:
        forward, backward = await embedder.embed(TEXTS), await embedder.embed(TEXTS[::-1])
        assert self.are_equal(forward, backward[::-1])

    async def test_a_vector_does_not_depend_on_its_neighbours(self, embedder: Embedder) -> None:
        together = await embedder.embed(TEXTS)
        alone = [(await embedder.embed([text]))[0] for text in TEXTS]
        assert self.are_equal(together, alone)

    async def test_calls_at_the_same_time_do_not_mix(self, embedder: Embedder) -> None:
        alone = await embedder.embed(TEXTS)
        for vectors in await asyncio.gather(*(embedder.embed(TEXTS) for _ in range(4))):
            assert self.are_equal(vectors, alone)

    async def test_different_texts_give_different_vectors(self, embedder: Embedder) -> None:
        one, other, far = await embedder.embed([*SIMILAR_TEXTS, UNRELATED_TEXT])
        assert not np.array_equal(one, other)
        assert not np.array_equal(one, far)

    async def test_what_means_the_same_is_nearer_than_what_does_not(self, embedder: Embedder) -> None:
        one, other, far = await embedder.embed([*SIMILAR_TEXTS, UNRELATED_TEXT])
        assert one @ other > one @ far

    async def test_a_question_is_a_unit_vector_too(self, embedder: Embedder) -> None:
        [vector] = await embedder.embed([SIMILAR_TEXTS[0]], kind="query")
        assert vector.shape == (embedder.dimension,)
        assert abs(float(np.linalg.norm(vector)) - 1) < 1e-3

    @pytest.mark.parametrize("blank", ["", " ", "\n\t "])
    async def test_a_blank_text_is_refused(self, embedder: Embedder, blank: str) -> None:
        with pytest.raises(UsageError, match="blank"):
            await embedder.embed(["not blank", blank])

    async def test_a_text_longer_than_it_reads_is_taken(self, embedder: Embedder) -> None:
        [vector] = await embedder.embed(["word " * (embedder.reads * 2)])
        assert np.isfinite(vector).all()

    async def test_its_tokenizer_counts_each_text_by_itself(self, embedder: Embedder) -> None:
        counts = embedder.tokenizer.count(TEXTS)
        assert counts == [embedder.tokenizer.count([text])[0] for text in TEXTS]
        assert embedder.tokenizer.count([]) == []
        assert embedder.tokenizer.count([""]) == [0]

    async def test_more_words_are_more_tokens(self, embedder: Embedder) -> None:
        short, long = embedder.tokenizer.count(["one two", "one two three four"])
        assert 0 < short < long

    async def test_closing_twice_does_no_harm(self, embedder: Embedder) -> None:
        await embedder.close()
        await embedder.close()
