"""The contract of every reranker, as tests: inherit `RerankerContract` and give the fixture `reranker`."""

import asyncio
import math

import pytest

from ragstone.core.ports import Reranker

QUESTION = "How long are samples kept by default?"
ANSWER = "By default samples are kept for fifteen days."
UNRELATED = "The shipping company sold two vessels last spring."
TEXTS = (UNRELATED, ANSWER, "Straße, naïve, 日本語, \U0001f600", "x", "")


class RerankerContract:
    """Subclass it as `class TestMine(RerankerContract)` with an async fixture that gives the reranker.

    `tolerance` is 0 where scores must come out the same to the last digit; set it for a vendor whose service does not
    promise that.
    """

    tolerance = 0.0

    def are_equal(self, one: list[float], other: list[float]) -> bool:
        return one == pytest.approx(other, rel=0, abs=self.tolerance)

    async def test_it_names_itself(self, reranker: Reranker) -> None:
        assert reranker.model

    async def test_every_text_gets_a_score_from_0_to_1(self, reranker: Reranker) -> None:
        scores = await reranker.score(QUESTION, TEXTS)
        assert len(scores) == len(TEXTS)
        assert all(math.isfinite(score) and 0 <= score <= 1 for score in scores)

    async def test_no_texts_get_no_scores(self, reranker: Reranker) -> None:
        assert await reranker.score(QUESTION, []) == []

    async def test_an_answer_scores_higher_than_an_unrelated_text(self, reranker: Reranker) -> None:
        unrelated, answer = await reranker.score(QUESTION, [UNRELATED, ANSWER])
        assert answer > unrelated

    async def test_scores_come_in_the_order_of_the_texts(self, reranker: Reranker) -> None:
        forward, backward = await reranker.score(QUESTION, TEXTS), await reranker.score(QUESTION, TEXTS[::-1])
        assert self.are_equal(forward, backward[::-1])

    async def test_more_texts_than_a_request_may_hold_come_in_order_too(self, reranker: Reranker) -> None:
        texts = [ANSWER if place % 7 == 3 else UNRELATED for place in range(70)]
        scores = await reranker.score(QUESTION, texts)
        best = max(scores)
        assert [score > best / 2 for score in scores] == [text == ANSWER for text in texts]

    async def test_calls_at_the_same_time_do_not_mix(self, reranker: Reranker) -> None:
        alone = await reranker.score(QUESTION, TEXTS)
        for scores in await asyncio.gather(*(reranker.score(QUESTION, TEXTS) for _ in range(4))):
            assert self.are_equal(scores, alone)

    async def test_a_text_longer_than_it_reads_is_taken(self, reranker: Reranker) -> None:
        [score] = await reranker.score(QUESTION, ["word " * 20_000])
        assert 0 <= score <= 1

    async def test_nothing_is_wrong_with_it(self, reranker: Reranker) -> None:
        assert await reranker.check() == []

    async def test_closing_twice_does_no_harm(self, reranker: Reranker) -> None:
        await reranker.close()
        await reranker.close()
