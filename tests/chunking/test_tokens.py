"""Counting tokens, and remembering the counts."""

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
import tokenizers

import ragstone
from ragstone.chunking import CachingTokenizer, Characters, make_chunker
from ragstone.chunking.structure import StructureChunker, StructureOptions
from ragstone.chunking.tokens import SHORT, batch_texts, is_additive
from ragstone.testing.chunkers import SAMPLE, outline_document

MINILM = Path(ragstone.__file__).parent / "providers" / "minilm" / "tokenizer.json"


class WordPiece:
    name = "minilm"

    def __init__(self) -> None:
        self.tokenizer = tokenizers.Tokenizer.from_file(str(MINILM))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.seen: list[str] = []

    def count(self, texts: Sequence[str]) -> list[int]:
        self.seen += texts
        return [len(encoded.ids) for encoded in self.tokenizer.encode_batch(list(texts), add_special_tokens=False)]


@pytest.fixture(scope="module")
def wordpiece() -> WordPiece:
    return WordPiece()


def test_word_pieces_add_up_across_white_space(wordpiece: WordPiece) -> None:
    rng = random.Random(7)
    words = [*SAMPLE.split(), "naïve", "水火", "http_requests_total{code=~'5..'}", "🙂", "x" * 120, "한국어", "e\u0301"]
    for _ in range(50):
        parts = rng.choices(words, k=30)
        gaps = rng.choices([" ", "\n", "\n\n", "\t", "\r\n"], k=30)
        text = "".join(part + gap for part, gap in zip(parts, gaps, strict=True))
        assert wordpiece.count([text])[0] == sum(wordpiece.count(parts))
    assert is_additive(wordpiece)


def test_the_sum_of_the_parts_is_the_count_of_the_piece(wordpiece: WordPiece) -> None:
    text = SAMPLE * 4 + "水。火。" * 300 + "\n\n" + "abcdefgh" * 300 + "\n\n" + "One more. " * 300
    pieces = StructureChunker(StructureOptions(), wordpiece, reads=254).cut(outline_document(text))
    assert [piece.tokens for piece in pieces] == wordpiece.count([piece.text for piece in pieces])
    assert max(piece.tokens for piece in pieces) <= 206


def test_the_estimate_does_not_add_up_and_is_counted_on_the_whole() -> None:
    assert not is_additive(Characters())
    pieces = make_chunker("structure", tokenizer=Characters()).cut(outline_document(SAMPLE))
    assert [piece.tokens for piece in pieces] == [(len(piece.text) + 3) // 4 for piece in pieces]


def test_a_text_is_counted_once() -> None:
    wordpiece = WordPiece()
    counted = CachingTokenizer(wordpiece)
    long, longer = "a " * SHORT, "b " * 2 * SHORT
    assert counted.count([long, longer, long, "c"]) == [SHORT, 2 * SHORT, SHORT, 1]
    assert counted.count([longer, long, "c"]) == [2 * SHORT, SHORT, 1]
    assert sorted(wordpiece.seen) == [long, longer, "c", "c"]  # a short text is counted again
    assert counted.name == "minilm"


def test_memory_is_bounded() -> None:
    wordpiece = WordPiece()
    counted = CachingTokenizer(wordpiece, most=10 * SHORT)
    for i in range(100):
        text = f"text {i:04} " * (SHORT // 10)
        assert counted.count([text, str(i)]) == wordpiece.count([text, str(i)])
    kept = [*counted._young, *counted._old]
    assert SHORT <= min(map(len, kept)) <= sum(map(len, kept)) <= 10 * SHORT
    assert counted.count(["y " * 200]) == [200]


def test_batches_keep_the_order_and_the_limit() -> None:
    texts = ["aaa", "bb", "", "cccccc", "d"]
    found = list(batch_texts(texts, characters=5))
    assert [text for batch in found for text in batch] == texts
    assert found == [["aaa", "bb", ""], ["cccccc"], ["d"]]
