"""The layout: exact boxes for characters, packed small and looked up fast."""

import struct
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.core.errors import Corrupt
from ragstone.core.page_layout import ENTRY, FIELDS, LAYOUT_HEAD, Layout, Strip
from tests.speed import within


def strips(count: int, *, length: int = 60, lines: int = 50) -> list[Strip]:
    made = []
    for n in range(count):
        y = 50 + 12.0 * (n % lines)
        edges = tuple(50 + 5.0 * k for k in range(length + 1))
        made.append(
            Strip(n * (length + 1), n * (length + 1) + length, n // lines + 1, (50, y, edges[-1], y + 10), edges)
        )
    return made


def test_a_quote_inside_a_line_is_cut_at_its_characters() -> None:
    layout = Layout.from_strips(strips(3))
    assert layout.line_boxes(2, 5) == [(2, 5, 1, (60.0, 50.0, 75.0, 60.0))]


def test_a_quote_over_two_lines_gives_a_box_a_line() -> None:
    layout = Layout.from_strips(strips(3))
    assert [(a, b) for a, b, _, _ in layout.line_boxes(58, 63)] == [(58, 60), (61, 63)]


def test_characters_without_edges_get_the_whole_strip() -> None:
    layout = Layout.from_strips([Strip(0, 4, 2, (10, 20, 30, 90))])
    assert layout.line_boxes(1, 2) == [(1, 2, 2, (10, 20, 30, 90))]


def test_lines_of_one_column_are_one_part_and_the_next_page_is_another() -> None:
    layout = Layout.from_strips(strips(60))
    parts = layout.passage_boxes(0, 60 * 61)
    assert [(page, box[1], box[3]) for _, _, page, box in parts] == [(1, 50.0, 648.0), (2, 50.0, 168.0)]


def test_the_second_column_is_a_part_of_its_own() -> None:
    left = [Strip(n * 5, n * 5 + 4, 1, (10, 20 + 12 * n, 100, 30 + 12 * n)) for n in range(3)]
    right = [Strip(15 + n * 5, 19 + n * 5, 1, (200, 20 + 12 * n, 300, 30 + 12 * n)) for n in range(3)]
    assert [box for _, _, _, box in Layout.from_strips([*left, *right]).passage_boxes(0, 30)] == [
        (10, 20, 100, 54),
        (200, 20, 300, 54),
    ]


def test_an_empty_layout_knows_nothing() -> None:
    assert Layout.unpack(Layout.from_strips([]).pack()).line_boxes(0, 100) == []


@given(
    st.lists(st.tuples(st.integers(1, 40), st.integers(0, 3), st.floats(-50, 2000), st.booleans()), max_size=700),
    st.integers(0, 3000),
    st.integers(1, 500),
)
@settings(max_examples=50, deadline=None)
def test_what_was_packed_comes_back(pieces: list[tuple[int, int, float, bool]], start: int, length: int) -> None:
    made: list[Strip] = []
    at = 0
    for size, gap, x, straight in pieces:
        edges = tuple(x + 3 * k for k in range(size + 1)) if straight else ()
        made.append(Strip(at, at + size, 1 + len(made) // 5, (x, 0, x + 3 * size, 10), edges))
        at += size + gap
    layout = Layout.unpack(Layout.from_strips(made).pack())
    assert len(layout) == len(made)
    end = start + length
    wanted = [s for s in made if s.end > start and s.start < end]
    found = list(layout.strips(start, end))
    assert [(s.start, s.end, s.page) for s in found] == [(s.start, s.end, s.page) for s in wanted]
    for a, b in zip(found, wanted, strict=True):
        assert a.box == pytest.approx(b.box, abs=0.03)
        assert list(a.edges) == pytest.approx(list(b.edges), abs=0.03)


@pytest.mark.parametrize("harm", [lambda d: d[:-1], lambda d: b"x" + d[1:], lambda d: d[:10], lambda d: b""])
def test_harmed_bytes_are_named_as_such(harm: object) -> None:
    data = Layout.from_strips(strips(10)).pack()
    with pytest.raises(Corrupt):
        Layout.unpack(harm(data))  # type: ignore[operator]  # a function of bytes


def test_edges_that_belong_to_no_strip_are_named_as_harm() -> None:
    data = Layout.from_strips(strips(3)).pack()
    body = LAYOUT_HEAD.size + 2 * ENTRY
    plain = bytearray(zlib.decompress(data[body:]))
    plain[FIELDS * 4 * 3 - 4] += 1  # the last strip's number of edges
    packed = zlib.compress(bytes(plain))
    end = struct.pack("<qqii", 0, len(packed), 0, 0)
    harmed = Layout.unpack(data[: body - ENTRY] + end + packed)
    with pytest.raises(Corrupt):
        list(harmed.strips())


def test_one_lookup_in_a_long_document_is_quick() -> None:
    data = Layout.from_strips(strips(60_000, lines=60)).pack()
    assert within(0.02, lambda: Layout.unpack(data).line_boxes(40_000 * 61, 40_000 * 61 + 10))
    assert len(data) < 60_000 * 61 * 2
