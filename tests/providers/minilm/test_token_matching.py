"""The built-in model compares single words, and gives the vectors of the texts by the way."""

from collections.abc import AsyncIterator

import numpy as np
import pytest

from ragstone.core.errors import UsageError
from ragstone.core.ports import TokenMatcher, TokenMatches
from ragstone.providers.minilm.model import READS, MiniLM

QUESTION = "How long may I bring a purchase back?"
SHOP = ("TechMart", "Returns of bought goods are accepted within 30 days.")
OIL = ("TechMart", "The oil of the engine was changed.")


def spans(*words: str) -> list[tuple[int, int]]:
    return [(QUESTION.index(word), QUESTION.index(word) + len(word)) for word in words]


@pytest.fixture(params=["fp32", "int8"])
async def model(request: pytest.FixtureRequest) -> AsyncIterator[MiniLM]:
    made = MiniLM(precision=request.param)
    yield made
    await made.close()


async def match(model: TokenMatcher, *texts: tuple[str, str]) -> TokenMatches:
    return await model.match_tokens(QUESTION, spans("long", "bring", "purchase", "back"), texts)


async def test_words_of_near_meaning_come_nearer_than_others(model: MiniLM) -> None:
    found = await match(model, SHOP, OIL)
    assert found.near.shape == found.own.shape == (2, 4)
    assert (found.near[0] > found.near[1]).all()
    assert found.near.max() <= 1.0 + 1e-6


async def test_a_word_that_a_text_repeats_is_near(model: MiniLM) -> None:
    found = await match(model, ("", "A purchase can be returned."), SHOP)
    assert found.near[0, 2] > found.near[1, 2]


async def test_the_vectors_of_the_texts_are_those_of_embedding(model: MiniLM) -> None:
    found = await match(model, SHOP, ("", "word"), OIL)
    assert np.array_equal(found.vectors, await model.embed(["\n".join(SHOP), "word", "\n".join(OIL)]))


async def test_headings_count_for_near_and_not_for_own(model: MiniLM) -> None:
    found = await match(model, ("Purchase", "It is done."))
    assert found.near[0, 2] > found.own[0, 2]
    assert (found.own <= found.near).all()


async def test_below_headings_that_fill_what_is_read_nothing_is_near(model: MiniLM) -> None:
    found = await match(model, ("purchase " * (READS + 1), "A purchase."))
    assert (found.own == 0).all()
    assert (found.near[0, 2] > 0).all()


async def test_a_word_of_the_question_that_is_not_read_is_near_to_nothing(model: MiniLM) -> None:
    question = "word " * READS + "purchase"
    found = await model.match_tokens(question, [(0, 4), (len(question) - 8, len(question))], [SHOP])
    assert found.near[0, 0] > 0
    assert found.near[0, 1] == 0


async def test_a_text_does_not_depend_on_its_neighbours(model: MiniLM) -> None:
    alone, [first, *_] = await match(model, SHOP), (await match(model, SHOP, OIL, OIL)).near
    assert np.array_equal(alone.near[0], first)


async def test_no_texts_and_no_words_give_empty_matches(model: MiniLM) -> None:
    assert (await match(model)).near.shape[0] == 0
    assert (await model.match_tokens(QUESTION, [], [SHOP])).near.shape == (1, 0)


async def test_a_blank_text_is_refused(model: MiniLM) -> None:
    with pytest.raises(UsageError, match="text 1 of 2"):
        await match(model, SHOP, ("heading", " "))
