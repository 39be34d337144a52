"""The YAML block at the start of a Markdown file: metadata of the document."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import yaml

from ragstone.core.filters import RESTRICTED
from ragstone.extraction.markdown.obsidian import list_nested_tags
from ragstone.extraction.record.confidentiality import (
    CLOSED,
    is_confidentiality,
    mentions_level,
    says_restricted,
)
from ragstone.extraction.record.confidentiality import KEY as LEVEL
from ragstone.extraction.record.dates import iso_date

LARGEST = 64 * 1024  # characters; a longer block is not taken for front matter
DEEPEST = 20  # levels of nesting; the C parser overflows its stack on thousands

OPENING = re.compile(r"---[ \t]*(?:\r\n?|\n)")
GIVEN = "--- # given beside the text\n"  # opens metadata that are no part of the text of record
CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*\r?$\n?", re.MULTILINE)
SIMPLE = re.compile(r"^([A-Za-z][\w .-]{0,60}?):[ \t]+([^\s&*\[{|>!].{0,500})$", re.MULTILINE)
KEY = re.compile(r"^(?:[?!&]\S*[ \t]+){0,3}[\w\"'][\w .\"'-]*:(?:\s|$)", re.MULTILINE)
INTEGER = re.compile(r"[-+]?(?:0|[1-9]\d{0,17})")
DECIMAL = re.compile(r"[-+]?\d{1,17}\.\d{1,17}(?:[eE][-+]?\d{1,3})?")
CONSTANTS: Mapping[str, Any] = {"": None, "~": None, "null": None, "true": True, "false": False}

WORDS = ("title", "project", "confidentiality", "doc_type", "version_label")
DATES = ("date", "effective_at")
BINARY = "tag:yaml.org,2002:binary"
US_DATE = "%m/%d/%Y"  # the form that Microsoft's `ms.date` is defined in

Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """`meta` is safe for JSON; the body of the document begins at the character `start`."""

    start: int = 0
    meta: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


class _Plain(str):
    """A scalar without quotes: it may mean a number, a truth value or nothing."""

    __slots__ = ()


class _Unsafe(Exception):
    """The block uses what front matter has no need of."""


def parse_front_matter(text: str) -> FrontMatter:
    """Parse the YAML between `---` at the very start and the next `---` or `...`; nothing where there is none.

    Known keys come out as text (`title`, `project`, `confidentiality`, `doc_type`, `version_label`), ISO
    dates (`date`, `effective_at`) and a list (`tags`); all others as they are. A block that YAML
    cannot read gives a warning and what its simple lines say, and it closes the document where it may say who may
    see it. Aliases and binary values are refused; other tags are passed over.
    """
    opening = OPENING.match(text)
    closing = CLOSING.search(text, opening.end(), LARGEST) if opening else None
    if opening is None or closing is None:
        return FrontMatter()
    block = text[opening.end() : closing.start()]
    try:
        found = _build_value(block)
    except (yaml.YAMLError, _Unsafe, ValueError) as error:
        if not KEY.search(block):
            return FrontMatter()  # prose between two rules
        reason = " ".join(str(getattr(error, "problem", None) or error).split())
        warnings = [f"front matter is not readable YAML ({reason}); its simple lines were used"]
        found = {match[1]: _Plain(match[2].strip().strip("\"'")) for match in SIMPLE.finditer(block)}
        if mentions_level(block):
            found = {key: value for key, value in found.items() if not is_confidentiality(key)}
            found[LEVEL] = _Plain(RESTRICTED)
            warnings[0] += f"; it may say who may see the document: {CLOSED}"
    else:
        if found is not None and not isinstance(found, dict):
            return FrontMatter()
        warnings = []
    return FrontMatter(closing.end(), _collect_meta(found or {}, warnings), tuple(warnings))


def split_given(record: str) -> tuple[FrontMatter, str]:
    """The metadata that were given beside a text, and this text, in which places count; nothing where none were given.

    >>> split_given(GIVEN + '{"tags": ["x"]}\\n---\\n# A')
    (FrontMatter(start=0, meta={'tags': ['x']}, warnings=()), '# A')
    """
    if not record.startswith(GIVEN):
        return FrontMatter(), record
    written = "---" + record[len(GIVEN) - 1 :]
    found = parse_front_matter(written)
    return (replace(found, start=0), written[found.start :]) if found.start else (found, record)


def merge_meta(front: FrontMatter, given: FrontMatter) -> dict[str, Any]:
    """The metadata of both; what was given counts, unless the text itself says that it is restricted."""
    closed = {LEVEL: RESTRICTED} if front.meta.get(LEVEL) == RESTRICTED else {}
    return {**front.meta, **given.meta, **closed}


def _build_value(block: str) -> Any:
    """The value of a YAML text, from its events alone: no aliases, no tags, no constructors, no recursion."""
    root: list[Any] = []
    stack: list[list[Any]] = [root]
    kinds: list[bool] = []  # whether the open collection is a mapping
    for event in _parse_events(block):
        if isinstance(event, yaml.AliasEvent):
            raise _Unsafe("aliases are not allowed")
        if getattr(event, "tag", None) == BINARY:
            raise _Unsafe("binary values are not allowed")
        if isinstance(event, yaml.ScalarEvent):
            stack[-1].append(_Plain(event.value) if not event.style else str(event.value))
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            if len(kinds) >= DEEPEST:
                raise _Unsafe(f"more than {DEEPEST} levels deep")
            kinds.append(isinstance(event, yaml.MappingStartEvent))
            stack.append([])
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            items = stack.pop()
            stack[-1].append(_make_mapping(items) if kinds.pop() else items)
    return root[0] if root else None


def _parse_events(block: str) -> Iterator[Any]:
    yield from yaml.parse(block, Loader=Loader)


def _make_mapping(items: list[Any]) -> dict[str, Any]:
    """The last value of each key; of confidentiality, in whatever spelling, every value that is different."""
    made: dict[str, Any] = {}
    for key, value in zip(items[::2], items[1::2], strict=True):
        name = key if isinstance(key, str) else repr(_to_json(key))
        if is_confidentiality(name):
            made[LEVEL] = [made[LEVEL], value] if made.get(LEVEL, value) != value else value
        else:
            made[name] = value
    return made


def _to_json(value: Any) -> Any:
    """A value safe for JSON; depth is bounded by `DEEPEST`."""
    if isinstance(value, dict):
        return {str(key): _to_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_to_json(item) for item in value]
    if not isinstance(value, _Plain):
        return value
    if value.lower() in CONSTANTS:
        return CONSTANTS[value.lower()]
    if INTEGER.fullmatch(value):
        return int(value)
    if DECIMAL.fullmatch(value) and math.isfinite(float(value)):
        return float(value)
    return str(value)


def _collect_meta(found: Mapping[str, Any], warnings: list[str]) -> dict[str, Any]:
    meta: dict[str, Any] = {}
    for raw, value in found.items():
        key = str(raw).strip()
        known = key.lower()
        if known in (*WORDS, *DATES) and isinstance(value, dict | list):
            _put_odd(meta, known, value, warnings)
        elif known in WORDS:
            if _to_json(value) is not None:
                meta[known] = value.strip().lower() if known == LEVEL else value.strip()
            if known == LEVEL and says_restricted(value) and meta[known] != RESTRICTED:
                meta |= {known: RESTRICTED, f"{known}_value": value.strip()}
        elif known in DATES:
            _put_date(meta, known, value, warnings)
        elif known == "tags":
            meta["tags"] = _split_tags(value)
        elif key:
            meta[key] = _to_json(value)
    if "date" not in meta and isinstance(meta.get("ms.date"), str) and (iso := iso_date(meta["ms.date"], US_DATE)):
        meta["date"] = iso
    return meta


def _put_date(meta: dict[str, Any], key: str, value: str, warnings: list[str]) -> None:
    if iso := iso_date(value):
        meta[key] = iso
    elif value.strip():
        meta[f"{key}_text"] = str(value)
        warnings.append(f"front matter: {key} {str(value)[:40]!r} is not a date; write it as 2025-01-31")


def _put_odd(meta: dict[str, Any], key: str, value: Any, warnings: list[str]) -> None:
    """A list or mapping where one text belongs: one text alone in a list is that text; else it is kept beside.

    A confidentiality that cannot be read closes the document.
    """
    if isinstance(value, list) and len(value) == 1 and not isinstance(value[0], dict | list):
        meta.update(_collect_meta({key: value[0]}, warnings))
        return
    meta[f"{key}_value"] = _to_json(value)
    warning = f"front matter: {key} must be one text"
    if key == LEVEL:
        meta[key] = RESTRICTED
        warning += f"; {CLOSED}"
    warnings.append(warning)


def _split_tags(value: Any) -> list[str]:
    """A list of texts from a list, or from one text with commas; nested ones with those that they lie below."""
    items = value if isinstance(value, list) else str(_to_json(value) or "").split(",")
    texts = (str(item).strip() for item in items if not isinstance(item, dict | list))
    return list(dict.fromkeys(part for text in texts if text for part in list_nested_tags(text)))
