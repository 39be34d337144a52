"""Canvases of Obsidian: words on cards, names of files, groups as sections, arrows that say something."""

import json
from typing import Any

import pytest

from ragstone.extraction import extract
from ragstone.extraction.canvas import read_canvas


def node(name: str, kind: str, x: float = 0, y: Any = 0, size: float = 100, **more: str) -> dict[str, Any]:
    return {"id": name, "type": kind, "x": x, "y": y, "width": size, "height": size, **more}


BOARD = {
    "nodes": [
        node("b", "text", y=200, text="# Sowing\n\nThe wheat is sown in **October**."),
        node("g", "group", x=500, size=400, label="Later"),
        node("c", "file", x=550, y=50, file="notes/harvest.md", subpath="#Dates"),
        node("d", "link", x=550, y=200, url="https://example.org/plough"),
        node("a", "text", text="Before all: the plough"),
        node("e", "text", x=10**400, y="high", text=""),
    ],
    "edges": [
        {"id": "1", "fromNode": "a", "toNode": "b", "label": "is followed by"},
        {"id": "2", "fromNode": "b", "toNode": "c"},
    ],
}


def test_cards_are_read_from_the_top_down_and_groups_are_sections() -> None:
    found = extract(json.dumps(BOARD).encode(), path="garden.canvas")
    assert found.record.split("\n\n") == [
        "Before all: the plough",
        "# Sowing",
        "The wheat is sown in October.",
        "## Later",
        "notes/harvest.md#Dates",
        "https://example.org/plough",
        "- Before all: the plough → Sowing: is followed by",
    ]
    assert [block.level for block in found.blocks if block.type == "heading"] == [1, 2]


@pytest.mark.parametrize("more", ["\n\nText", "\n\n%% only a comment %%"])
def test_a_card_that_is_restricted_closes_its_canvas(more: str) -> None:
    card = node("a", "text", text=f"---\nconfidentiality: Restricted\n---{more}")
    found = extract(json.dumps({"nodes": [node("b", "text", text="Open"), card]}).encode(), path="a.canvas")
    assert found.meta["confidentiality"] == "restricted"


@pytest.mark.parametrize("value", [[], {"nodes": []}, {"nodes": [{"id": "a"}]}, {"nodes": "a"}, [{"nodes": 1}]])
def test_other_json_is_no_canvas(value: object) -> None:
    assert read_canvas(json.dumps(value)) is None
    assert read_canvas('{"nodes": [') is None
