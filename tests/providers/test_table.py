from collections.abc import Sequence
from typing import Literal

import numpy as np
import pytest

from ragstone.core.errors import ConfigError, UsageError
from ragstone.core.ports import Vectors
from ragstone.providers import (
    EMBEDDERS,
    KNOWN_DIMENSIONS,
    check_dimension,
    diagnose_embedder,
    make_embedder,
    probe_dimension,
)
from ragstone.testing.bag_of_words import BagOfWords


def test_every_name_makes_an_embedder_with_a_health() -> None:
    for name in EMBEDDERS:
        assert make_embedder(name).dimension > 0
        assert diagnose_embedder(name) == []


def test_options_reach_the_maker() -> None:
    assert make_embedder("minilm", precision="int8").variant == "int8"


def test_an_unknown_name_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(ConfigError, match="did you mean 'minilm'"):
        make_embedder("minilml")
    assert "minilm" in diagnose_embedder("bert")[0]


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(ConfigError, match="colour"):
        make_embedder("minilm", colour="red")


@pytest.mark.parametrize("model", ["nomic-embed-text", "nomic-embed-text:latest", "nomic-ai/nomic-embed-text:v1.5"])
def test_a_model_is_known_without_its_owner_and_tag(model: str) -> None:
    assert check_dimension(model, 768) == 768
    with pytest.raises(UsageError, match="768"):
        check_dimension(model, 512)


def test_what_is_declared_must_be_what_is_seen() -> None:
    assert check_dimension("unheard-of", 100, 100) == 100
    with pytest.raises(UsageError, match=r"gives vectors of 100 numbers, but 99 are declared"):
        check_dimension("unheard-of", 100, 99)


def test_an_unknown_model_has_the_dimension_that_is_seen() -> None:
    assert check_dimension("unheard-of", 17) == 17
    with pytest.raises(UsageError):
        check_dimension("unheard-of", 0)


class Mislabelled(BagOfWords):
    """Says that it is a known model and gives vectors of another dimension."""

    model = "mxbai-embed-large"


class Counting(BagOfWords):
    """Remembers what it was asked."""

    def __init__(self) -> None:
        super().__init__(32)
        self.asked: list[str] = []

    async def embed(self, texts: Sequence[str], *, kind: Literal["document", "query"] = "document") -> Vectors:
        self.asked.extend(texts)
        return await super().embed(texts, kind=kind)


async def test_a_model_is_probed_with_one_word() -> None:
    embedder = Counting()
    assert await probe_dimension(embedder) == 32
    assert len(embedder.asked) == 1
    with pytest.raises(UsageError, match="64"):
        await probe_dimension(embedder, 64)


async def test_a_known_model_with_another_dimension_is_refused() -> None:
    with pytest.raises(UsageError, match="1024"):
        await probe_dimension(Mislabelled(256))


async def test_the_built_in_model_agrees_with_the_table() -> None:
    embedder = make_embedder("minilm")
    assert await probe_dimension(embedder) == KNOWN_DIMENSIONS[embedder.model.lower()] == embedder.dimension
    assert np.isfinite(await embedder.embed(["x"])).all()
    await embedder.close()
