"""Facts about embedding models by name: dimension, longest text in tokens, tokenizer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragstone.core.ports import Tokenizer
from ragstone.providers.minilm.wordpiece import WordPiece

BYTES_A_TOKEN = 4


@dataclass(frozen=True, slots=True)
class ModelCard:
    """A model of the cards: `bert`: it counts with the vocabulary of BERT's uncased models, which is at hand."""

    dimension: int
    reads: int
    bert: bool = False


# From the models' cards and their vendors' pages. Tokens without the two special ones that BERT's models add; of
# nomic-embed-text those that Ollama lets it read.
MODEL_CARDS: Mapping[str, ModelCard] = {
    "all-minilm": ModelCard(384, 254, bert=True),
    "all-minilm-l6-v2": ModelCard(384, 254, bert=True),
    "bge-small-en-v1.5": ModelCard(384, 510, bert=True),
    "bge-base-en-v1.5": ModelCard(768, 510, bert=True),
    "bge-large-en-v1.5": ModelCard(1024, 510, bert=True),
    "mxbai-embed-large": ModelCard(1024, 510, bert=True),
    "mxbai-embed-large-v1": ModelCard(1024, 510, bert=True),
    "nomic-embed-text": ModelCard(768, 2046, bert=True),
    "nomic-embed-text-v1.5": ModelCard(768, 2046, bert=True),
    "text-embedding-3-small": ModelCard(1536, 8191),
    "text-embedding-3-large": ModelCard(3072, 8191),
    "text-embedding-ada-002": ModelCard(1536, 8191),
    "gemini-embedding-001": ModelCard(3072, 2048),
    "voyage-3.5": ModelCard(1024, 32_000),
    "voyage-3.5-lite": ModelCard(1024, 32_000),
    "voyage-3-large": ModelCard(1024, 32_000),
    "voyage-code-3": ModelCard(1024, 32_000),
}


def find_card(model: str) -> ModelCard | None:
    """Find the facts about a model by its name, without owner and tag (`owner/nomic-embed-text:v1.5`)."""
    return MODEL_CARDS.get(model.lower().rsplit("/", 1)[-1].split(":", 1)[0])


class ByteEstimate:
    """Four bytes a token, for models whose own tokenizer is not at hand: in English text a token has four letters."""

    name = "estimate-4-bytes"

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, rounded up."""
        return [-(-len(text.encode("utf-8", "replace")) // BYTES_A_TOKEN) for text in texts]


def list_tokenizers() -> list[tuple[Tokenizer, int]]:
    """How the models of the cards count, and how many tokens they read, each pair once."""
    return [
        (WordPiece() if bert else ByteEstimate(), reads)
        for reads, bert in sorted({(c.reads, c.bert) for c in MODEL_CARDS.values()})
    ]


def tokenizer_of(model: str) -> Tokenizer:
    """The tokenizer that counts for a model, exact where its vocabulary is at hand."""
    found = find_card(model)
    return WordPiece() if found is not None and found.bert else ByteEstimate()
