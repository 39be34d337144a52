"""Contracts and doubles for tests of parts that others write."""

from ragstone.testing.bag_of_words import BagOfWords as BagOfWords
