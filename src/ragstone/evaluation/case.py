"""One question of a golden set, and how it comes from the fields that people write."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from reprlib import Repr
from typing import Any

from ragstone.core.errors import UsageError
from ragstone.core.filters import Where, where_from

Fail = Callable[[str | None, str], UsageError]
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
    """A question and what is known about its answer.

    `relevance` grades documents (1 marginal or plain, 2 relevant, 3 highly; 0 not), `chunks` grades
    places (path, ordinal). `acceptable` documents are neither wanted nor wrong: they are left out of
    a ranking before it is scored. A case without a grade above 0 is not scored for ranking.
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


_FILES = (
    "expected_files expected_file expected_docs expected_doc expected_documents expected_document expected_paths "
    "expected_path expected_sources expected_source expected_doc_ids relevant_files relevant_docs gold_docs"
)
# Each spelling that is understood, and the field that it means. `not_answerable` is the reverse of `answerable`.
KEYS: Mapping[str, str] = {
    spelling: meaning
    for meaning, spellings in {
        "id": "id _id case_id question_id",
        "question": "question query",
        "files": _FILES,
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
        "notes": "notes comment",
    }.items()
    for spelling in spellings.split()
}


def case_from(data: Mapping[str, Any], *, default_id: str, fail: Fail) -> Case:
    """A case from plain data with the keys of `KEYS`; `fail(key, message)` makes the error that is raised."""
    fields: dict[str, Any] = {}
    for key, value in data.items():
        meaning = KEYS.get(key)
        if meaning is None:
            # YAML has keys that are no text.
            raise fail(str(key), f"key {str(key)!r} is unknown{_nearest(str(key))}")
        if meaning in fields:
            raise fail(key, f"key {key!r} says the same as another key of this case; keep one of them")
        if value is not None:
            fields[meaning] = _parsed(key, meaning, value, fail)
    if fields.get("answerable") is not None and fields["answerable"] is fields.get("not_answerable"):
        one, other = (key for key in data if data[key] is not None and KEYS[key] in ("answerable", "not_answerable"))
        raise fail(other, f"{one!r} and {other!r} contradict each other; keep one of them")
    if not fields.get("question", "").strip():
        raise fail(None, "a case needs a question: the key 'question' or 'query' with some text")
    return _assembled(fields, default_id)


def short(value: Any) -> str:
    """A value for a message. Looks at its beginning alone: a few lines of YAML can mean a billion of elements."""
    brief = Repr()
    brief.maxlevel = 2
    return f"{brief.repr(value):.60}"


def _nearest(key: str) -> str:
    close = get_close_matches(key.lower(), KEYS, n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else f"; known keys: {', '.join(sorted(KEYS))}"


def _assembled(fields: Mapping[str, Any], default_id: str) -> Case:
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
    )


def _parsed(key: str, meaning: str, value: Any, fail: Fail) -> Any:
    try:
        return _PARSERS[meaning](value)
    except (ValueError, UsageError) as error:
        raise fail(key, f"{key!r} {error}") from error


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"must be text, not {short(value)}")
    return value


def _name(value: Any) -> str:
    name = str(value) if isinstance(value, int) and not isinstance(value, bool) else _text(value)
    if not name.strip():
        raise ValueError("must not be empty")
    return name


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list):
        raise ValueError(f"must be a text or a list of texts, not {short(value)}")
    return tuple(_text(item) for item in value)


def _path(value: Any) -> str:
    path = _name(value).removeprefix("./")
    if not path or path.startswith("/"):
        raise ValueError(f"must be a path relative to the source, not {short(value)}")
    return path


def _paths(value: Any) -> tuple[str, ...]:
    return tuple(_path(item) for item in (value if isinstance(value, list) else [value]))


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"must be true or false, not {short(value)}")
    return value


def _whole(value: Any, *, highest: int = 2**53) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= highest:
        raise ValueError(f"needs a whole number from 0 to {highest}, not {short(value)}")
    return value


def _grades(value: Any) -> dict[str, int]:
    if not isinstance(value, dict):
        raise ValueError("must be an object of path and grade")
    return {_path(path): _whole(grade, highest=HIGHEST_GRADE) for path, grade in value.items()}


def _objects(value: Any, **spellings: tuple[str, ...]) -> list[dict[str, Any]]:
    """A list of objects, each key under its first spelling; every key is needed and no other is known."""
    shape = "{" + ", ".join(spellings) + "}"
    known = {spelling: name for name, others in spellings.items() for spelling in (name, *others)}
    items = value if isinstance(value, list) else [value]
    for item in items:
        if not isinstance(item, dict) or sorted(known.get(key, "?") for key in item) != sorted(spellings):
            raise ValueError(f"must be a list of objects {shape}, not {short(item)}")
    return [{known[key]: part for key, part in item.items()} for item in items]


_PATH = ("source_path", "file", "file_path")


def _chunks(value: Any) -> dict[tuple[str, int], int]:
    refs = _objects(value, path=_PATH, ordinal=("chunk_ordinal",))
    return {(_path(ref["path"]), _whole(ref["ordinal"])): 1 for ref in refs}


def _spans(value: Any) -> tuple[GoldSpan, ...]:
    items = _objects(value, path=_PATH, char_start=("start", "start_index"), char_end=("end", "end_index"))
    spans = tuple(GoldSpan(_path(i["path"]), _whole(i["char_start"]), _whole(i["char_end"])) for i in items)
    if empty := [span for span in spans if span.char_end <= span.char_start]:
        raise ValueError(f"must not hold the empty span {empty[0].char_start}-{empty[0].char_end}")
    return spans


def _quotes(value: Any) -> tuple[Quote, ...]:
    return tuple(Quote(_path(i["path"]), _name(i["text"])) for i in _objects(value, path=_PATH, text=("quote",)))


def _where(value: Any) -> Where:
    if not isinstance(value, dict):
        raise ValueError("must be an object of filters")
    return where_from(value)


_PARSERS: Mapping[str, Callable[[Any], Any]] = {
    "id": _name,
    "question": _text,
    "files": _paths,
    "relevance": _grades,
    "must": _paths,
    "acceptable": _paths,
    "chunks": _chunks,
    "spans": _spans,
    "quotes": _quotes,
    "answer": _text,
    "answer_contains": _texts,
    "answers": _texts,
    "sentences": _texts,
    "answerable": _truth,
    "not_answerable": _truth,
    "forbidden": _texts,
    "where": _where,
    "kind": _name,
    "notes": lambda value: value,
}
