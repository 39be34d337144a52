"""Every way to cut keeps the contract."""

import pytest

from ragstone.chunking import Characters, make_chunker
from ragstone.core.ports import Chunker
from ragstone.core.types import Piece
from ragstone.testing.chunkers import ChunkerContract


class TestStructure(ChunkerContract):
    def is_over_cap(self, piece: Piece) -> bool:
        return piece.tokens > 206

    @pytest.fixture
    def chunker(self) -> Chunker:
        return make_chunker("structure", tokenizer=Characters(), reads=254)


class TestStructureWithOverlap(ChunkerContract):
    def is_over_cap(self, piece: Piece) -> bool:
        return piece.tokens > 60

    @pytest.fixture
    def chunker(self) -> Chunker:
        options = {"tokens": 50, "cap": 60, "overlap": 15}
        return make_chunker("structure", tokenizer=Characters(), options=options)


class TestMarkdown(ChunkerContract):
    def is_over_cap(self, piece: Piece) -> bool:
        return len(piece.text) > 500

    @pytest.fixture
    def chunker(self) -> Chunker:
        return make_chunker("markdown", tokenizer=Characters())


class TestRecursive(ChunkerContract):
    def is_over_cap(self, piece: Piece) -> bool:
        return len(piece.text) > 512

    @pytest.fixture
    def chunker(self) -> Chunker:
        return make_chunker("recursive", tokenizer=Characters())


class TestBounded(ChunkerContract):
    def is_over_cap(self, piece: Piece) -> bool:
        return len(piece.text.encode()) > 8192

    @pytest.fixture
    def chunker(self) -> Chunker:
        return make_chunker("bounded", tokenizer=Characters())


class TestSentenceWindow(ChunkerContract):
    def is_over_cap(self, piece: Piece) -> bool:
        return piece.tokens > 206

    @pytest.fixture
    def chunker(self) -> Chunker:
        return make_chunker("sentence-window", tokenizer=Characters(), reads=254)
