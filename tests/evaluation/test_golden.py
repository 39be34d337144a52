import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.core.errors import UsageError
from ragstone.core.filters import Where
from ragstone.evaluation import Case, GoldSpan, Quote, load_cases, locate_quotes
from ragstone.evaluation.case import KEY_MEANINGS


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def one(folder: Path, **fields: object) -> Case:
    [case] = load_cases(written(folder, "one.jsonl", json.dumps({"query": "why?", **fields})))
    return case


def test_graded_yaml_with_expected_files(tmp_path: Path) -> None:
    text = """
cases:
  - query: how are triangles solved?
    relevance: {math/trigonometry.md: 3, math/algebra.md: 1}
    expected_answer: With sines.
  - query: what is a set?
    expected_files: [math/sets.md, ./math/logic.md]
"""
    first, second = load_cases(written(tmp_path, "golden.yaml", text))
    assert first.relevance == {"math/trigonometry.md": 3, "math/algebra.md": 1}
    assert (first.id, first.answer, first.answerable) == ("q1", "With sines.", True)
    assert second.relevance == {"math/sets.md": 1, "math/logic.md": 1}


def test_must_include_paths_and_chunk_refs_as_they_stand(tmp_path: Path) -> None:
    case = one(
        tmp_path,
        must_include_source_paths=["a.md"],
        acceptable_source_paths=["b.md", "a.md"],
        must_include_chunk_refs=[{"source_path": "a.md", "chunk_ordinal": 4}],
        forbidden_claims=["It is free."],
    )
    assert (case.relevance, case.acceptable) == ({"a.md": 1}, ("b.md",))
    assert case.chunks == {("a.md", 4): 1}
    assert case.forbidden == ("It is free.",)


def test_questions_jsonl_with_one_expected_document_or_none(tmp_path: Path) -> None:
    lines = [
        '{"question": "Who pays?", "expected_doc": "pay.md"}',
        "",
        '{"question": "Who cooks?", "answerable": false}',
        '{"question": "Who sings?", "should_abstain": true}',
    ]
    pays, cooks, sings = load_cases(written(tmp_path, "questions.jsonl", "\ufeff" + "\r\n".join(lines)))
    assert pays.relevance == {"pay.md": 1}
    assert not cooks.answerable
    assert not sings.answerable


def test_any_acceptable_document_answers_when_none_must_be_there(tmp_path: Path) -> None:
    case = one(tmp_path, acceptable_source_paths=["a.md", "b.md"])
    assert (case.relevance, case.acceptable) == ({"a.md": 1, "b.md": 1}, ())


def test_files_of_chunks_spans_and_quotes_are_relevant_when_no_file_is_named(tmp_path: Path) -> None:
    assert one(tmp_path, must_include_chunk_refs=[{"path": "a.md", "ordinal": 0}]).relevance == {"a.md": 1}
    spans = [{"path": "b.md", "start_index": 3, "end_index": 9}]
    quotes = [{"path": "c.md", "quote": "said so"}]
    case = one(tmp_path, spans=spans, quotes=quotes, filters={"tags": "x"}, kind="fact", answer_contains="so")
    assert case.relevance == {"b.md": 1, "c.md": 1}
    assert (case.spans, case.quotes) == ((GoldSpan("b.md", 3, 9),), (Quote("c.md", "said so"),))
    assert (case.where, case.kind, case.answer_contains) == (Where(tags=("x",)), "fact", ("so",))


def test_quotes_are_found_in_the_text_of_record(tmp_path: Path) -> None:
    case = one(tmp_path, quotes=[{"path": "c.md", "text": "said so"}])
    assert locate_quotes(case, {"c.md": "He said so."}.get).spans == (GoldSpan("c.md", 3, 10),)
    with pytest.raises(UsageError, match=r"is not in c\.md"):
        locate_quotes(case, {"c.md": "He said\nso."}.get)
    with pytest.raises(UsageError, match=r"c\.md, which it quotes, is not in the collection"):
        locate_quotes(case, dict[str, str]().get)


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.yaml", "- query: a\n- query: b\n  expected_file_s: [x]\n", r"a\.yaml:3: .*did you mean 'expected_files'"),
        ("a.jsonl", '{"query": "a"}\n{"qurey": "b"}\n', r"a\.jsonl:2: unknown key 'qurey'.*did you mean 'query'"),
        (
            "a.json",
            '[\n {"query": "a"},\n {"query": "b",\n  "zzzzzz": 1}]',
            r"a\.json:4: unknown key 'zzzzzz'.*known keys",
        ),
        ("a.json", '{"version": 1,\n "cases": [\n {"query": ""}]}', r"a\.json:3: a case needs a question"),
        ("a.jsonl", '{"query": "a"}\n{"query": \n', r"a\.jsonl:2: is not JSON"),
        ("a.jsonl", '{"query": "a"}\n[1]\n', r"a\.jsonl:2: a case is an object"),
        (
            "a.yaml",
            "- query: a\n  relevance: {x.md: high}\n",
            r"a\.yaml:2: invalid 'relevance': expected a whole number",
        ),
        ("a.yaml", "- query: a\n  relevance: {x.md: -1}\n", r"a\.yaml:2: invalid 'relevance': expected a whole number"),
        ("a.yaml", "- query: a\n  expected_files: [/x.md]\n", r"a\.yaml:2: .*relative"),
        ("a.yaml", "- query: a\n  answerable: maybe\n", r"a\.yaml:2: invalid 'answerable': expected true or false"),
        ("a.yaml", "- query: a\n  answerable: true\n  is_impossible: true\n", r"a\.yaml:3: 'answerable' and 'is_impos"),
        ("a.jsonl", '{"query": "a", "unanswerable": false, "answerable": false}', "contradict each other; keep one"),
        ("a.yaml", "- query: a\n  query: [\n", r"a\.yaml:\d: is not YAML"),
        ("a.yaml", "- query: 2024-99-99\n", r"a\.yaml: is not usable YAML"),
        ("a.yaml", "- query: 2024-01-01\n", r"a\.yaml:1: invalid 'query': expected text"),
        ("a.yaml", "- query: a\n  question: b\n", r"a\.yaml:2: duplicate key 'question'"),
        ("a.yaml", "- query: a\n  1: b\n", r"a\.yaml:2: unknown key '1'"),
        ("a.yaml", "- {query: a, id: x}\n- {query: b, id: x}\n", r"a\.yaml:2: duplicate id 'x', first at line 1"),
        ("a.yaml", "- query: a\n  must_include_chunk_refs: [{path: x}]\n", r"a\.yaml:2: .*\{path, ordinal\}"),
        ("a.yaml", "- query: a\n  spans: [{path: x, start: 4, end: 4}]\n", r"a\.yaml:2: .*span 4-4 is empty"),
        ("a.yaml", "- query: a\n  where: {tagz: x}\n", r"a\.yaml:2: .*unknown filter 'tagz'"),
        ("a.yaml", "cases: 3\n", r"a\.yaml:1: must be a list"),
        ("a.yaml", "tests: []\n", r"a\.yaml:1: must be a list"),
        ("a.yaml", "", r"a\.yaml:1: must be a list"),
        ("a.json", "[]", r"a\.json: holds no question"),
        ("a.json", "[" * 100_000, r"a\.json: is not usable JSON"),
        ("a.json", '[{"query": "a"},\n {"query": "b", "id": 1, "id": 2}]', r"a\.json: .*duplicate key 'id'"),
        ("a.json", '{"cases": [{"query": "a"}], "cases": []}', r"a\.json: .*duplicate key 'cases'"),
        ("a.jsonl", '{"query": "a"}\n{"query": "b", "query": "c"}', r"a\.jsonl:2: .*duplicate key 'query'"),
        ("a.yaml", "- query: a\n- query: b\n  query: c\n", r"a\.yaml:3: duplicate key 'query'"),
        ("a.yaml", "- query: a\n  where: {tags: x, tags: y}\n", r"a\.yaml:2: duplicate key 'tags'"),
        ("a.yaml", "[" * 3_000, r"a\.yaml"),
        ("a.txt", "", r"a\.txt: a golden set is"),
    ],
)
def test_a_bad_file_is_refused_with_its_line(tmp_path: Path, name: str, text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        load_cases(written(tmp_path, name, text))


def test_a_value_that_means_a_billion_elements_is_shown_by_its_beginning(tmp_path: Path) -> None:
    layers = [f"  l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]" for n in range(1, 12)]
    text = "\n".join(["notes:", "  l0: &l0 [x]", *layers, "cases:", "- query: *l11"])
    with pytest.raises(UsageError, match="invalid 'query': expected text"):
        load_cases(written(tmp_path, "bomb.yaml", text))


def test_a_missing_file_and_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        load_cases(tmp_path / "none.yaml")
    (tmp_path / "bad.jsonl").write_bytes(b'{"query": "\xff"}')
    with pytest.raises(UsageError, match="not UTF-8"):
        load_cases(tmp_path / "bad.jsonl")


def test_json_yaml_and_jsonl_give_the_same_cases(tmp_path: Path) -> None:
    cases = [{"query": "a [b] {c}, d", "expected_files": ["x.md"]}, {"id": 7, "query": "e", "relevance": {"y.md": 2}}]
    body = {"name": "n", "notes": {"queries": [1]}, "queries": cases}
    files = [
        written(tmp_path, "a.json", json.dumps(cases)),
        written(tmp_path, "b.json", json.dumps(body, indent=3)),
        written(tmp_path, "c.yaml", json.dumps(body, indent=1)),
        written(tmp_path, "d.jsonl", "\n".join(map(json.dumps, cases))),
    ]
    loaded = [load_cases(file) for file in files]
    assert loaded[0][1].id == "7"
    assert all(other == loaded[0] for other in loaded)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(
    st.dictionaries(st.sampled_from([*KEY_MEANINGS, "x"]), VALUES, max_size=4),
    st.sampled_from([".json", ".jsonl", ".yaml"]),
)
@settings(max_examples=100, deadline=None)
def test_whatever_a_case_holds_only_a_usage_error_comes(fields: dict[str, object], ending: str) -> None:
    data = {"question": "q", **fields}
    text = json.dumps(data) if ending == ".jsonl" else json.dumps([data])
    with TemporaryDirectory() as folder:
        path = written(Path(folder), f"x{ending}", text)
        try:
            said = f"{path} {load_cases(path)[0].question}"
        except UsageError as error:
            said = str(error)
    assert said.startswith(str(path))
