"""A citation leads to boxes that hold exactly its words."""

from dataclasses import replace

from ragstone import guard
from ragstone.answering.verification.page_boxes import add_page_boxes, box_span
from ragstone.core.answers import Citation
from ragstone.core.page_layout import Layout, Strip
from ragstone.core.types import Document, Span, join_slices
from ragstone.evaluation.scored_answer import is_valid_citation

RECORD = "- One two three-line item ends. Next."
DOCUMENT = Document("d", "s", "a.pdf", 1, "v", "r", media_type="application/pdf")


def edges(start: float, text: str) -> tuple[float, ...]:
    """Characters of ten points each."""
    return tuple(start + 10.0 * i for i in range(len(text) + 1))


def strip(text: str, page: int, y: float) -> Strip:
    start = RECORD.index(text)
    xs = edges(50.0, text)
    return Strip(start, start + len(text), page, (xs[0], y, xs[-1], y + 12), xs)


LAYOUT = Layout.from_strips(
    [strip("One two", 1, 700.0), strip("three-line item", 2, 40.0), strip("ends. Next.", 2, 54.0)]
)


def citation(start: int, end: int, **place: object) -> Citation:
    span = Span(start, end, 1, 1, page=1)
    return Citation(1, "c", DOCUMENT, RECORD[start:end], (replace(span, **place),), "verified")  # type: ignore[arg-type]  # named fields


def test_a_quote_over_lines_and_pages_has_a_box_for_each_line_cut_at_its_characters() -> None:
    end = RECORD.index(" Next")
    [found] = add_page_boxes([citation(0, end)], {"d": RECORD}, {"d": LAYOUT})
    assert [(RECORD[s.char_start : s.char_end], s.page, s.bbox) for s in found.spans] == [
        ("- One two", 1, (50.0, 700.0, 120.0, 712.0)),
        ("three-line item", 2, (50.0, 40.0, 200.0, 52.0)),
        ("ends.", 2, (50.0, 54.0, 100.0, 66.0)),
    ]


def test_the_slices_of_several_lines_join_to_the_quote() -> None:
    [found] = add_page_boxes([citation(0, len(RECORD))], {"d": RECORD}, {"d": LAYOUT})
    assert found.quote == join_slices(RECORD, found.spans) == "- One two\nthree-line item\nends. Next."
    assert is_valid_citation(found, RECORD)


def test_a_masked_quote_is_masked_again_where_its_lines_end() -> None:
    record = "Use password: hunter2Xy7 for it and wait."
    lines = [Strip(a, b, 1, (0.0, y, 10.0 * (b - a), y + 12), edges(0.0, record[a:b])) for a, b, y in
             [(0, 24, 40.0), (25, len(record), 54.0)]]  # fmt: skip
    spans = (Span(0, len(record), 1, 1, page=1),)
    masked = guard.mask_secrets(record, spans, guard.locate_secrets(record))
    cited = Citation(1, "c", DOCUMENT, masked, spans, "verified", masked=True)
    [found] = add_page_boxes([cited], {"d": record}, {"d": Layout.from_strips(lines)})
    assert len(found.spans) == 2
    assert "hunter2Xy7" not in found.quote
    assert found.quote == masked.replace(" for", "\nfor")
    assert is_valid_citation(found, record)


def test_a_word_that_a_line_breaks_stays_whole() -> None:
    record = "A policyholder pays."
    lines = [Strip(a, b, 1, (0.0, y, 10.0 * (b - a), y + 12), edges(0.0, record[a:b])) for a, b, y in
             [(0, 8, 40.0), (8, len(record), 54.0)]]  # fmt: skip
    cited = Citation(1, "c", DOCUMENT, record, (Span(0, len(record), 1, 1, page=1),), "verified")
    [found] = add_page_boxes([cited], {"d": record}, {"d": Layout.from_strips(lines)})
    assert found.quote == join_slices(record, found.spans) == record
    assert [one.bbox for one in found.spans] == [(0.0, 40.0, 120.0, 66.0)]


def test_a_row_of_a_table_keeps_its_one_span() -> None:
    [found] = add_page_boxes([citation(10, 25, rows=(3, 3), page=2)], {"d": RECORD}, {"d": LAYOUT})
    [span] = found.spans
    assert (span.char_start, span.char_end, span.rows, span.page) == (10, 25, (3, 3), 2)
    assert span.bbox == (50.0, 40.0, 200.0, 52.0)


def test_what_has_no_layout_or_was_not_found_stays() -> None:
    one = citation(0, 5)
    assert add_page_boxes([one], {"d": RECORD}, {}) == (one,)
    lost = replace(one, status="unverified")
    assert add_page_boxes([lost], {"d": RECORD}, {"d": LAYOUT}) == (lost,)
    apart = citation(0, 2)
    assert add_page_boxes([apart], {"d": RECORD}, {"d": LAYOUT})[0].spans == apart.spans


def test_a_box_around_a_passage_is_of_the_page_where_it_begins() -> None:
    found = box_span(Span(2, len(RECORD), 1, 1, page=1), LAYOUT)
    assert (found.page, found.bbox) == (1, (50.0, 700.0, 120.0, 712.0))
    below = box_span(Span(10, len(RECORD), 1, 1), LAYOUT)
    assert (below.page, below.bbox) == (2, (50.0, 40.0, 200.0, 66.0))
