"""Features and requirements have a state, and the tests that prove them exist by name."""

import re

from tests.docs.blocks import DOCS, ROOT

COUNTS = {"X": 10, "K": 11, "M": 8, "S": 12, "I": 11, "R": 15, "G": 9, "P": 10, "V": 9, "O": 10, "T": 1, "N": 14}
ROW = re.compile(r"^\| ([A-Z]\d+) \| (works|partly|not yet) \| ([^|]+) \| ([^|]*) \| ([^|]*) \|$", re.MULTILINE)
TEST = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+)(?:::(\w+))?)?`")
ROWS = ROW.findall((DOCS / "maintain" / "requirements.md").read_text(encoding="utf-8"))
FEATURE = re.compile(r"^\| ([^|]+) \| (works|partly|not yet) \| ([^|]*) \|$", re.MULTILINE)
FEATURES = (DOCS / "features.md").read_text(encoding="utf-8")


def test_every_id_has_one_row_in_order() -> None:
    assert [row[0] for row in ROWS] == [f"{letter}{n}" for letter, most in COUNTS.items() for n in range(1, most + 1)]


def test_every_named_test_exists_in_its_file() -> None:
    for id_, _, _, _, proof in ROWS:
        assert_tests_exist(id_, proof)


def assert_tests_exist(row: str, proof: str) -> None:
    for file, *names in TEST.findall(proof):
        assert (ROOT / file).is_file(), f"{row}: {file}"
        text = (ROOT / file).read_text(encoding="utf-8")
        for name in filter(None, names):
            assert re.search(rf"\b(?:def|class) {name}\b", text), f"{row}: {file}::{name}"


def test_every_feature_has_a_state_and_tests_that_exist() -> None:
    rows = FEATURE.findall(FEATURES)
    tables = [line for line in FEATURES.splitlines() if line.startswith("| ") and not line.startswith("| feature ")]
    assert len(rows) == len(tables)
    for feature, state, proof in rows:
        assert_tests_exist(feature, proof)
        if state != "not yet":
            assert any(names[1] for names in TEST.findall(proof)), f"{feature} names no test"
        assert (state == "partly") == ("*Not yet:*" in feature), feature
        assert len(feature.split()) < 25, feature


def test_features_name_no_requirement_ids() -> None:
    assert re.findall(rf"\b[{''.join(COUNTS)}]\d{{1,2}}\b", FEATURES) == []


def test_what_works_is_proved_by_name_and_what_is_partly_there_says_what_lacks() -> None:
    for id_, state, what, code, proof in ROWS:
        if state == "works":
            assert any(names[1] for names in TEST.findall(proof)), f"{id_} names no test"
        if state == "partly":
            assert "not yet: " in what, f"{id_} does not say what lacks"
        if state != "not yet":
            for path in re.findall(r"`((?:src|demo|docs|tests|benchmarks)/[\w/.\-]+)`", code):
                assert (ROOT / path).exists(), f"{id_}: {path}"
            assert code.strip(), f"{id_} names no code"
