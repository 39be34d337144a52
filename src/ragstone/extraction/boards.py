"""Boards of Trello: each card is a section with its list, its text, its checklists and what people said of it."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from ragstone.core.types import Block
from ragstone.extraction.chats.conversation import read_moment, show_moment
from ragstone.extraction.json_values import list_dicts, strip_text
from ragstone.extraction.record.builder import BlockDraft, write_record

LONGEST_TITLE = 200


def read_board(text: str) -> tuple[str, str, tuple[Block, ...]] | None:
    """The name of a board, the text of record and its blocks; None for any other JSON."""
    if '"idList"' not in text:
        return None
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None
    if not isinstance(value, dict) or not isinstance(value.get("lists"), list):
        return None
    cards = [card for card in list_dicts(value.get("cards")) if "idList" in card and strip_text(card.get("name"))]
    if not cards:
        return None
    record, blocks = write_record(_draft_board(value, cards))
    return strip_text(value.get("name")), record, blocks


def _draft_board(board: Mapping[str, Any], cards: Sequence[Mapping[str, Any]]) -> Iterator[BlockDraft]:
    lists = _names(board.get("lists"), "name")
    people = _names(board.get("members"), "fullName")
    checklists: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for one in list_dicts(board.get("checklists")):
        checklists[str(one.get("idCard"))].append(one)
    said: dict[str, list[str]] = defaultdict(list)
    for action in reversed(list_dicts(board.get("actions"))):  # the newest is first
        data = action.get("data")
        card = data.get("card") if isinstance(data, dict) else None
        if action.get("type") == "commentCard" and isinstance(data, dict) and isinstance(card, dict):
            said[str(card.get("id"))].append(_show_comment(action, strip_text(data.get("text"))))
    yield BlockDraft("heading", strip_text(board.get("name")), level=1)
    yield from _draft_paragraphs(strip_text(board.get("desc")))
    for card in cards:
        own = str(card.get("id"))
        yield BlockDraft("heading", " ".join(strip_text(card["name"]).split())[:LONGEST_TITLE], level=2)
        yield BlockDraft("paragraph", "\n".join(_list_facts(card, lists, people)))
        yield from _draft_paragraphs(strip_text(card.get("desc")))
        for checklist in checklists.pop(own, ()):  # once, however many cards have this id
            yield BlockDraft("paragraph", f"{strip_text(checklist.get('name'))}:")
            for item in list_dicts(checklist.get("checkItems")):
                mark = "x" if item.get("state") == "complete" else " "
                yield BlockDraft("list", f"- [{mark}] {' '.join(strip_text(item.get('name')).split())}", level=1)
        for comment in said.pop(own, ()):
            yield from _draft_paragraphs(comment)


def _list_facts(card: Mapping[str, Any], lists: Mapping[str, str], people: Mapping[str, str]) -> Iterator[str]:
    if name := lists.get(str(card.get("idList"))):
        yield f"List: {name}{' (archived)' if card.get('closed') else ''}"
    if labels := ", ".join(filter(None, (strip_text(one.get("name")) for one in list_dicts(card.get("labels"))))):
        yield f"Labels: {labels}"
    if moment := read_moment(card.get("due")):
        yield f"Due: {show_moment(moment)}{' (done)' if card.get('dueComplete') else ''}"
    ids = card.get("idMembers")
    if members := ", ".join(filter(None, (people.get(str(one)) for one in ids or ())) if isinstance(ids, list) else ()):
        yield f"Members: {members}"
    if files := ", ".join(filter(None, (strip_text(one.get("name")) for one in list_dicts(card.get("attachments"))))):
        yield f"Attachments: {files}"


def _show_comment(action: Mapping[str, Any], text: str) -> str:
    person = action.get("memberCreator")
    name = strip_text(person.get("fullName")) or strip_text(person.get("username")) if isinstance(person, dict) else ""
    moment = read_moment(action.get("date"))
    return f"{name or '(no name)'}{f' ({show_moment(moment)})' if moment else ''}: {text}" if text else ""


def _draft_paragraphs(text: str) -> Iterator[BlockDraft]:
    return (BlockDraft("paragraph", part.strip()) for part in text.replace("\r\n", "\n").split("\n\n"))


def _names(items: Any, key: str) -> dict[str, str]:
    return {str(one.get("id")): strip_text(one.get(key)) for one in list_dicts(items)}
