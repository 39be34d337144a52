"""Restricted documents by their own metadata. A level that cannot be read closes its document, or all would see it."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ragstone.core.filters import RESTRICTED
from ragstone.core.types import Extraction

KEY = "confidentiality"
LOOKED_AT = 4096  # characters of a value: no level is longer
CLOSED = f"the document is treated as {RESTRICTED}"

ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U000([0-9A-Fa-f]{5})|[ \t]*\n[ \t]*)")
INVISIBLE = re.compile("[\xad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f]+")
WORD = re.compile(rf"(?<!\w){RESTRICTED}(?!\w)")
MENTION = re.compile(rf"{KEY}|{RESTRICTED}|!!binary|tag:yaml")
PAIR = re.compile(rf"(?<!\w){KEY}[^\w:=|]{{0,20}}[:=|].{{0,200}}?(?<!\w){RESTRICTED}(?!\w)", re.DOTALL)
LINE = re.compile(rf"^[^\w\n]*(?:x-)?{KEY}[^\w\n]*[:=|>\n][^\w\n]*{RESTRICTED}(?!\w)", re.MULTILINE)
META_TAG = re.compile(r"<meta\b[^<>]{0,1000}", re.IGNORECASE)
BLANK_LINE = re.compile(r"\n[ \t]*\n")
# What metadata begins with at the top of a text, and what ends it.
FENCES = (
    (re.compile(r"-{3,}[^\n]*\n"), re.compile(r"^[ \t]*(?:-{3,}|\.{3})[ \t]*$", re.MULTILINE)),
    (re.compile(r"\+{3,}[^\n]*\n"), re.compile(r"^[ \t]*\+{3,}[ \t]*$", re.MULTILINE)),
    (re.compile(r";{3,}[^\n]*\n"), re.compile(r"^[ \t]*;{3,}[ \t]*$", re.MULTILINE)),
    (re.compile(r"`{3,}[^\n]*\n"), re.compile(r"^[ \t]*`{3,}[ \t]*$", re.MULTILINE)),
    (re.compile(r"<!--"), re.compile(r"-->")),
    (re.compile(r"\{"), re.compile(r"\Z")),
)


def simplify_text(text: str) -> str:
    """The text for comparison: one form of each letter, small letters, no invisible characters, no escapes."""
    text = ESCAPE.sub(_decode_escape, text.replace("\r\n", "\n").replace("\r", "\n"))
    return INVISIBLE.sub("", unicodedata.normalize("NFKC", text).casefold())


def _decode_escape(match: re.Match[str]) -> str:
    digits = match[1] or match[2] or match[3]
    return chr(int(digits, 16)) if digits else ""


def is_confidentiality(key: object) -> bool:
    """Whether a name of metadata is the one of confidentiality, in any spelling."""
    return re.sub(r"^x-|[\W_]+", "", simplify_text(str(key)[:LOOKED_AT])) == KEY


def says_restricted(value: object) -> bool:
    """Whether a value has the word in it: "Restricted", "restricted (board only)", a list with it."""
    if isinstance(value, Mapping):
        return any(says_restricted(item) for pair in value.items() for item in pair)
    if isinstance(value, list | tuple):
        return any(map(says_restricted, value))
    return WORD.search(simplify_text(str(value)[:LOOKED_AT])) is not None


def find_levels(value: Any) -> Iterator[Any]:
    """The values of confidentiality in metadata, at any depth."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if is_confidentiality(key):
                yield item
            yield from find_levels(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from find_levels(item)


def mentions_level(block: str) -> bool:
    """Whether metadata that cannot be read may say who may see the document."""
    return MENTION.search(simplify_text(block)) is not None


def find_marked_tags(page: str) -> bool:
    """Whether a `meta` element of a page marks it as restricted, also of a page that no parser reads."""
    return any(KEY in tag and WORD.search(tag) for tag in map(simplify_text, META_TAG.findall(page)))


def find_marked_head(text: str) -> bool:
    """Whether the top of a text marks the document as restricted, beside front matter that was read.

    The top is a block between rules (YAML, TOML, JSON, a comment, also one that never ends), else the first lines up
    to a blank one. A document that shows such lines further below only speaks of them.
    """
    head = simplify_text(text).lstrip()
    while KEY in head:
        fence = next(((opened, closing) for opening, closing in FENCES if (opened := opening.match(head))), None)
        if fence is None:
            return LINE.search(BLANK_LINE.split(head, maxsplit=1)[0]) is not None
        opened, closing = fence
        closed = closing.search(head, opened.end())
        if closed is None:
            return PAIR.search(head) is not None
        block = head[opened.start() : closed.end()]
        if PAIR.search(block) or (KEY in block and WORD.search(block) and block[0] in "-+;"):
            return True
        head = head[closed.end() :].lstrip()
    return False


def close_if_marked(extraction: Extraction, text: str = "") -> Extraction:
    """The extraction, closed if its metadata or the top of `text` marks it in a form that no filter knows."""
    levels = list(find_levels(extraction.meta))
    marked = any(map(says_restricted, levels)) or any(
        LINE.search(simplify_text(value)) for value in extraction.meta.values() if isinstance(value, str)
    )
    if extraction.meta.get(KEY) == RESTRICTED or not (marked or find_marked_head(text)):
        return extraction
    warning = f"the metadata says {RESTRICTED} in an unusual form; {CLOSED}"
    meta = {**extraction.meta, KEY: RESTRICTED}
    return replace(extraction, meta=meta, warnings=(*extraction.warnings, warning))


def close_with_reason(extraction: Extraction, reason: str) -> Extraction:
    """The extraction, closed for a reason that its reader found, with a warning that says it."""
    if extraction.meta.get(KEY) == RESTRICTED:
        return extraction
    meta = {**extraction.meta, KEY: RESTRICTED}
    return replace(extraction, meta=meta, warnings=(*extraction.warnings, f"{reason}; {CLOSED}"))
