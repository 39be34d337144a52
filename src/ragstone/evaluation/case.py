"""One question of a golden set, and how it comes from the fields that people write."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from reprlib import Repr
from typing import Any

from ragstone.core.errors import UsageError
from ragstone.core.filters import Where, parse_where
from ragstone.core.suggestions import find_alike

MakeError = Callable[[str | None, str], UsageError]
HIGHEST_GRADE = 100  # 2**grade must stay a number


@dataclass(frozen=True, slots=True)
class GoldSpan:
    """Where an answer stands: characters from 0, exclusive end, in the text of record of `path`."""

    path: str
    char_start: int
    char_end: int


@dataclass(frozen=True, slots=True)
class Quote:
    """Words that stand in the text of record of `path`: a gold span that survives edits around it."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Case:
    """A question with its expected results.

    `relevance` grades documents (1 marginal or plain, 2 relevant, 3 highly; 0 not), `chunks` grades
    places (path, ordinal). `acceptable` documents are neither wanted nor wrong: they are left out of
    a ranking before it is scored. A case without a grade above 0 is not scored for ranking.
    One that is not `accepted` was made by a program, and no person has read it yet.
    All of `answer_contains`, or one of `answers`, stand in a good answer; `sentences` are those that answer.
    """

    id: str
    question: str
    relevance: Mapping[str, int] = field(default_factory=dict)
    acceptable: tuple[str, ...] = ()
    chunks: Mapping[tuple[str, int], int] = field(default_factory=dict)
    spans: tuple[GoldSpan, ...] = ()
    quotes: tuple[Quote, ...] = ()
    answer: str | None = None
    answer_contains: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()
    answerable: bool = True
    forbidden: tuple[str, ...] = ()
    where: Where = field(default_factory=Where)
    kind: str = ""
    accepted: bool = True


_FILE_KEYS = (
    "expected_files expected_file expected_docs expected_doc expected_documents expected_document expected_paths "
    "expected_path expected_sources expected_source expected_doc_ids relevant_files relevant_docs gold_docs"
)
# Each spelling that is understood, and the field that it means. `not_answerable` is the reverse of `answerable`.
KEY_MEANINGS: Mapping[str, str] = {
    spelling: meaning
    for meaning, spellings in {
        "id": "id _id case_id question_id",
        "question": "question query",
        "files": _FILE_KEYS,
        "relevance": "relevance",
        "must": "must_include_source_paths",
        "acceptable": "acceptable_source_paths",
        "chunks": "must_include_chunk_refs expected_chunks",
        "spans": "spans expected_spans",
        "quotes": "quotes expected_quotes",
        "answer": "expected_answer answer reference_answer",
        "answer_contains": "answer_contains expected_answer_contains",
        "answers": "answers expected_answers",
        "sentences": "selected_sentences gold_sentences",
        "answerable": "answerable is_answerable",
        "not_answerable": "unanswerable should_abstain expect_abstain is_impossible",
        "forbidden": "forbidden_claims forbidden",
        "where": "where filters",
        "kind": "kind category",
        "accepted": "accepted",
        "notes": "notes comment",
    }.items()
    for spelling in spellings.split()
}


def parse_case(data: Mapping[str, Any], *, default_id: str, fail: MakeError) -> Case:
    """A case from plain data with the keys of `KEY_MEANINGS`; `fail(key, message)` makes the error that is raised."""
    fields: dict[str, Any] = {}
    for key, value in data.items():
        meaning = KEY_MEANINGS.get(key)
        if meaning is None:
            # YAML has keys that are no text.
            raise fail(str(key), f"unknown key {str(key)!r}{_suggest_key(str(key))}")
        if meaning in fields:
            raise fail(key, f"duplicate key {key!r}: another key of this case means the same")
        if value is not None:
            fields[meaning] = _parse_field(key, meaning, value, fail)
    if fields.get("answerable") is not None and fields["answerable"] is fields.get("not_answerable"):
        one, other = (
            key for key in data if data[key] is not None and KEY_MEANINGS[key] in ("answerable", "not_answerable")
        )
        raise fail(other, f"{one!r} and {other!r} contradict each other; keep one of them")
    if not fields.get("question", "").strip():
        raise fail(None, "a case needs a question: the key 'question' or 'query' with some text")
    return _assemble_case(fields, default_id)


def abbreviate(value: Any) -> str:
    """A value for a message. Looks at its beginning alone: a few lines of YAML can mean a billion of elements."""
    brief = Repr()
    brief.maxlevel = 2
    return f"{brief.repr(value):.60}"


def _suggest_key(key: str) -> str:
    near = find_alike(key.lower(), KEY_MEANINGS)
    return f"; did you mean {near!r}?" if near else f"; known keys: {', '.join(sorted(KEY_MEANINGS))}"


def _assemble_case(fields: Mapping[str, Any], default_id: str) -> Case:
    files: dict[str, int] = {path: 1 for key in ("files", "must") for path in fields.get(key, ())}
    files.update(fields.get("relevance", {}))
    chunks = fields.get("chunks", {})
    places = [
        *(path for path, _ in chunks),
        *(gold.path for key in ("spans", "quotes") for gold in fields.get(key, ())),
    ]
    acceptable = tuple(path for path in fields.get("acceptable", ()) if path not in files)
    if not files and not places:
        # Nothing must be there: then any acceptable document answers.
        files, acceptable = dict.fromkeys(acceptable, 1), ()
    return Case(
        id=fields.get("id", default_id),
        question=fields["question"],
        relevance=files or dict.fromkeys(places, 1),
        acceptable=acceptable,
        chunks=chunks,
        spans=fields.get("spans", ()),
        quotes=fields.get("quotes", ()),
        answer=fields.get("answer"),
        answer_contains=fields.get("answer_contains", ()),
        answers=fields.get("answers", ()),
        sentences=fields.get("sentences", ()),
        answerable=fields.get("answerable", not fields.get("not_answerable", False)),
        forbidden=fields.get("forbidden", ()),
        where=fields.get("where", Where()),
        kind=fields.get("kind", ""),
        accepted=fields.get("accepted", True),
    )


def _parse_field(key: str, meaning: str, value: Any, fail: MakeError) -> Any:
    try:
        return _PARSERS[meaning](value)
    except (ValueError, UsageError) as error:
        raise fail(key, f"invalid {key!r}: {error}") from error


def _parse_text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected text, not {abbreviate(value)}")
    return value


def _parse_name(value: Any) -> str:
    name = str(value) if isinstance(value, int) and not isinstance(value, bool) else _parse_text(value)
    if not name.strip():
        raise ValueError("expected a text that is not empty")
    return name


def _parse_texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list):
        raise ValueError(f"expected a text or a list of texts, not {abbreviate(value)}")
    return tuple(_parse_text(item) for item in value)


def _parse_path(value: Any) -> str:
    path = _parse_name(value).removeprefix("./")
    if not path or path.startswith("/"):
        raise ValueError(f"expected a path relative to the source, not {abbreviate(value)}")
    return path


def _parse_paths(value: Any) -> tuple[str, ...]:
    return tuple(_parse_path(item) for item in (value if isinstance(value, list) else [value]))


def _parse_bool(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"expected true or false, not {abbreviate(value)}")
    return value


def _parse_integer(value: Any, *, highest: int = 2**53) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= highest:
        raise ValueError(f"expected a whole number from 0 to {highest}, not {abbreviate(value)}")
    return value


def _parse_grades(value: Any) -> dict[str, int]:
    if not isinstance(value, dict):
        raise ValueError("expected an object of path and grade")
    return {_parse_path(path): _parse_integer(grade, highest=HIGHEST_GRADE) for path, grade in value.items()}


def _parse_objects(value: Any, **spellings: tuple[str, ...]) -> list[dict[str, Any]]:
    """A list of objects, each key under its first spelling; every key is needed and no other is known."""
    shape = "{" + ", ".join(spellings) + "}"
    known = {spelling: name for name, others in spellings.items() for spelling in (name, *others)}
    items = value if isinstance(value, list) else [value]
    for item in items:
        if not isinstance(item, dict) or sorted(known.get(key, "?") for key in item) != sorted(spellings):
            raise ValueError(f"expected a list of objects {shape}, not {abbreviate(item)}")
    return [{known[key]: part for key, part in item.items()} for item in items]


_PATH_KEYS = ("source_path", "file", "file_path")


def _parse_chunks(value: Any) -> dict[tuple[str, int], int]:
    refs = _parse_objects(value, path=_PATH_KEYS, ordinal=("chunk_ordinal",))
    return {(_parse_path(ref["path"]), _parse_integer(ref["ordinal"])): 1 for ref in refs}


def _parse_spans(value: Any) -> tuple[GoldSpan, ...]:
    items = _parse_objects(value, path=_PATH_KEYS, char_start=("start", "start_index"), char_end=("end", "end_index"))
    spans = tuple(
        GoldSpan(_parse_path(i["path"]), _parse_integer(i["char_start"]), _parse_integer(i["char_end"])) for i in items
    )
    if empty := [span for span in spans if span.char_end <= span.char_start]:
        raise ValueError(f"the span {empty[0].char_start}-{empty[0].char_end} is empty")
    return spans


def _parse_quotes(value: Any) -> tuple[Quote, ...]:
    return tuple(
        Quote(_parse_path(i["path"]), _parse_name(i["text"]))
        for i in _parse_objects(value, path=_PATH_KEYS, text=("quote",))
    )


def _parse_where(value: Any) -> Where:
    if not isinstance(value, dict):
        raise ValueError("expected an object of filters")
    return parse_where(value)


_PARSERS: Mapping[str, Callable[[Any], Any]] = {
    "id": _parse_name,
    "question": _parse_text,
    "files": _parse_paths,
    "relevance": _parse_grades,
    "must": _parse_paths,
    "acceptable": _parse_paths,
    "chunks": _parse_chunks,
    "spans": _parse_spans,
    "quotes": _parse_quotes,
    "answer": _parse_text,
    "answer_contains": _parse_texts,
    "answers": _parse_texts,
    "sentences": _parse_texts,
    "answerable": _parse_bool,
    "not_answerable": _parse_bool,
    "forbidden": _parse_texts,
    "where": _parse_where,
    "kind": _parse_name,
    "accepted": _parse_bool,
    "notes": lambda value: value,
}
