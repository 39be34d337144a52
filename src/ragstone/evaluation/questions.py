"""The questions of a BEIR folder: queries.jsonl with what qrels/<split>.tsv and their metadata say of them."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from ragstone.core.errors import UsageError
from ragstone.core.plural import counted
from ragstone.core.types import Json
from ragstone.evaluation.beir import id_in, lines, opened
from ragstone.evaluation.case import HIGHEST_GRADE, Case, short


def beir_cases(
    folder: str | Path,
    *,
    split: str = "test",
    answers: bool = False,
    tell: Callable[[str], None] = lambda _warning: None,
) -> tuple[Case, ...]:
    """The questions of a BEIR folder that `qrels/<split>.tsv` judges, in the order of queries.jsonl.

    Questions whose metadata say `answerable: false` come too, for abstention. With `answers` come all whose metadata
    say whether they are answerable, and the judgements may be missing; `tell` hears what is left out. `relevance` holds
    the ids of the corpus as they stand: score with granularity "id".
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder: BEIR is corpus.jsonl, queries.jsonl and qrels/{split}.tsv in one")
    file = folder / "qrels" / f"{split}.tsv"
    judged = _qrels(file) if not answers or any(file.parent.glob("*.tsv")) else {}
    read = [(_case(data, judged.get(id_in(data, where), {}), where), _marked(data)) for data, where in _queries(folder)]
    if missing := sorted(judged.keys() - {case.id for case, _ in read}):
        raise UsageError(f"{folder}: qrels/{split}.tsv judges the question {missing[0]!r}, which queries.jsonl lacks")
    wanted = tuple(case for case, marked in read if case.id in judged or not case.answerable or (answers and marked))
    if not wanted:
        _refuse(file, answers=answers)
    if answers:
        _warn(file, len(read) - len(wanted), tell)
    return wanted


def _refuse(file: Path, *, answers: bool) -> None:
    """Raises `UsageError` for a folder of which no question can be asked."""
    if answers:
        raise UsageError(f"{file}: judges no question, and none has `answerable` in its metadata")
    raise UsageError(f"{file}: judges no question")


def _warn(file: Path, left: int, tell: Callable[[str], None]) -> None:
    name = f"qrels/{file.name}"
    if not file.is_file():
        tell(f"{name} is not there: nothing is scored for ranking")
    if left:
        tell(
            f"{counted(left, 'question')} of queries.jsonl left out: neither {name} nor `answerable` in their metadata "
            "says what is expected of them"
        )


def _queries(folder: Path) -> Iterator[tuple[Json, str]]:
    seen: set[str] = set()
    for data, where, _ in lines(folder / "queries.jsonl"):
        if id_in(data, where) in seen:
            raise UsageError(f"{where}: the _id {id_in(data, where)!r} stands there twice")
        seen.add(id_in(data, where))
        yield data, where


def _case(data: Json, relevance: Mapping[str, int], where: str) -> Case:
    metadata = data.get("metadata") or {}
    if not isinstance(data.get("text"), str) or not isinstance(metadata, dict):
        raise UsageError(f"{where}: a question needs _id and text; metadata is an object")
    answerable = metadata.get("answerable")
    if not isinstance(answerable, bool | None):
        raise UsageError(f"{where}: 'answerable' must be true or false, not {short(answerable)}")
    answers = _texts(metadata.get("answers"))
    return Case(
        id_in(data, where),
        data["text"],
        relevance=relevance,
        answer=next(iter(answers), None),
        answers=answers,
        sentences=_texts(metadata.get("selected_sentences")),
        answerable=answerable is not False,
    )


def _marked(data: Json) -> bool:
    """Whether a question's metadata, which were checked, say if it is answerable."""
    return (data.get("metadata") or {}).get("answerable") is not None


def _texts(value: object) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def _qrels(file: Path) -> dict[str, dict[str, int]]:
    if not file.is_file():
        raise UsageError(f"{file}: not found; splits there: {_splits(file)}")
    out: dict[str, dict[str, int]] = {}
    for number, line in enumerate(opened(file, lambda: file.read_bytes().split(b"\n")), 1):
        fields = line.decode("utf-8", "replace").strip("\r\n").split("\t")
        if fields == [""] or (number == 1 and fields[-1] == "score"):
            continue
        if len(fields) != 3 or not _is_grade(fields[2]):
            raise UsageError(f"{file}:{number}: a line is query-id, corpus-id and a whole grade, parted by tabs")
        out.setdefault(fields[0], {})[fields[1]] = int(fields[2])
    return out


def _splits(file: Path) -> str:
    """What stands in the place of a file of judgements."""
    return ", ".join(sorted(other.stem for other in file.parent.glob("*.tsv"))) or "none"


def _is_grade(text: str) -> bool:
    return text.removeprefix("-").isdecimal() and len(text) <= 4 and int(text) <= HIGHEST_GRADE
