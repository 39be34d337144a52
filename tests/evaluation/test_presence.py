from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.evaluation import Case, GoldSpan, check_presence
from ragstone.evaluation.granularity import same_file

PATHS = ["docs/a.md", "docs/b.md", "old/b.md"]


def test_documents_that_are_not_there_are_counted_and_named() -> None:
    missing = {f"m{n}.md": 1 for n in range(5)}
    cases = [Case("1", "?", relevance={"a.md": 1, "aa.md": 1}), Case("2", "?", relevance=missing)]
    [said] = check_presence(cases, PATHS, granularity="file")
    assert said.startswith("6 of 7 documents that the questions want are not in the collection")
    assert said.endswith("aa.md, m0.md, m1.md, …")


def test_a_golden_path_that_names_two_documents_is_said() -> None:
    [said] = check_presence([Case("1", "?", relevance={"b.md": 1, "a.md": 1})], PATHS, granularity="file")
    assert said.startswith("1 of 2 golden paths name more than one document")
    assert "b.md (docs/b.md, old/b.md)" in said


def test_only_what_a_score_depends_on_is_looked_for() -> None:
    unanswerable = Case("1", "?", relevance={"gone.md": 1}, answerable=False)
    wrong = Case("2", "?", relevance={"a.md": 1, "gone.md": 0}, chunks={("none.md", 0): 1})
    assert check_presence([unanswerable, wrong], PATHS, granularity="file") == ()
    [chunk] = check_presence([wrong], PATHS, granularity="chunk")
    assert chunk.endswith(": none.md")
    [span] = check_presence([Case("3", "?", spans=(GoldSpan("no.md", 0, 1),))], PATHS, granularity="span")
    assert span.endswith(": no.md")


def test_ids_are_looked_for_as_they_stand() -> None:
    case = Case("1", "?", relevance={"1": 1, "a/1": 1})
    assert check_presence([case], ["a/1"], granularity="id")[0].endswith(": 1")
    assert check_presence([case], ["a/1", "1"], granularity="id") == ()


NAMES = st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=3).map("/".join)


@given(st.lists(NAMES, max_size=5), NAMES)
@settings(max_examples=100, deadline=None)
def test_missing_is_what_no_path_is_the_same_file_as(paths: list[str], gold: str) -> None:
    said = check_presence([Case("1", "?", relevance={gold: 1})], paths, granularity="file")
    met = {path for path in paths if same_file(path, gold)}
    assert any("not in the collection" in one for one in said) == (not met)
    assert any("more than one" in one for one in said) == (len(met) > 1)
