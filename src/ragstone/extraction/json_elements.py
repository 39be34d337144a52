"""JSON by its elements: where a text may be cut, and of messages (exports of chats) what people read."""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from ragstone.extraction.json_members import WHEN, WORDS, has_members, is_entry, is_message

WHOLE = 200  # characters of neighbours that are one stretch
SHORT = 30  # of an array or object that is never looked into
LARGE = 2400  # characters of an element that is cut into its own elements: more than any chunk has
DEEPEST = 12  # arrays and objects that are looked into, one within the other
REPEATED = 20  # characters of a text that counts as said before where it is part of one
LOOKED_AT = 8000  # characters of a message in which a text is looked for that it may repeat
STRING = r'"(?:[^"\\\n]++|\\.)*+"?'
BRACKET = re.compile(rf"{STRING}|[\[\]{{}}]")
BORDER = re.compile(rf"{STRING}|[\[\]{{}},]")
TOKEN = re.compile(rf'{STRING}|[\[\]{{}},:]|[^\s\[\]{{}},:"]++')
BLANK = re.compile(r"[\s,]*+")
# Members of a message that are of use to programs alone.
KIND = re.compile(r"(?:sub)?type|kind", re.IGNORECASE)
USUAL_KINDS = frozenset("message msg default text plain regular".split())  # of a message itself
# When something within a message was made or changed; a date there is one that people speak of.
CHANGED = WHEN - {"date", "time", "datetime"}
IDENTITY = re.compile(r"(?:.*[_-])?(?:ids?|hash|colou?r|discriminator|unixtime)|\w*[a-z](?:Id|Hash|Color)")
ADDRESS = re.compile(r"https?://\S+")
KEY = re.compile(r"(?=\D*\d)[\w+/=-]{16,}")


class Item(NamedTuple):
    """An object in an array, or the outermost: the one around it (-1: none), how deep its members stand, their keys in
    small letters."""

    above: int
    depth: int
    keys: set[str]


class Leaf(NamedTuple):
    """A text, number or constant: characters [start, end) with its key, how deep it stands, in which item, and for an
    element of an array where the array's key stands."""

    key: str
    depth: int
    item: int
    start: int
    end: int
    raw: str
    above: tuple[int, int] | None = None

    @property
    def is_text(self) -> bool:
        return self.raw.startswith('"')


class Element(NamedTuple):
    """A stretch of a text: characters [start, end), all of them or, of a message, those at `places`."""

    start: int
    end: int
    places: tuple[tuple[int, int], ...] = ()


def split_elements(text: str) -> Iterator[Element]:
    """The whole text in stretches that hold whole elements of its outer arrays and objects, short ones together.

    Each message is a stretch of its own. Broken JSON is cut less finely, and read as a whole all the same.
    """
    at = 0
    for start, end, places in _list_cuts(text, -1, len(text), _find_containers(text), 0):
        if places:
            if _says_something(text[at:start]):
                yield Element(at, start)
            yield Element(start, end, places)
            at = end
        elif end - at >= WHOLE:
            yield Element(at, end)
            at = end
    if _says_something(text[at:]) or (at == 0 and text.strip()):
        yield Element(at, len(text))


def _says_something(text: str) -> bool:
    """Whether this is more than the brackets and commas around what is read already."""
    return any(sign.isalnum() for sign in text)


Cut = tuple[int, int, tuple[tuple[int, int], ...]]


def _find_containers(text: str) -> dict[int, int]:
    """Where arrays and objects of more than `SHORT` characters end, by where they begin."""
    ends: dict[int, int] = {}
    opened: list[int] = []
    deeper = 0
    for token in BRACKET.finditer(text):
        sign = text[token.start()]
        if sign in "[{":
            if len(opened) < DEEPEST:
                opened.append(token.start())
            else:
                deeper += 1
        elif sign in "]}":
            if deeper:
                deeper -= 1
            elif opened:
                start = opened.pop()
                if token.end() - start > SHORT:
                    ends[start] = token.end()
    ends.update((start, len(text)) for start in opened if len(text) - start > SHORT)
    return ends


def _list_cuts(text: str, start: int, end: int, ends: dict[int, int], depth: int) -> Iterator[Cut]:
    """Where the text may be cut inside an array or object (the file itself at -1): places in order, with messages."""
    for left, right, inner in _list_children(text, start, end, ends):
        if start < 0 or text[start] == "[":
            begin = BLANK.match(text, left, right).end()  # type: ignore[union-attr]  # it may match nothing
            if places := _read_message(text, begin, right):
                yield begin, right, places
                continue
        if inner is not None and depth < DEEPEST and _is_looked_into(text, inner, ends[inner], depth):
            yield from _list_cuts(text, inner, ends[inner], ends, depth + 1)
        yield right, right, ()


def _is_looked_into(text: str, start: int, end: int, depth: int) -> bool:
    """Whether an array or object is cut inside: the outermost, a large one, and one of messages or entries."""
    if depth == 0 or end - start > LARGE:
        return True
    first = BLANK.match(text, start + 1)
    if text[start] != "[" or first is None:
        return False
    value, _ = _decode_object(text, first.end(), end)
    return is_message(value) or is_entry(value)


def _list_children(text: str, start: int, end: int, ends: dict[int, int]) -> Iterator[tuple[int, int, int | None]]:
    """The elements of an array or object, each with the comma behind it and the start of the long value in it."""
    left, at, depth = start + 1, start + 1, 0
    inner: int | None = None
    while token := BORDER.search(text, at, end):
        at = token.end()
        sign = text[token.start()]
        if sign in "[{":
            if depth == 0 and token.start() in ends:
                inner = token.start()
                at = ends[inner]
                sign = "}"
            else:
                depth += 1
                continue
        elif sign in "]}":
            depth -= 1
            if depth < 0 <= start:
                break
            depth = max(depth, 0)
        if depth == 0 and (sign == "," or (sign in "]}" and start < 0)):
            yield left, at, inner
            left, inner = at, None
    if text[left:at].strip():
        yield left, end, inner


def _read_message(text: str, start: int, end: int) -> tuple[tuple[int, int], ...]:
    """The places of what people read in an object that is a message; none for any other value."""
    value, behind = _decode_object(text, start, end)
    return tuple(_keep_readable(text, start, behind)) if is_message(value) else ()


def _decode_object(text: str, start: int, end: int) -> tuple[dict[str, Any], int]:
    """The object that begins here, and where it ends; an empty one for anything else."""
    if not text.startswith("{", start):
        return {}, start
    try:
        value, behind = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return {}, start
    return (value, behind) if behind <= end else ({}, start)


def _keep_readable(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The opening brace, and each value with its key that tells a reader something which was not said before. Messages
    within the message, as replies, have their own author and time."""
    yield start, start + 1
    items: dict[int, Item] = {}
    said: set[tuple[int, str, str]] = set()
    spoken = ""
    above: tuple[int, int] | None = None
    leaves = list(_list_leaves(text, start, end, items))
    messages = _find_messages(items)
    for leaf in leaves:
        message = messages[leaf.item]
        depth = leaf.depth - items[message].depth
        value = leaf.raw.strip('"').strip()
        # What stands within the message says the same under any name (`name`, `real_name`), unless it is a number.
        told = (message, "" if leaf.is_text else leaf.key, value)
        is_repeated = told in said and (depth > 0 or len(value) >= REPEATED)
        if (
            is_repeated
            or (REPEATED <= len(value) <= LOOKED_AT and value in spoken)
            or not _is_readable(leaf, depth, value)
        ):
            continue
        said.add(told)
        spoken += value[: LOOKED_AT - len(spoken)]
        if leaf.above and leaf.above != above:
            yield leaf.above
        above = leaf.above
        yield leaf.start, leaf.end


def _find_messages(items: dict[int, Item]) -> dict[int, int]:
    """For each item itself or the one around it that is a message; the outermost where none is."""
    found: dict[int, int] = {}
    for start, item in items.items():  # from the outermost inwards
        is_own = item.above < 0 or has_members(item.keys, item.keys)
        found[start] = start if is_own else found[item.above]
    return found


def _is_readable(leaf: Leaf, depth: int, value: str) -> bool:
    """Whether people read a value: of the message itself (0) nearly all, of what it holds no identifiers and
    addresses."""
    name = leaf.key.lower()
    if not value or leaf.raw in ("null", "false") or (depth and (name in CHANGED or leaf.raw == "true")):
        return False
    if name in WHEN or name in WORDS:
        return True
    if name.endswith("unixtime"):
        return False
    if KIND.fullmatch(leaf.key):
        return not depth and value.lower() not in USUAL_KINDS
    is_key = KEY.fullmatch(value) is not None
    if not depth:
        return not (IDENTITY.fullmatch(leaf.key) and is_key)
    return not (IDENTITY.fullmatch(leaf.key) or ADDRESS.fullmatch(value) or is_key)


class _Opened(NamedTuple):
    """An array or object around a value: its sign and key, where that stands, and the item that it is or is in."""

    sign: str
    key: str
    place: tuple[int, int] | None
    item: int
    is_item: bool


def _list_leaves(text: str, start: int, end: int, items: dict[int, Item]) -> Iterator[Leaf]:
    """The leaves in order; `items` takes those that they stand in."""
    opened: list[_Opened] = []
    key, place = "", (-1, -1)
    for token in TOKEN.finditer(text, start, end):
        sign = text[token.start()]
        if sign in "[{":
            around = opened[-1] if opened else _Opened("[", "", None, -1, is_item=False)
            is_item = sign == "{" and around.sign == "["
            if is_item:
                items[token.start()] = Item(around.item, len(opened) + 1, set())
            item = token.start() if is_item else around.item
            opened.append(_Opened(sign, key or around.key, place if key else None, item, is_item))
            key, place = "", (-1, -1)
        elif sign in "]}":
            opened.pop()
            key, place = "", (-1, -1)
        elif sign == ",":
            key, place = "", (-1, -1)
        elif sign == ":":
            continue
        elif opened[-1].sign == "{" and place[0] < 0:
            key, place = token[0].strip('"'), token.span()
            if opened[-1].is_item:
                items[opened[-1].item].keys.add(key.lower())
        else:
            begin = place[0] if place[0] >= 0 else token.start()
            above = opened[-1].place if opened[-1].sign == "[" else None
            yield Leaf(key or opened[-1].key, len(opened), opened[-1].item, begin, token.end(), token[0], above)
