"""Front matter: known keys in known shapes, hostile YAML contained."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.extraction.markdown.front_matter import GIVEN, LARGEST, parse_front_matter
from ragstone.extraction.markdown.parse import Markdown
from ragstone.extraction.record.dates import iso_date


def test_known_keys_have_known_shapes_and_free_keys_stay() -> None:
    text = (
        "---\ntitle: 'A: b'\ndate: 2024-01-05\nproject: X\ntags: one, two\nconfidentiality: Restricted\n"
        "doc_type: policy\n"
        "version_label: 1.10\neffective_at: 5 January 2025\nweight: 3\nratio: 0.5\n"
        "draft: true\nnested: {a: [1, null]}\n---\nbody"
    )
    found = parse_front_matter(text)
    assert text[found.start :] == "body"
    assert found.meta == {
        "title": "A: b",
        "date": "2024-01-05",
        "project": "X",
        "tags": ["one", "two"],
        "confidentiality": "restricted",
        "doc_type": "policy",
        "version_label": "1.10",
        "effective_at": "2025-01-05",
        "weight": 3,
        "ratio": 0.5,
        "draft": True,
        "nested": {"a": [1, None]},
    }
    assert found.warnings == ()


def test_tags_are_always_a_list() -> None:
    assert parse_front_matter("---\ntags: one\n---\n").meta["tags"] == ["one"]
    assert parse_front_matter("---\ntags:\n- one\n- 2\n- one\n---\n").meta["tags"] == ["one", "2"]
    assert parse_front_matter("---\ntags:\n---\n").meta["tags"] == []


def test_a_dotted_date_is_used_when_there_is_no_other() -> None:
    assert parse_front_matter("---\nms.date: 06/09/2025\n---\n").meta == {"ms.date": "06/09/2025", "date": "2025-06-09"}
    assert parse_front_matter("---\nms.date: 06/09/2025\ndate: 2024-01-01\n---\n").meta["date"] == "2024-01-01"


def test_a_date_that_cannot_be_read_is_kept_as_text_with_a_warning() -> None:
    found = parse_front_matter("---\ndate: 06/09/2025\n---\n")
    assert found.meta == {"date_text": "06/09/2025"}
    assert "2025-01-31" in found.warnings[0]


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2025-01-31", "2025-01-31"),
        ("2025-1-3", "2025-01-03"),
        ("2025-01-31 10:00:00 +0200", "2025-01-31T10:00:00+02:00"),
        ("2025-01-31T10:00:00Z", "2025-01-31T10:00:00+00:00"),
        ("Jan 5, 2024", "2024-01-05"),
        ("31.12.2024", "2024-12-31"),
        ("2025-13-01", None),
        ("soon", None),
        ("9" * 500, None),
    ],
)
def test_dates_become_iso_or_nothing(text: str, iso: str | None) -> None:
    assert iso_date(text) == iso


@pytest.mark.parametrize("value", ["{a: b}", "[[a]]", "[]", "[a, b]", "{a: [b]}"])
@pytest.mark.parametrize("key", ["title", "project", "doc_type", "version_label", "date", "effective_at"])
def test_what_should_be_one_text_and_is_none_is_kept_beside_with_a_warning(key: str, value: str) -> None:
    found = parse_front_matter(f"---\n{key}: {value}\n---\nBody")
    assert key not in found.meta
    assert f"{key}_value" in found.meta
    assert found.warnings == (f"front matter: {key} must be one text",)


def test_a_list_of_one_is_that_one() -> None:
    assert parse_front_matter("---\ntitle: [Guide]\neffective_at: [2024-01-02]\n---\n").meta == {
        "title": "Guide",
        "effective_at": "2024-01-02",
    }


@pytest.mark.parametrize("value", ["{restricted: x}", "[internal, restricted]", "[[public]]"])
def test_a_confidentiality_that_cannot_be_read_closes_the_document(value: str) -> None:
    found = parse_front_matter(f"---\nconfidentiality: {value}\n---\n")
    assert found.meta["confidentiality"] == "restricted"
    assert "treated as restricted" in found.warnings[0]


def test_yaml_that_cannot_be_read_gives_its_simple_lines_and_a_warning() -> None:
    found = parse_front_matter("---\ntitle: Foo: bar\ntags: [a\nproject: X\n---\nbody")
    assert found.meta == {"title": "Foo: bar", "project": "X"}
    assert "not readable YAML" in found.warnings[0]


@pytest.mark.parametrize(
    "block",
    [
        "a: &x [1]\nb: *x\n",
        "a: " + "[" * 20_000 + "\n",
        "- " * 20_000 + "x\n",
        "a: !!python/object/apply:os.system [ls]\n",
        "a: !!binary aGk=\n",
        "a: .inf\nb: 1e999\nc: 9" + "9" * 5000 + "\n",
        "? [a]\n: b\n? {c: d}\n: e\n",
        "a: 2024-99-99\n",
    ],
)
def test_hostile_yaml_is_contained(block: str) -> None:
    found = parse_front_matter(f"---\nok: yes\n{block}---\nbody")
    json.dumps(found.meta, allow_nan=False)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# no front matter\n---\na: b\n---\n",
        "---\n",
        "---\nnever: closed\n",
        "---\n\nProse between rules.\n\n---\n",
        "---\n- a\n- list\n---\n",
        "---\na: " + "x" * LARGEST + "\n---\n",
    ],
)
def test_what_is_no_front_matter_is_left_alone(text: str) -> None:
    assert (parse_front_matter(text).start, parse_front_matter(text).meta) == (0, {})


@pytest.mark.parametrize(
    ("meta", "text", "found"),
    [
        ('{"owner": "Ann"}', "Text.\n", {"owner": "Ann"}),
        ('{"owner": "Ann"}', "---\nowner: Bo\nteam: x\n---\nText.\n", {"owner": "Ann", "team": "x"}),
        (
            '{"confidentiality": "public"}',
            "---\nconfidentiality: restricted\n---\nText.\n",
            {"confidentiality": "restricted"},
        ),
    ],
)
def test_metadata_beside_a_text_are_no_part_of_it(meta: str, text: str, found: dict[str, str]) -> None:
    made = Markdown().extract(f"{GIVEN}{meta}\n---\n{text}".encode(), path="a.md")
    [span] = made.blocks[-1].spans
    assert (made.record, made.record[span.char_start : span.char_end], made.meta) == (text, "Text.", found)


def test_an_empty_block_is_taken_away() -> None:
    assert parse_front_matter("---\n---\nbody").start == len("---\n---\n")


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="ab:-[]{}&*!|>'\"#\n ,1.", max_size=80))
def test_any_block_gives_json_and_a_place_inside_the_text(block: str) -> None:
    text = f"---\n{block}\n---\nbody"
    found = parse_front_matter(text)
    assert 0 <= found.start <= len(text)
    json.dumps(found.meta, allow_nan=False)
