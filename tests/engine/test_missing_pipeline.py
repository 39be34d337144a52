"""A pipeline over a collection that was never ingested says which one, by every verb."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ragstone
from ragstone import NotBuilt
from ragstone.config.settings import PipelineSettings, Settings
from ragstone.testing.bag_of_words import BagOfWords


@pytest.mark.parametrize(
    "ask",
    [
        lambda p: p.search("x"),
        lambda p: p.ask("x"),
        lambda p: p.context("x"),
        lambda p: list(p.events("x")),
        lambda p: p.explain("x", path="a.md"),
    ],
)
def test_each_verb_names_the_collection(ask: Callable[[Any], Any], tmp_path: Path) -> None:
    pipelines = (PipelineSettings("zoo", collections=("animals",)),)
    settings = Settings(store=f"embedded:{tmp_path / 'store'}", pipelines=pipelines)
    with ragstone.open(settings=settings, embedder=BagOfWords()) as kb, pytest.raises(NotBuilt, match="'animals'"):
        ask(kb.pipeline("zoo"))
