"""A tokenizer whose tokens are words."""

from collections.abc import Sequence


class Words:
    """See `ragstone.core.ports.Tokenizer`."""

    name = "words"

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]
