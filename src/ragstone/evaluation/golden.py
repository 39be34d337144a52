"""Golden sets from YAML, JSON, JSONL and BEIR folders, as they stand: every mistake with its file and line."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from ragstone.config.yaml_file import find_duplicate_key
from ragstone.core.errors import UsageError
from ragstone.core.plural import format_count
from ragstone.evaluation.beir_questions import load_beir_cases
from ragstone.evaluation.case import Case, GoldSpan, Quote, abbreviate, parse_case

# Under which key a file may keep its cases, and what may stand beside it.
LIST_KEYS = ("cases", "questions", "queries", "golden")
EXTRA_KEYS = ("schema", "version", "name", "description", "notes")


@dataclass(frozen=True, slots=True)
class _RawCase:
    """A case as it was read, the line (from 1) where it begins and the lines of its keys."""

    data: Any
    line: int
    lines: Mapping[str, int] = field(default_factory=dict)


def load_cases(
    path: str | Path, *, split: str = "test", tell: Callable[[str], None] = lambda _warning: None
) -> tuple[Case, ...]:
    """The accepted cases of a golden set, in order; `tell` gets a message about those that are not accepted.

    A folder is read as BEIR with the judgements of `split`; a file by its ending: .yaml, .yml,
    .json, .jsonl, .ndjson. Raises `UsageError` with file and line for what cannot be understood.
    """
    path = Path(path)
    if path.is_dir():
        return load_beir_cases(path, split=split)
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise UsageError(f"{path}: a golden set is a BEIR folder or a file ending in {', '.join(READERS)}")
    cases: list[Case] = []
    seen: dict[str, int] = {}
    for raw in reader(path, _read_text(path)):
        case = _make_case(path, raw, default_id=f"q{len(cases) + 1}")
        if case.id in seen:
            raise UsageError(f"{path}:{raw.line}: duplicate id {case.id!r}, first at line {seen[case.id]}")
        seen[case.id] = raw.line
        cases.append(case)
    if not cases:
        raise UsageError(f"{path}: holds no question")
    return _select_accepted(path, cases, tell)


def _select_accepted(path: Path, cases: Sequence[Case], tell: Callable[[str], None]) -> tuple[Case, ...]:
    """The cases that a person has accepted; raises `UsageError` where there is none."""
    accepted = tuple(case for case in cases if case.accepted)
    mend = 'read them, and set "accepted": true on the good ones'
    if not accepted:
        raise UsageError(f"{path}: no question of {len(cases)} is accepted: {mend}")
    if len(accepted) < len(cases):
        left = format_count(len(cases) - len(accepted), "question is", "questions are")
        tell(f"{left} not accepted in {path} and left out: {mend}")
    return accepted


def locate_quotes(case: Case, record: Callable[[str], str | None]) -> Case:
    """The case with its quotes turned into spans; `record` gives a document's text of record by path.

    Raises `UsageError` when a quote does not stand in its document, or when there is no such document.
    """
    spans = (_locate_quote(case, quote, record) for quote in case.quotes)
    quoted = (quote.text for quote in case.quotes)
    return replace(case, spans=(*case.spans, *spans), sentences=(*case.sentences, *quoted), quotes=())


def _locate_quote(case: Case, quote: Quote, record: Callable[[str], str | None]) -> GoldSpan:
    text = record(quote.path)
    if text is None:
        raise UsageError(f"question {case.id!r}: {quote.path}, which it quotes, is not in the collection")
    start = text.find(quote.text)
    if start < 0:
        raise UsageError(f"question {case.id!r}: the quote {quote.text!r:.80} is not in {quote.path}")
    return GoldSpan(quote.path, start, start + len(quote.text))


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: is not UTF-8 text (byte {error.start})") from error


def _make_case(path: Path, raw: _RawCase, *, default_id: str) -> Case:
    def make_error(key: str | None, message: str) -> UsageError:
        return UsageError(f"{path}:{raw.lines.get(key or '', raw.line)}: {message}")

    if not isinstance(raw.data, dict):
        raise make_error(None, f"a case is an object with a question, not {abbreviate(raw.data)}")
    return parse_case(raw.data, default_id=default_id, fail=make_error)


def _read_jsonl(path: Path, text: str) -> Iterator[_RawCase]:
    # Not splitlines(): a line separator inside a JSON string is no end of a line.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield _RawCase(_decode_json(path, line, number), number)


def _decode_json(path: Path, text: str, line: int | None = None) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_reject_duplicates)
    except json.JSONDecodeError as error:
        where = f"{path}:{(line or 1) + error.lineno - 1}"
        raise UsageError(f"{where}: is not JSON: {error.msg} at column {error.colno}") from error
    except (ValueError, RecursionError) as error:
        where = f"{path}:{line}" if line else f"{path}"  # what is found after parsing has no line of a longer text
        raise UsageError(f"{where}: is not usable JSON: {error}") from error


def _reject_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of which no key comes twice: of two the parser would keep the last without a word."""
    data: dict[str, Any] = {}
    for key, value in pairs:
        if key in data:
            raise ValueError(f"duplicate key {key!r:.60} in one object")
        data[key] = value
    return data


def _read_json(path: Path, text: str) -> Iterator[_RawCase]:
    key = _find_list_key(path, _decode_json(path, text))
    decoder = json.JSONDecoder()
    at = _skip_blanks(text, 0)
    if key is not None:
        at = _find_value(text, at, key, decoder)
    at, line, counted = _skip_blanks(text, at + 1), 1, 0
    while text[at] != "]":
        value, end = decoder.raw_decode(text, at)
        line, counted = line + text.count("\n", counted, at), at
        yield _RawCase(value, line, _find_key_lines(text[at:end], value, line))
        at = _skip_blanks(text, end)
        at = _skip_blanks(text, at + 1) if text[at] == "," else at


def _find_value(text: str, at: int, wanted: str, decoder: json.JSONDecoder) -> int:
    """Where the value of a key of the object at `at` begins; the text is known to be JSON with that key."""
    key = ""
    while key != wanted:
        key, at = decoder.raw_decode(text, _skip_blanks(text, at + 1))
        at = _skip_blanks(text, _skip_blanks(text, at) + 1)
        if key != wanted:
            at = _skip_blanks(text, decoder.raw_decode(text, at)[1])
    return at


def _skip_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at


def _find_key_lines(text: str, value: Any, line: int) -> dict[str, int]:
    keys = value if isinstance(value, dict) else {}
    return {key: line + text.count("\n", 0, max(0, text.find(f'"{key}"'))) for key in keys}


def _find_list_key(path: Path, whole: Any) -> str | None:
    """Under which key the cases are; None when the file is a list of them."""
    if isinstance(whole, list):
        return None
    keys = [key for key in whole if key not in EXTRA_KEYS] if isinstance(whole, dict) else []
    if len(keys) != 1 or keys[0] not in LIST_KEYS or not isinstance(whole[keys[0]], list):
        raise UsageError(f"{path}:1: must be a list of cases, or an object with one under {' or '.join(LIST_KEYS)}")
    return str(keys[0])


def _read_yaml(path: Path, text: str) -> Iterator[_RawCase]:
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        whole = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise UsageError(f"{path}:{line}: is not YAML: {error.problem or error.context}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise UsageError(f"{path}: is not usable YAML: {' '.join(str(error).split())}") from error
    if (again := find_duplicate_key(root)) is not None:
        raise UsageError(f"{path}:{again.start_mark.line + 1}: duplicate key {again.value!r:.60} in one object")
    key = _find_list_key(path, whole)
    if isinstance(root, yaml.MappingNode):
        [root] = [value for name, value in root.value if name.value == key]
        whole = whole[key]
    nodes = root.value if isinstance(root, yaml.SequenceNode) else []
    for node, data in zip(nodes, whole, strict=True):
        pairs = node.value if isinstance(node, yaml.MappingNode) else []
        yield _RawCase(data, node.start_mark.line + 1, {str(k.value): k.start_mark.line + 1 for k, _ in pairs})


READERS: Mapping[str, Callable[[Path, str], Iterator[_RawCase]]] = {
    ".jsonl": _read_jsonl,
    ".ndjson": _read_jsonl,
    ".json": _read_json,
    ".yaml": _read_yaml,
    ".yml": _read_yaml,
}
