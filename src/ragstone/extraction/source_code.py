"""Source code: the text of record is the file, a section each function, class and method."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, NamedTuple

from ragstone.core.errors import Refused
from ragstone.core.newlines import unify_newlines
from ragstone.core.types import Block, Extraction
from ragstone.extraction.code_languages import GRAMMARS, find_language, lacks_grammars
from ragstone.extraction.decoding import decode_text
from ragstone.extraction.media_types import CODE
from ragstone.extraction.record.line_index import LineIndex

# Types of nodes in the grammars of many languages: `function_definition`, `class_declaration`, `impl_item`, `method` …
DEFINITION = re.compile(
    r"(?:\w+_)?(?:function|method|class|struct|enum|interface|trait|impl|module|mod|namespace|object|constructor"
    r"|protocol|record|subroutine|macro|procedure|type|message|service)"
    r"(?:_(?:definition|declaration|item|statement|spec|specifier|def|signature))?"
)
WHOLE = re.compile(r"create_\w+")  # statements of SQL
# What else is a definition, in languages whose grammars name it by other words.
OTHER_DEFINITIONS = {"hcl": "block", "terraform": "block", "proto": "service", "graphql": "definition"}
CLOSING = re.compile(r"[\W_]*(?:end|fi|done|esac)?[\W_]*", re.IGNORECASE)
WRAPPER = re.compile(r"decorated_definition|export_statement|template_declaration|type_declaration|statement")
VARIABLE = re.compile(r"(?:lexical|variable)_declaration")
FUNCTION_VALUE = re.compile(r"arrow_function|function(?:_expression)?|class|lambda\w*")
BODY = re.compile(
    r"\w*(?:body|block|members|declaration_list|field_list|compound|fields_definition|values_definition|selection_set)\w*"
)
ABOVE = re.compile(r"\w*(?:comment|attribute|decorator|annotation)\w*")
PARAGRAPH = re.compile(r"[^\n]*\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")
DEEPEST = 3  # levels of sections
LONGEST = 160  # characters of a section's name
MOST_ABOVE = 50  # comments and attributes that belong to a definition


class _Section(NamedTuple):
    """A named stretch of a file: its first lines, which say its name, and where it ends."""

    start: int
    head_end: int
    end: int
    level: int
    name: str


def parse_code(data: bytes, *, path: str) -> Extraction:
    """The file in blocks of code, each function, class and method below its signature as heading, with the comments
    and decorators above it; without the package of grammars in paragraphs.

    Raises `Refused`: encoding, empty.
    """
    record, warnings = decode_text(data, path=path)
    text = unify_newlines(record)
    language = find_language(path, data) or ""
    blocks = tuple(_build_blocks(text, language))
    if not blocks:
        raise Refused("empty", f"{path} holds no text")
    return Extraction(record, blocks, CODE, None, {"language": language}, warnings)


def _build_blocks(text: str, language: str) -> Iterator[Block]:
    lines = LineIndex(text)
    at = 0
    for section in _name_stretches(text, list(_find_definitions(text, language))):
        yield from _cut_paragraphs(text, lines, at, section.start, language)
        start, at = _trim(text, section.start, section.head_end)
        yield Block("heading", section.name, (lines.span(start, at),), level=section.level, language=language)
    yield from _cut_paragraphs(text, lines, at, len(text), language)


def _cut_paragraphs(text: str, lines: LineIndex, start: int, end: int, language: str) -> Iterator[Block]:
    for match in PARAGRAPH.finditer(text, start, end):
        a, b = match.start(), match.start() + len(match[0].rstrip())
        a = a if a > start else _trim(text, a, b)[0]
        yield Block("code", text[a:b], (lines.span(a, b),), language=language)


def _name_stretches(text: str, definitions: list[_Section]) -> list[_Section]:
    """Definitions, and the stretches behind them that belong to none, named by their first line."""
    found = {section.start: section for section in definitions}
    starts = [section.start for section in definitions]
    for section in definitions:
        following = bisect_left(starts, section.end)
        start, end = _trim(text, section.end, starts[following] if following < len(starts) else len(text))
        head_end = text.find("\n", start, end)
        head_end = end if head_end < 0 else head_end
        name = text[start:head_end].strip()[:LONGEST]
        other = found.get(start)
        if not CLOSING.fullmatch(name) and (other is None or other.level > section.level):
            found[start] = _Section(start, head_end, end, section.level, name)
    return [found[start] for start in sorted(found)]


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), start + len(part.rstrip())


# --- definitions --------------------------------------------------------------------------------


def _find_definitions(text: str, language: str) -> Iterator[_Section]:
    """The definitions of several lines in order, those within others behind them; none without grammars."""
    if lacks_grammars():
        return
    source = text.encode(errors="replace")
    try:
        tree = import_module(GRAMMARS).get_parser(language).parse(source)
    except LookupError:  # a grammar that this version of the package lacks
        return
    count_characters = _CharacterCounter(source).count
    stack = [(tree.root_node, 0)]
    while stack:
        node, level = stack.pop()
        definition = _unwrap_definition(node, language) if node.parent else None
        if definition is not None:
            level += 1
            yield _make_section(node, definition, source, level, count_characters)
        if level < DEEPEST:
            inner = node if definition is None else _find_body(definition) or definition
            stack += [(child, level) for child in reversed(inner.named_children) if _has_lines(child)]


def _has_lines(node: Any) -> bool:
    return bool(node.end_point[0] > node.start_point[0])


def _unwrap_definition(node: Any, language: str) -> Any:
    """The definition that a node is, or that decorators, `export` or a name stand around; None for others."""
    while WRAPPER.fullmatch(node.type):
        inner = [child for child in node.named_children if _has_lines(child)]
        if len(inner) != 1:
            return None
        node = inner[0]
    if VARIABLE.fullmatch(node.type):
        value = node.named_children[0].child_by_field_name("value") if node.named_child_count == 1 else None
        return value if value is not None and FUNCTION_VALUE.fullmatch(value.type) else None
    if WHOLE.fullmatch(node.type):
        return node
    if OTHER_DEFINITIONS.get(language) == node.type:
        while node.named_child_count == 1 and node.named_children[0].end_byte == node.end_byte:
            node = node.named_children[0]
        return node
    if DEFINITION.fullmatch(node.type) and _find_body(node) is not None:
        return node
    return None


def _find_body(node: Any) -> Any:
    body = node.child_by_field_name("body")
    if body is None:
        body = next((child for child in node.named_children if BODY.fullmatch(child.type)), None)
    return body if body is not None or node.type != "type_spec" else node.child_by_field_name("type")


class _CharacterCounter:
    """Characters before a byte; counts from the place that was asked for last."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._at = self._characters = 0

    def count(self, at: int) -> int:
        start, end = sorted((self._at, at))
        between = len(self._source[start:end].decode(errors="replace"))
        self._characters += between if at > self._at else -between
        self._at = at
        return self._characters


def _make_section(
    node: Any, definition: Any, source: bytes, level: int, count_characters: Callable[[int], int]
) -> _Section:
    body = _find_body(definition)
    # GraphQL describes a type within its definition.
    opening = next((child.start_byte for child in definition.children if child.type != "description"), node.start_byte)
    line_end = source.find(b"\n", opening)
    head_end = body.start_byte if body is not None and body.start_byte > opening else line_end
    signature = _read(source, max(_line_start(source, opening), node.start_byte), head_end)
    name = " ".join(signature.rstrip(" \t\r\n{:=").split())[:LONGEST]
    start, head, end = (count_characters(at) for at in (_find_start(node, source), head_end, node.end_byte))
    return _Section(start, head, end, level, name)


def _find_start(node: Any, source: bytes) -> int:
    """Where it begins with the comments and attributes right above it."""
    first = node
    for _ in range(MOST_ABOVE):
        before = first.prev_named_sibling
        if before is None or not ABOVE.fullmatch(before.type):
            break
        own_line = not source[_line_start(source, before.start_byte) : before.start_byte].strip()
        if not own_line or first.start_point[0] - before.end_point[0] > 1:
            break
        first = before
    return _line_start(source, first.start_byte)


def _line_start(source: bytes, at: int) -> int:
    return source.rfind(b"\n", 0, at) + 1


def _read(source: bytes, start: int, end: int) -> str:
    return source[start:end].decode(errors="replace")
