"""A tokenizer that brings its module with it: where it is imported, web pages are held by `hostile.held`."""

import sys

from ragstone import extraction
from ragstone.extraction import SandboxedFormat
from ragstone.extraction.media_types import HTML
from ragstone.testing.bag_of_words import BagOfWords, Words

if "pytest" not in sys.modules:  # it is imported there too, to look for examples in it
    extraction.SANDBOXED_FORMATS = {
        **extraction.SANDBOXED_FORMATS,
        HTML: SandboxedFormat("html/2", "tests.extraction.sandbox.hostile:held"),
    }


class Held(Words):
    """Counts as its parent does."""


class HeldEmbedder(BagOfWords):
    """Its tokenizer is told to worker processes, which import this module for it."""

    def __init__(self) -> None:
        super().__init__()
        self.tokenizer: Words = Held()
