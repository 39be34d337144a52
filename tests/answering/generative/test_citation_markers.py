"""Markers are read from a stream as from the whole, and what is none stays text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.answering.generative.citation_markers import CitationMark, MarkerReader

LABELS = {"1": 0, "2": 1, "3": 2, "ab12": 0}


def read(pieces: list[str]) -> list[str | CitationMark]:
    """What a marker reader gives, neighbouring texts as one."""
    markers = MarkerReader(LABELS)
    out: list[str | CitationMark] = []
    for part in [said for piece in pieces for said in markers.feed(piece)] + list(markers.end()):
        if isinstance(part, str) and out and isinstance(out[-1], str):
            out[-1] += part
        else:
            out.append(part)
    return out


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A [1]. B [1, 3][2].", ["A ", CitationMark((0,)), ". B ", CitationMark((0, 2)), CitationMark((1,)), "."]),
        ("[1-3] [^2] 【1†source】", [CitationMark((0, 1, 2)), " ", CitationMark((1,)), " ", CitationMark((0,))]),
        ("[Passage 2; source 3]", [CitationMark((1, 2))]),
        ("[chunk:ab12] [chunk: z9]", [CitationMark((0,)), " ", CitationMark((), ("z9",))]),
        ("x [9] y", ["x ", CitationMark((), ("9",)), " y"]),
        ("[sic] [2024] [see 1] [text](u)", ["[sic] [2024] [see 1] [text](u)"]),
        ("arr[0] = b[7]", ["arr[0] = b[7]"]),
        ("m[0][7] row_9[7] getName[7]", ["m[0][7] row_9[7] getName[7]"]),
        ("days[1] strangers[9]", ["days", CitationMark((0,)), " strangers", CitationMark((), ("9",))]),
        (
            "x [1][7] (in 1957)[8] 1957[9]",
            [
                "x ",
                CitationMark((0,)),
                CitationMark((), ("7",)),
                " (in 1957)",
                CitationMark((), ("8",)),
                " 1957",
                CitationMark((), ("9",)),
            ],
        ),
        ("[1, 2, and 3] [1, and 2]", [CitationMark((0, 1, 2)), " ", CitationMark((0, 1))]),
        ("[citation needed] [document title] sys.argv[7]", ["[citation needed] [document title] sys.argv[7]"]),
        (
            "[1, 2 and 3] [ref 1] [Document 2 & 3]",
            [CitationMark((0, 1, 2)), " ", CitationMark((0,)), " ", CitationMark((1, 2))],
        ),
        ("`a[1]` [2]", ["`a[1]` ", CitationMark((1,))]),
        ("```\nx[2] [1]\n``` [2]", ["```\nx[2] [1]\n``` ", CitationMark((1,))]),
        ("a ` b\n[2]", ["a ` b\n", CitationMark((1,))]),
        ("[1", ["[1"]),
        ("[3-1] [1-999]", ["[3-1] [1-999]"]),
    ],
)
def test_what_is_a_marker_and_what_is_not(text: str, found: list[str | CitationMark]) -> None:
    assert read([text]) == found


@given(
    st.lists(
        st.sampled_from(
            ["[1]", "[2", "]", "[", "1", " a", "9]", "so", "`", "```", "\n", "[chunk:ab12]", "【3", "】", ","]
        )
    )
)
@settings(max_examples=300, deadline=None)
def test_pieces_of_any_size_give_what_the_whole_gives(parts: list[str]) -> None:
    text = "".join(parts)
    assert read(list(text)) == read([text])
    assert read(parts) == read([text])


@given(st.text("[]1`,\n ab【】", max_size=400))
@settings(max_examples=200, deadline=None)
def test_nothing_but_markers_is_lost(text: str) -> None:
    said = "".join(part for part in read(list(text)) if isinstance(part, str))
    rest = iter(text)
    assert all(character in rest for character in said)


def test_a_long_id_does_not_leak_in_halves() -> None:
    name = "6f1c9a52-77e0-4d0e-9a64-0b1f5f3f9d10"
    markers = MarkerReader({name: 4})
    assert [said for letter in f"a [chunk:{name}] b" for said in markers.feed(letter)] == [
        "a",
        " ",
        CitationMark((4,)),
        " ",
        "b",
    ]


def test_what_was_said_does_not_wait_for_a_bracket_for_ever() -> None:
    markers = MarkerReader(LABELS)
    said = [*markers.feed("see ["), *markers.feed("x" * 300)]
    assert "".join(part for part in said if isinstance(part, str)) == "see [" + "x" * 300
