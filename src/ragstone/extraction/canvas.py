"""Canvases of Obsidian (JSON Canvas): the words on each card, the names of files and links, and what arrows say."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from ragstone.core.errors import Refused
from ragstone.core.types import Block, Json
from ragstone.extraction.json_values import list_dicts, strip_text
from ragstone.extraction.markdown.parse import Markdown
from ragstone.extraction.record.builder import BlockDraft, adopt_blocks, write_record
from ragstone.extraction.record.confidentiality import KEY, find_levels, mentions_level

GROUPS = 200  # more of one canvas are no sections
LONGEST = 80  # characters of a card that an arrow names it by
Node = Mapping[str, Any]
Frame = tuple[float, float, float, float]  # left, top, width, height


def read_canvas(text: str) -> tuple[str, tuple[Block, ...], Json] | None:
    """The text of record of a canvas, its blocks and the levels that its cards say; None for any other JSON."""
    if '"nodes"' not in text:
        return None
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None
    nodes = list_dicts(value.get("nodes")) if isinstance(value, dict) else []
    if not nodes or not all({"id", "type", "x", "y", "width", "height"} <= node.keys() for node in nodes):
        return None
    levels: list[Any] = []
    record, blocks = write_record(_draft_canvas(nodes, list_dicts(value.get("edges")), levels))
    return record, blocks, {KEY: levels} if levels else {}


def _draft_canvas(nodes: Sequence[Node], edges: Sequence[Node], levels: list[Any]) -> Iterator[BlockDraft]:
    """The cards from the top down, those in a group below its name; then the arrows that say something."""
    groups = [node for node in nodes if node.get("type") == "group"][:GROUPS]
    cards = sorted((node for node in nodes if node.get("type") != "group"), key=_place)
    frames = [_read_frame(group) for group in groups]
    within: dict[int, list[Node]] = {}
    for card in cards:
        within.setdefault(_find_group(card, frames), []).append(card)
    for card in within.get(-1, ()):
        yield from _draft_card(card, 0, levels)
    for at in sorted(range(len(groups)), key=lambda at: _place(groups[at])):
        label = " ".join(strip_text(groups[at].get("label")).split())
        yield BlockDraft("heading", label, level=2)
        for card in within.get(at, ()):
            yield from _draft_card(card, 2 if label else 0, levels)
    names = {str(node.get("id")): _name_node(node) for node in nodes}
    for edge in edges:
        ends = [names.get(str(edge.get(key)), "") for key in ("fromNode", "toNode")]
        if (label := " ".join(strip_text(edge.get("label")).split())) and all(ends):
            yield BlockDraft("list", f"- {ends[0]} → {ends[1]}: {label}", level=1)


def _draft_card(card: Node, below: int, levels: list[Any]) -> Iterator[BlockDraft]:
    """What a card shows: its text in Markdown, the path of its file, or its address; its level goes to `levels`."""
    if text := strip_text(card.get("text")):
        try:
            found = Markdown().extract(text.encode(errors="replace"), path="card.md")
        except Refused:  # a card of comments alone
            levels += find_levels({KEY: text}) if mentions_level(text) else ()
            return
        levels += find_levels(found.meta)
        for draft in adopt_blocks(found):
            level = min(6, draft.level + below) if draft.type == "heading" else draft.level
            yield BlockDraft(draft.type, draft.text, draft.role, level, draft.cells, draft.language, draft.caption)
    elif shown := strip_text(card.get("file")) or strip_text(card.get("url")):
        yield BlockDraft("paragraph", f"{shown}{strip_text(card.get('subpath'))}")


def _name_node(node: Node) -> str:
    """The first line of a card, the name of its file or of the group."""
    said = next(filter(None, (strip_text(node.get(key)) for key in ("text", "label", "file", "url"))), "")
    return said.partition("\n")[0].lstrip("# ")[:LONGEST]


def _find_group(card: Node, frames: Sequence[Frame]) -> int:
    """The smallest group that a card's middle lies in; -1 for none."""
    left, top, width, height = _read_frame(card)
    x, y = left + width / 2, top + height / 2
    around = [
        (wide * high, at)
        for at, (left, top, wide, high) in enumerate(frames)
        if 0 <= x - left <= wide and 0 <= y - top <= high
    ]
    return min(around)[1] if around else -1


def _read_frame(node: Node) -> Frame:
    return _number(node, "x"), _number(node, "y"), _number(node, "width"), _number(node, "height")


def _place(node: Node) -> tuple[float, float]:
    return _number(node, "y"), _number(node, "x")


def _number(node: Node, key: str) -> float:
    """A length; 0 for what is none, or too large for any canvas."""
    value = node.get(key)
    return float(value) if isinstance(value, int | float) and abs(value) < 1e9 else 0.0
