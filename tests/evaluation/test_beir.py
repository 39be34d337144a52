import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.core.errors import Refused, UsageError
from ragstone.core.ports import ListedFile, Source
from ragstone.evaluation import BeirSource, load_beir_cases, load_cases, path_for_id
from tests.beside import DATA, LARGE

DOCUMENTS = [
    {"_id": "https://x/y#z", "title": "Größe", "text": "lang", "metadata": {"n": 1}},
    {"_id": "..", "title": "", "text": "kurz"},
    {"_id": 3, "text": "drei"},
]
QUERIES = [
    {"_id": "1", "text": "groß?"},
    {"_id": "2", "text": "was?", "metadata": {"answerable": False}},
    {"_id": "3", "text": "?"},
]


def folder(
    root: Path,
    documents: Sequence[object] = DOCUMENTS,
    queries: Sequence[object] = QUERIES,
    qrels: str = "query-id\tcorpus-id\tscore\n1\thttps://x/y#z\t2\n1\t..\t0\n",
) -> Path:
    (root / "qrels").mkdir(parents=True, exist_ok=True)
    (root / "corpus.jsonl").write_text("".join(json.dumps(d) + "\n" for d in documents), encoding="utf-8")
    (root / "queries.jsonl").write_text("\n".join(json.dumps(q) for q in queries), encoding="utf-8")
    (root / "qrels" / "test.tsv").write_text(qrels, encoding="utf-8")
    return root


def test_judged_and_unanswerable_questions_come_in_the_order_of_the_file(tmp_path: Path) -> None:
    judged, unanswerable = load_cases(folder(tmp_path))
    assert judged.relevance == {"https://x/y#z": 2, "..": 0}
    assert (unanswerable.id, unanswerable.answerable) == ("2", False)


def test_for_answers_every_question_that_is_marked_comes_and_the_rest_is_counted(tmp_path: Path) -> None:
    marked = {"_id": "4", "text": "wo?", "metadata": {"answerable": True, "answers": ["hier"]}}
    root = folder(tmp_path, queries=[*QUERIES, marked])
    told: list[str] = []
    cases = load_beir_cases(root, answers=True, tell=told.append)
    assert [(case.id, case.answerable, dict(case.relevance)) for case in cases] == [
        ("1", True, {"https://x/y#z": 2, "..": 0}),
        ("2", False, {}),
        ("4", True, {}),
    ]
    assert [said.split(":")[0] for said in told] == ["1 question of queries.jsonl left out"]
    assert [case.id for case in load_beir_cases(root)] == ["1", "2"]
    with pytest.raises(UsageError, match=r"tset\.tsv: not found; splits there: test; name one with --split"):
        load_beir_cases(root, answers=True, split="tset")
    (root / "qrels" / "test.tsv").unlink()
    told.clear()
    assert [case.id for case in load_beir_cases(root, answers=True, tell=told.append)] == ["2", "4"]
    assert [said.split(":")[0] for said in told] == [
        "qrels/test.tsv does not exist",
        "2 questions of queries.jsonl left out",
    ]
    unmarked = folder(tmp_path / "unmarked", queries=[{"_id": "1", "text": "?", "metadata": {"answerable": None}}])
    (unmarked / "qrels" / "test.tsv").unlink()
    with pytest.raises(UsageError, match="judges no question, and none has `answerable` in its metadata"):
        load_beir_cases(unmarked, answers=True)


def test_the_corpus_is_a_source_whose_paths_lead_back_to_ids(tmp_path: Path) -> None:
    source: Source = BeirSource(folder(tmp_path))
    listed = [one for one in source.walk() if isinstance(one, ListedFile)]
    contents = [source.read(one.path, 1000) for one in listed]
    assert contents == ["Größe\n\nlang".encode(), b"kurz", b"drei"]
    assert [one.size for one in listed] == [len(content) for content in contents]
    assert [BeirSource(tmp_path).id_of(one.path) for one in listed] == ["https://x/y#z", "..", "3"]
    assert all("/" not in one.path and one.path.endswith(".txt") for one in listed)
    assert BeirSource(tmp_path).ids == ("https://x/y#z", "..", "3")


def test_the_source_refuses_what_it_does_not_have(tmp_path: Path) -> None:
    source = BeirSource(folder(tmp_path))
    with pytest.raises(Refused, match="limit") as too_large:
        source.read("3.txt", 2)
    assert too_large.value.reason == "too_large"
    with pytest.raises(Refused, match="not in"):
        source.read("4.txt", 100)
    with pytest.raises(UsageError, match="another corpus"):
        source.id_of("4.txt")
    folder(tmp_path, documents=list(reversed(DOCUMENTS)))
    with pytest.raises(Refused):
        source.read("3.txt", 100)


@given(st.lists(st.text(st.characters(), min_size=1, max_size=300), min_size=2, max_size=6, unique=True))
@settings(max_examples=100, deadline=None)
def test_different_ids_have_different_safe_file_names(ids: list[str]) -> None:
    paths = [path_for_id(one) for one in ids]
    assert len(set(paths)) == len(ids)
    for path in paths:
        assert path.isascii()
        assert path.isprintable()
        assert len(path) <= 255
        assert not set(path) & set('/\\:*?"<>| ')


def test_ids_that_could_meet_are_kept_apart() -> None:
    alike = ["?", "\ud800", "\ud801", "a" * 300, "a" * 301, path_for_id("a" * 300).removesuffix(".txt")]
    assert len({path_for_id(one) for one in alike}) == len(alike)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"qrels": "query-id\tcorpus-id\tscore\n1\tx\n"}, r"test\.tsv:2: "),
        ({"qrels": "1\tx\thigh\n"}, r"test\.tsv:1: "),
        ({"qrels": "1\tx\t99999\n"}, r"test\.tsv:1: "),
        ({"qrels": "query-id\tcorpus-id\tscore\n", "queries": QUERIES[:1]}, r"judges no question"),
        ({"qrels": "9\tx\t1\n"}, r"judges the question '9'"),
        ({"queries": [{"_id": "1"}]}, r"queries\.jsonl:1: "),
        ({"queries": [{"_id": "1", "text": "a", "metadata": {"answerable": "false"}}]}, r"l:1: .* not 'false'"),
        ({"queries": [{"_id": "1", "text": "a", "metadata": {"answerable": 0}}]}, r"l:1: .*expected true or false"),
        ({"queries": [{"_id": "1", "text": "a"}, {"_id": "1", "text": "b"}]}, r"queries\.jsonl:2: duplicate _id"),
        ({"queries": [[]]}, r"queries\.jsonl:1: a line is an object"),
    ],
)
def test_bad_questions_and_judgements_are_refused_with_their_line(
    tmp_path: Path, change: dict[str, Sequence[object] | str], says: str
) -> None:
    root = folder(tmp_path, **change)  # type: ignore[arg-type]  # the values fit their keys
    with pytest.raises(UsageError, match=says):
        load_beir_cases(root)


@pytest.mark.parametrize(
    ("documents", "says"),
    [
        ([{"_id": "a", "text": "x"}, {"_id": "a", "text": "y"}], "duplicate _id"),
        ([{"_id": "", "text": "x"}], r"corpus\.jsonl:1: .*_id"),
        ([{"_id": "a"}], r"corpus\.jsonl:1: .*text"),
        ([], "holds no document"),
    ],
)
def test_a_bad_corpus_is_refused_with_its_line(tmp_path: Path, documents: Sequence[object], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        BeirSource(folder(tmp_path, documents=documents))


def test_another_split_is_named_when_it_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"dev\.tsv: not found; splits there: test"):
        load_beir_cases(folder(tmp_path), split="dev")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="splits there: none; write it: query-id, corpus-id, score"):
        load_beir_cases(tmp_path / "empty")
    with pytest.raises(UsageError, match=r"nowhere is not a folder: BEIR is corpus\.jsonl"):
        load_beir_cases(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="cannot be read"):
        BeirSource(tmp_path / "nowhere")


def published(root: Path, *, answers: bool) -> Path:
    """A collection as they are published: addresses and numbers as names, titles that lack, grades, other splits."""
    towns = [f"{start}{end}" for start in ("Alt", "Neu", "Bad ", "Klein", "Groß") for end in ("burg", "dorf", "stein")]
    documents = [
        {
            "_id": f"https://towns.example/{n}?page=a b#{town}" if n % 2 else n,
            "text": f"{town} {n} has {7 * n} people.",
            **({"title": town} if n % 3 else {}),
            "metadata": {"n": n, "place": [town]},
        }
        for n, town in enumerate(towns * 10)
    ]
    away = [{"_id": f"q{n}", "text": f"Who rules {n}?", "metadata": {"answerable": False}} for n in range(9) if answers]
    queries = [{"_id": str(n), "text": f"How many people has {town} {n}?"} for n, town in enumerate(towns * 10)]
    judged = "".join(f"{n}\t{one['_id']}\t{n % 3}\n{n}\t{documents[0]['_id']}\t1\n" for n, one in enumerate(documents))
    made = folder(root, documents, [*queries, *away], f"query-id\tcorpus-id\tscore\n{judged}")
    (root / "qrels" / "train.tsv").write_text("query-id\tcorpus-id\tscore\n0\t0\t1\n", encoding="utf-8")
    return made


COLLECTIONS = ["retrieval/cranfield", "retrieval/anthropic_docs", "qa/squad_near", "qa/clapnq"]


@pytest.mark.parametrize(
    "name", ["retrieval/own", "qa/own", *(pytest.param(name, marks=LARGE) for name in COLLECTIONS)]
)
def test_published_collections_are_read_as_they_are(name: str, tmp_path: Path) -> None:
    root = published(tmp_path, answers=name.startswith("qa/")) if name.endswith("/own") else DATA / name
    source = BeirSource(root)
    ids = {source.id_of(one.path) for one in source.walk() if isinstance(one, ListedFile)}
    cases = load_beir_cases(root)
    assert len(cases) >= 90
    assert all(case.relevance.keys() <= ids for case in cases)
    assert any(not case.answerable for case in cases) == name.startswith("qa/")
