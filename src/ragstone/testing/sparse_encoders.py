"""The contract of every model of sparse vectors, as tests: inherit `SparseEncoderContract` and give the fixture
`encoder`."""

import asyncio
import math
from collections.abc import Sequence

import pytest

from ragstone.core.ports import SparseEncoder, SparseVector

QUESTION = "How long are samples kept by default?"
ANSWER = "By default samples are kept for fifteen days."
UNRELATED = "The shipping company sold two vessels last spring."
TEXTS = (UNRELATED, ANSWER, "Straße, naïve, 日本語, \U0001f600", "x", "")


class SparseEncoderContract:
    """Subclass it as `class TestMine(SparseEncoderContract)` with an async fixture that gives the encoder.

    `tolerance` is 0 where weights must come out the same to the last digit; set it for a service that does not promise
    that.
    """

    tolerance = 0.0

    def assert_equal(self, one: Sequence[SparseVector], other: Sequence[SparseVector]) -> None:
        assert [vector.terms for vector in one] == [vector.terms for vector in other]
        for left, right in zip(one, other, strict=True):
            assert left.weights == pytest.approx(right.weights, rel=0, abs=self.tolerance)

    async def test_it_names_itself(self, encoder: SparseEncoder) -> None:
        assert encoder.model

    async def test_every_text_gets_ascending_terms_with_weights_above_0(self, encoder: SparseEncoder) -> None:
        vectors = await encoder.encode(TEXTS)
        assert len(vectors) == len(TEXTS)
        for vector in vectors:
            assert list(vector.terms) == sorted(set(vector.terms))
            assert len(vector.weights) == len(vector.terms)
            assert all(math.isfinite(weight) and weight > 0 for weight in vector.weights)

    async def test_no_texts_get_no_vectors(self, encoder: SparseEncoder) -> None:
        assert await encoder.encode([]) == []

    async def test_an_answer_fits_better_than_an_unrelated_text(self, encoder: SparseEncoder) -> None:
        [asked] = await encoder.encode([QUESTION], kind="query")
        weights = dict(zip(asked.terms, asked.weights, strict=True))
        unrelated, answer = [
            sum(weights.get(term, 0.0) * weight for term, weight in zip(one.terms, one.weights, strict=True))
            for one in await encoder.encode([UNRELATED, ANSWER])
        ]
        assert answer > unrelated

    async def test_more_texts_than_a_request_may_hold_come_in_order(self, encoder: SparseEncoder) -> None:
        texts = [ANSWER if place % 7 == 3 else UNRELATED for place in range(70)]
        vectors = await encoder.encode(texts)
        unrelated, answer = await encoder.encode([UNRELATED, ANSWER])
        self.assert_equal(vectors, [answer if text == ANSWER else unrelated for text in texts])

    async def test_calls_at_the_same_time_do_not_mix(self, encoder: SparseEncoder) -> None:
        alone = await encoder.encode(TEXTS)
        for vectors in await asyncio.gather(*(encoder.encode(TEXTS) for _ in range(4))):
            self.assert_equal(vectors, alone)

    async def test_a_text_longer_than_it_reads_is_taken(self, encoder: SparseEncoder) -> None:
        assert len(await encoder.encode(["word " * 20_000])) == 1

    async def test_nothing_is_wrong_with_it(self, encoder: SparseEncoder) -> None:
        assert await encoder.check() == []

    async def test_closing_twice_does_no_harm(self, encoder: SparseEncoder) -> None:
        await encoder.close()
        await encoder.close()
