"""Every way to cut keeps the contract."""

import pytest

from ragstone.chunking import Characters, make
from ragstone.core.ports import Chunker
from ragstone.core.types import Piece
from ragstone.testing.chunkers import ChunkerContract


class TestStructure(ChunkerContract):
    def over(self, piece: Piece) -> bool:
        return piece.tokens > 206

    @pytest.fixture
    def chunker(self) -> Chunker:
        return make("structure", tokenizer=Characters(), reads=254)


class TestStructureWithOverlap(ChunkerContract):
    def over(self, piece: Piece) -> bool:
        return piece.tokens > 60

    @pytest.fixture
    def chunker(self) -> Chunker:
        options = {"tokens": 50, "cap": 60, "overlap": 15}
        return make("structure", tokenizer=Characters(), options=options)


class TestMarkdown(ChunkerContract):
    def over(self, piece: Piece) -> bool:
        return len(piece.text) > 500

    @pytest.fixture
    def chunker(self) -> Chunker:
        return make("markdown", tokenizer=Characters())


class TestRecursive(ChunkerContract):
    def over(self, piece: Piece) -> bool:
        return len(piece.text) > 512

    @pytest.fixture
    def chunker(self) -> Chunker:
        return make("recursive", tokenizer=Characters())


class TestBounded(ChunkerContract):
    def over(self, piece: Piece) -> bool:
        return len(piece.text.encode()) > 8192

    @pytest.fixture
    def chunker(self) -> Chunker:
        return make("bounded", tokenizer=Characters())


class TestSentenceWindow(ChunkerContract):
    def over(self, piece: Piece) -> bool:
        return piece.tokens > 206

    @pytest.fixture
    def chunker(self) -> Chunker:
        return make("sentence-window", tokenizer=Characters(), reads=254)
