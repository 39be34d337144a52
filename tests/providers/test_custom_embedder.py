"""An embedder of the caller's own that lacks what every embedder has."""

from typing import Any

import pytest

from ragstone.core.errors import UsageError
from ragstone.providers.custom_embedder import CustomEmbedder
from ragstone.testing.bag_of_words import BagOfWords


class Bare:
    """An embedder of two methods."""

    tokenizer = None

    async def embed(self, texts: Any, *, kind: str = "document") -> Any: ...

    async def close(self) -> None: ...


@pytest.mark.parametrize("name", ["model", "variant", "dimension", "reads", "tokenizer"])
def test_what_an_embedder_lacks_is_named(name: str) -> None:
    own: Any = Bare()
    with pytest.raises(UsageError, match=f"^the embedder Bare lacks `{name}`, .*: expected model, variant, "):
        getattr(CustomEmbedder(own), name)
    assert not hasattr(CustomEmbedder(own), "match_tokens")  # only some have it
    assert getattr(CustomEmbedder(BagOfWords()), name) is not None
