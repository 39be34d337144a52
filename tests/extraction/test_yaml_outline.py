"""YAML: parts that are too large for a block are sections below their keys."""

from collections.abc import Mapping

import pytest

from ragstone.extraction import extract
from ragstone.extraction.yaml_outline import Yaml
from ragstone.testing.extractors import ExtractorContract
from tests.speed import within

LONG = "x" * 400
API = f"""openapi: 3.0.3
info: {{title: Stock}}
paths:
  # Parts of the store
  /parts:
    get:
      summary: List parts
      description: |
        key: {LONG}

        end:
    post:
      - b: {LONG}
  "/orders/{{id}}": {{get: none}}
tasks:
- name: Install
  run: {LONG}
  then: {LONG}
- name: Start
"""


class TestYaml(ExtractorContract):
    @pytest.fixture
    def extractor(self) -> Yaml:
        return Yaml()

    @pytest.fixture
    def samples(self) -> Mapping[str, bytes]:
        return {"api.yaml": API.encode(), "b.yml": b"a: 1\nb:\n  - c\n"}


def test_keys_of_large_parts_are_headings() -> None:
    found = extract(API.replace("\n", "\r\n").encode(), path="api.yaml")
    assert [(block.type, block.level, block.text.partition("\n")[0]) for block in found.blocks] == [
        ("paragraph", 0, "openapi: 3.0.3"),
        ("heading", 1, "paths"),
        ("paragraph", 0, "# Parts of the store"),
        ("heading", 2, "/parts"),
        ("paragraph", 0, "get:"),
        ("paragraph", 0, "post:"),
        ("paragraph", 0, '"/orders/{id}": {get: none}'),
        ("heading", 1, "tasks"),
        ("heading", 2, "name: Install"),
        ("paragraph", 0, f"run: {LONG}"),
        ("paragraph", 0, f"then: {LONG}"),
        ("paragraph", 0, "- name: Start"),
    ]
    assert found.record.splitlines()[found.blocks[5].spans[0].line_start - 1].strip() == "post:"
    assert found.blocks[4].text.endswith("\n    end:")


@pytest.mark.parametrize("unit", ["a: \n", "- ", ": ", "a:" + " " * 400 + "x:"])
def test_hostile_yaml_takes_no_longer(unit: str) -> None:
    assert within(1, lambda: Yaml().extract((unit * 5_000 + "x: y").encode(), path="a.yaml")).blocks


def test_what_nests_deep_is_read() -> None:
    deep = "\n".join(" " * depth + f"k{depth}:" for depth in range(500))
    found = extract(deep.encode(), path="a.yml")
    assert [block.type for block in found.blocks].count("heading") == 6
    assert "k499" in found.blocks[-1].text
