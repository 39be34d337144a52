"""Properties of a note are read as its body is; keys for programs are not."""

import pytest

from ragstone.core.types import join_slices
from ragstone.extraction.markdown.parse import Markdown
from ragstone.extraction.markdown.properties import find_properties
from tests.speed import grows_in_step


@pytest.mark.parametrize(
    "line",
    [
        "birthday: 1979-08-23",
        "due date: 2025-03-31",
        "start_date: 1 May",
        "phone: +49 30 1234567",
        "mail: dana@firm.example",
        "company: '[[ACME]]'",
        "Straße: Hauptstraße 5",
        "description: Notifies users at startup.",
        "guests:\n  - Bo Reed\n- Ann",
        "guests:\r\n  - Bo Reed\r\n  - Ann",
        "guests:" + "\n  - Ann" * 60,
    ],
)
def test_lines_about_the_subject(line: str) -> None:
    block = f"---\ntitle: A\n{line}\n---\n"
    assert [block[start:end] for start, end in find_properties(block, len(block))] == [line]


@pytest.mark.parametrize(
    "line",
    [
        "title: A",
        "tags: [a, b]",
        "created: 2024-01-01",
        "sidebar_position: 3",
        "hideTitle: yes",
        "archived: true",
        "online version: https://learn.example/page",
        "Module Name: Microsoft.PowerShell.Core",
        "external help file: Core.dll-Help.xml",
        "Guid: 0c4b1a10-6e3c-4e50-9d30-aa0f6e2f9d7c",
        "abstract: >",
        "owner: {name: Bo}",
        "links:\n  - a: 1",
        "links:\n  - Ann\n\n  - a: 1",
        "motto: fly high\n  and far",
        "owner:",
    ],
)
def test_lines_for_programs(line: str) -> None:
    block = f"---\n{line}\n---\n"
    assert find_properties(block, len(block)) == []


def test_they_are_a_block_of_the_text_of_record_above_the_body() -> None:
    text = "---\nstatus: on hold\nlayout: note\nowner: Dana\n---\n# Falcon\n\nIt moves.\n\nstatus: of the body\n"
    found = Markdown().extract(text.encode(), path="falcon.md")
    assert found.title == "Falcon"
    first = found.blocks[0]
    assert (first.text, join_slices(found.record, first.spans)) == ("status: on hold\nowner: Dana",) * 2
    assert [block.text for block in found.blocks[1:]] == ["Falcon", "It moves.", "status: of the body"]


@pytest.mark.parametrize("text", ["a: {}.", "a{}: b", "a:{}b", "a: {}"])
@pytest.mark.parametrize("filler", [" ", "a", ".", "a.", "\n", "\n - a"])
def test_hostile_lines_cost_time_in_step(text: str, filler: str) -> None:
    grows_in_step(lambda size: find_properties(text.format(filler * size), size), (1_000, 2_000, 4_000, 8_000))
