"""Translations (XLIFF, TMX) and texts of programs (RESX, Android): a table with a row for each text."""

import re
from collections.abc import Iterator, Mapping, Sequence

from ragstone.core.types import Cell
from ragstone.extraction.archive import Element
from ragstone.extraction.feed.elements import element_name
from ragstone.extraction.record.builder import BlockDraft

XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
CODES = frozenset("ph bpt ept it ut x bx ex sub sc ec".split())  # what stands for the marks of the original
LONGEST_NAME = 40
MOST_LANGUAGES = 50
ESCAPED = re.compile(r"\\(['\"@?])")


def read_xliff(root: Element) -> Iterator[BlockDraft]:
    """Source, target and notes of each text, a table for each file."""
    for file in root.iterchildren("{*}file"):
        source = file.get("source-language") or root.get("srcLang") or "source"
        target = file.get("target-language") or root.get("trgLang") or "target"
        rows: list[Mapping[str, str]] = []
        for unit in file.iter("{*}trans-unit", "{*}segment"):
            sides = {source: _read(unit.find("{*}source")), target: _read(unit.find("{*}target"))}
            rows.append({**sides, "note": " ".join(filter(None, map(_read, _find_notes(unit))))})
        yield from draft_table(file.get("original") or "", (source, target, "note"), rows)


def _find_notes(unit: Element) -> Iterator[Element]:
    """The notes of a text; of a unit with several segments at its first one."""
    owner, before = unit.getparent(), unit.getprevious()
    if element_name(unit) != "segment" or owner is None:
        return unit.iter("{*}note")
    is_first = before is None or element_name(before) != "segment"
    return owner.iterfind("{*}notes/{*}note") if is_first else iter(())


def read_tmx(root: Element) -> Iterator[BlockDraft]:
    """The segments of a translation memory, a column for each language."""
    rows: list[dict[str, str]] = []
    for unit in root.iter("{*}tu"):
        row: dict[str, str] = {"note": " ".join(filter(None, map(_read, unit.iterchildren("{*}note"))))}
        for variant in unit.iterchildren("{*}tuv"):
            language = (variant.get(XML_LANG) or variant.get("lang") or "?")[:LONGEST_NAME]
            row[language] = _read(variant.find("{*}seg"))
        rows.append(row)
    languages = dict.fromkeys(name for row in rows for name in row if name != "note")
    if len(languages) <= MOST_LANGUAGES:
        yield from draft_table("", (*languages, "note"), rows)
        return
    for one in rows:
        yield BlockDraft("paragraph", "\n".join(f"{name}: {text}" for name, text in one.items() if text))


def read_resources(root: Element) -> Iterator[BlockDraft]:
    """The texts of a program for .NET (RESX), without its pictures and other data."""
    rows = [
        {"name": data.get("name") or "", "value": _read(data.find("value")), "comment": _read(data.find("comment"))}
        for data in root.iterchildren("data")
        if not data.get("mimetype") and (data.get("type") or "System.String").startswith("System.String")
    ]
    yield from draft_table("", ("name", "value", "comment"), rows)


def read_android_texts(root: Element) -> Iterator[BlockDraft]:
    """The texts of an app for Android; those for one and for several things as rows of their own."""
    rows: list[Mapping[str, str]] = []
    for entry in root.iterchildren("string", "plurals", "string-array"):
        name = entry.get("name") or ""
        rows += (
            {"name": name, "kind": one.get("quantity") or "", "value": ESCAPED.sub(r"\1", _read(one))}
            for one in ((entry,) if entry.tag == "string" else entry.iterchildren("item"))
        )
    yield from draft_table("", ("name", "kind", "value"), rows)


def draft_table(title: str, names: Sequence[str], rows: Sequence[Mapping[str, str]]) -> Iterator[BlockDraft]:
    """A table of the columns that say something."""
    used = [name for name in names if any(row.get(name) for row in rows)]
    said = [row for row in rows if any(map(row.get, used))]
    if not said:
        return
    yield BlockDraft("heading", title, level=2)
    cells = [Cell(0, column, name, header=True) for column, name in enumerate(used)]
    cells += [
        Cell(number, column, row.get(name, ""))
        for number, row in enumerate(said, 1)
        for column, name in enumerate(used)
    ]
    yield BlockDraft("table", cells=tuple(cells))


def _read(element: Element | None) -> str:
    """The words of a text without the marks of the original in it."""
    if element is None:
        return ""
    parts: list[str] = []
    waiting: list[Element | str] = [element]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            parts.append(one)
        else:
            parts.append("" if element_name(one) in CODES else one.text or "")
            for child in reversed(one):
                waiting += [child.tail or "", child]
    return " ".join("".join(parts).split())
