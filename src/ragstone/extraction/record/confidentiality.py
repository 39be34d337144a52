"""Restricted documents by their own metadata. A level that cannot be read closes its document, or all would see it."""

import itertools
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

# Keys that count at the top level of a file of data or of metadata, beside `restricted: true`.
NAME = re.compile(
    rf"(?:x)?(?:{KEY}(?:level|label)?|securitylevel"
    r"|(?:data|doc|document|information|security)?(?:classification|sensitivity)(?:level|label)?)"
)
LONGEST_VALUE = 400  # characters of a value
KEY_LINE = re.compile(
    r"^[\"']?([a-z][\w \t.-]{2,40}?)[\"']?[ \t]*[:=](?=[\s\"'\[{|>!&\w])"
    r"([^\n]*(?:\n(?:[ \t]+|-[ \t])[^\n]*){0,8})",
    re.MULTILINE,
)
FLOW = re.compile(r"[{,]\s*[\"']?([a-z][\w \t.-]{2,40}?)[\"']?\s*:\s*([^,}\n]{0,200})")
TABLE = re.compile(r"^[ \t]*\[", re.MULTILINE)  # of TOML: keys below it are its own
# A string of JSON, also one that never ends: what is in it is looked at once.
TOKEN = re.compile(r'"((?:[^"\\]|\\.)*+)(?:"(\s*+:)?+|\\?\Z)|[{}\[\]]', re.DOTALL)
VALUE = re.compile(r'\s*+("(?:[^"\\]|\\.)*+"|\w+|\[[^\]]{0,400}\]|\{[^}]{0,400}\})', re.DOTALL)
OPENED = re.compile(r"\s*+[{\[]")
REMARK = re.compile(r"(?<!\S)#[^\n]*")
TRUE = re.compile(r"[\s\"']*(?:[!&]\S+\s+)*[\"']?(?:true|yes|on|y|1)(?!\w)")
NEGATED = re.compile(rf"\b(?:not|non|no longer)[\s-]*{RESTRICTED}|\bun{RESTRICTED}")
SEVERAL = re.compile(r"[\[{,|>]|\n\s*\S")  # a list or mapping, also on lines below
LEVELS = re.compile(r"\b(?:public|internal|confidential|secret|private|open|unrestricted)\b")


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
    while RESTRICTED in head:
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
        if block[0] == "+" and find_marked_data(block.strip("+\n"), toml=True):
            return True
        head = head[closed.end() :].lstrip()
    return False


def marks_restricted(key: object, value: object) -> bool:
    """Whether metadata with this key and value says that its document is restricted.

    >>> marks_restricted("Data-Classification", "Restricted (board)"), marks_restricted("restricted", True)
    (True, True)
    >>> marks_restricted("restricted", "false"), marks_restricted("classification", ["public", "restricted"])
    (False, False)
    """
    name = re.sub(r"[\W_]+", "", simplify_text(str(key)[:LONGEST_VALUE]))
    if name == RESTRICTED:
        return isinstance(value, str | bool | int) and TRUE.match(str(value).casefold()) is not None
    if not NAME.fullmatch(name) or not says_restricted(value):
        return False
    return (
        _says_so(str(value)) if isinstance(value, str) else not LEVELS.search(simplify_text(str(value)[:LONGEST_VALUE]))
    )


def find_marked_data(text: str, *, toml: bool = False) -> bool:
    """Whether the top level of a file of data says so: of YAML any of its documents, of JSON its one object."""
    lines = simplify_text(text)
    if RESTRICTED not in lines:
        return False
    start = text.lstrip("\ufeff \t\r\n")
    if start.startswith(("{", "[")) and not toml:
        said = _read_members(start) if start.startswith("{") else None
        return said is not None and any(itertools.starmap(marks_restricted, said or FLOW.findall(lines)))
    if toml and (table := TABLE.search(lines)):
        lines = lines[: table.start()]
    return any(marks_restricted(key[1], key[2]) for key in KEY_LINE.finditer(lines))


def _says_so(value: str) -> bool:
    """Whether a value as it is written says it, beside a remark; one of several levels does not."""
    said = REMARK.sub("", simplify_text(value[:LONGEST_VALUE])).strip()
    if not WORD.search(said) or NEGATED.search(said):
        return False
    return not (SEVERAL.search(said) and LEVELS.search(said))


def _read_members(text: str) -> list[tuple[str, str]] | None:
    """The keys and values of an object of JSON; None for lines of JSON, whose objects are entries."""
    depth, found = 0, list[tuple[str, str]]()
    for token in TOKEN.finditer(text):
        if token[0] in ("{", "["):
            depth += 1
        elif token[0] in ("}", "]"):
            depth -= 1
            if depth == 0:
                return None if OPENED.match(text, token.end()) else found
        elif depth == 1 and token[2] and (value := VALUE.match(text, token.end())):
            found.append((token[1], value[1].strip('"')))
    return found


def close_if_marked(extraction: Extraction, text: str = "", *, data: str = "", toml: bool = False) -> Extraction:
    """The extraction, closed if its metadata, the top of `text` or the top level of `data` marks it in a form that no
    filter knows."""
    levels = list(find_levels(extraction.meta))
    marked = any(map(says_restricted, levels)) or any(itertools.starmap(marks_restricted, extraction.meta.items()))
    marked = marked or any(
        LINE.search(simplify_text(value)) for value in extraction.meta.values() if isinstance(value, str)
    )
    if extraction.meta.get(KEY) == RESTRICTED or not (
        marked or find_marked_head(text) or find_marked_data(data, toml=toml)
    ):
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
