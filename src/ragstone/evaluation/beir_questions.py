"""The questions of a BEIR folder: queries.jsonl with what qrels/<split>.tsv and their metadata say of them."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from ragstone.core.errors import UsageError
from ragstone.core.plural import format_count
from ragstone.core.types import Json
from ragstone.evaluation.beir import read_guarded, read_id, read_objects
from ragstone.evaluation.case import HIGHEST_GRADE, Case, abbreviate


def load_beir_cases(
    folder: str | Path,
    *,
    split: str = "test",
    answers: bool = False,
    tell: Callable[[str], None] = lambda _warning: None,
) -> tuple[Case, ...]:
    """The questions of a BEIR folder that `qrels/<split>.tsv` judges, in the order of queries.jsonl.

    Questions whose metadata say `answerable: false` come too, for abstention. With `answers` come all whose metadata
    say whether they are answerable, and the judgements may be missing; `tell` gets a message about omitted questions.
    `relevance` holds the ids of the corpus as they stand: score with granularity "id".
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder: BEIR is corpus.jsonl, queries.jsonl and qrels/{split}.tsv in one")
    file = folder / "qrels" / f"{split}.tsv"
    judged = _read_qrels(file) if not answers or any(file.parent.glob("*.tsv")) else {}
    read = [
        (_make_case(data, judged.get(read_id(data, where), {}), where), _is_answerable(data))
        for data, where in _read_queries(folder)
    ]
    if missing := sorted(judged.keys() - {case.id for case, _ in read}):
        raise UsageError(f"{folder}: qrels/{split}.tsv judges the question {missing[0]!r}, which queries.jsonl lacks")
    wanted = tuple(case for case, marked in read if case.id in judged or not case.answerable or (answers and marked))
    if not wanted:
        _refuse_empty(file, answers=answers)
    if answers:
        _warn_left_out(file, len(read) - len(wanted), tell)
    return wanted


def _refuse_empty(file: Path, *, answers: bool) -> None:
    """Raises `UsageError` for a folder of which no question can be asked."""
    if answers:
        raise UsageError(f"{file}: judges no question, and none has `answerable` in its metadata")
    raise UsageError(f"{file}: judges no question")


def _warn_left_out(file: Path, left: int, tell: Callable[[str], None]) -> None:
    name = f"qrels/{file.name}"
    if not file.is_file():
        tell(f"{name} does not exist: nothing is scored for ranking")
    if left:
        tell(
            f"{format_count(left, 'question')} of queries.jsonl left out: neither {name} nor `answerable` "
            "in their metadata "
            "says what is expected of them"
        )


def _read_queries(folder: Path) -> Iterator[tuple[Json, str]]:
    seen: set[str] = set()
    for data, where, _ in read_objects(folder / "queries.jsonl"):
        if read_id(data, where) in seen:
            raise UsageError(f"{where}: duplicate _id {read_id(data, where)!r}")
        seen.add(read_id(data, where))
        yield data, where


def _make_case(data: Json, relevance: Mapping[str, int], where: str) -> Case:
    metadata = data.get("metadata") or {}
    if not isinstance(data.get("text"), str) or not isinstance(metadata, dict):
        raise UsageError(f"{where}: a question needs _id and text; metadata is an object")
    answerable = metadata.get("answerable")
    if not isinstance(answerable, bool | None):
        raise UsageError(f"{where}: invalid 'answerable': expected true or false, not {abbreviate(answerable)}")
    answers = _select_texts(metadata.get("answers"))
    return Case(
        read_id(data, where),
        data["text"],
        relevance=relevance,
        answer=next(iter(answers), None),
        answers=answers,
        sentences=_select_texts(metadata.get("selected_sentences")),
        answerable=answerable is not False,
    )


def _is_answerable(data: Json) -> bool:
    """Whether a question's metadata, which were checked, say if it is answerable."""
    return (data.get("metadata") or {}).get("answerable") is not None


def _select_texts(value: object) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def _read_qrels(file: Path) -> dict[str, dict[str, int]]:
    if not file.is_file():
        do = "name one with --split" if list(file.parent.glob("*.tsv")) else "write it: query-id, corpus-id, score"
        raise UsageError(f"{file}: not found; splits there: {_list_splits(file)}; {do}")
    out: dict[str, dict[str, int]] = {}
    for number, line in enumerate(read_guarded(file, lambda: file.read_bytes().split(b"\n")), 1):
        fields = line.decode("utf-8", "replace").strip("\r\n").split("\t")
        if fields == [""] or (number == 1 and fields[-1] == "score"):
            continue
        if len(fields) != 3 or not _is_grade(fields[2]):
            raise UsageError(f"{file}:{number}: a line is query-id, corpus-id and a whole grade, parted by tabs")
        out.setdefault(fields[0], {})[fields[1]] = int(fields[2])
    return out


def _list_splits(file: Path) -> str:
    """What stands in the place of a file of judgements."""
    return ", ".join(sorted(other.stem for other in file.parent.glob("*.tsv"))) or "none"


def _is_grade(text: str) -> bool:
    return text.removeprefix("-").isdecimal() and len(text) <= 4 and int(text) <= HIGHEST_GRADE
