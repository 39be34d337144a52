"""Quotes lead to the text of record, or are called unverified."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.answering.verification.citations import (
    Quote,
    chunk_marker,
    cite_quotes,
    groundedness,
    render_answer,
    verify_quote,
)
from ragstone.answering.verification.spans import spans_at
from ragstone.core.types import Secret, Span, join_slices
from tests.answering.made import chunk, same, span
from tests.speed import within

RECORD = "# Rollo\n\nRollo reached Normandy in 911.\nHe was baptised  in\n912. The end.\n"


@given(st.text(alphabet="ab \n.é", max_size=60), st.data())
@settings(max_examples=100, deadline=None)
def test_any_range_of_a_chunk_of_several_slices_maps_back_to_the_record(record: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(record)), min_size=2, max_size=6)))
    ranges = list(zip(cuts[::2], cuts[1::2], strict=False))
    piece = chunk(record, *ranges)
    start = data.draw(st.integers(0, len(piece.text)))
    end = data.draw(st.integers(start, len(piece.text)))
    spans = spans_at(piece, start, end)
    assert join_slices(record, spans) == piece.text[start:end]
    assert all(one == span(record, one.char_start, one.char_end) for one in spans)


def test_a_quote_at_its_place_is_verified() -> None:
    place = span(RECORD, 9, 39)
    assert verify_quote("Rollo reached Normandy in 911.", [place], RECORD) == ("verified", (place,))


def test_a_quote_elsewhere_is_repaired_to_the_nearest_place() -> None:
    record = "same. other. same."
    status, spans = verify_quote("same.", [span(record, 12, 17)], record)
    assert (status, join_slices(record, spans), spans[0].char_start) == ("repaired", "same.", 13)


def test_white_space_does_not_make_a_quote_false() -> None:
    status, spans = verify_quote("He was baptised in 912.", [span(RECORD, 0, 5)], RECORD)
    assert status == "repaired"
    assert join_slices(RECORD, spans) == "He was baptised  in\n912."
    assert (spans[0].line_start, spans[0].line_end) == (4, 5)


def test_what_the_record_does_not_say_is_unverified() -> None:
    assert verify_quote("Rollo reached Normandy in 912.", [span(RECORD, 9, 39)], RECORD)[0] == "unverified"
    assert verify_quote("", [span(RECORD, 9, 9)], RECORD)[0] == "unverified"
    assert verify_quote("x", [], "")[0] == "unverified"


@given(
    st.text(alphabet="ab \n", max_size=40),
    st.text(alphabet="ab \n", max_size=8),
    st.integers(0, 60),
    st.integers(0, 60),
)
@settings(max_examples=100, deadline=None)
def test_a_verdict_other_than_unverified_always_holds(record: str, quote: str, start: int, end: int) -> None:
    status, spans = verify_quote(quote, [span("", start, end)], record)
    if status == "verified":
        assert join_slices(record, spans) == quote
    if status == "repaired":
        assert join_slices(record, spans).split() == quote.split()
    if status == "unverified" and quote.strip():
        assert quote not in record


def test_a_false_quote_costs_linear_time() -> None:
    record = "a " * 500_000
    for quote in ("b" + " a" * 2000 + " b", "a " * 2000 + "b"):
        assert within(4, partial(verify_quote, quote, [span("", 500_000, 500_001)], record))[0] == "unverified"


def test_citations_are_numbered_by_first_use_and_one_for_each_place() -> None:
    piece = chunk(RECORD)
    first = Quote(piece, "Rollo reached Normandy in 911.", spans_at(piece, 9, 39))
    second = Quote(piece, "The end.", spans_at(piece, RECORD.index("The"), RECORD.index("The") + 8))
    sentences, citations = cite_quotes([first, second, first], {piece.document.id: RECORD}, mask=same)
    assert [s.citations for s in sentences] == [(1,), (2,), (1,)]
    assert [c.n for c in citations] == [1, 2]
    assert render_answer(sentences, citations).startswith("Rollo reached Normandy in 911. [1] The end. [2]")
    assert "[chunk:a.md#0]" in render_answer(sentences, citations, marker=chunk_marker)
    assert groundedness([sentence.status for sentence in sentences]) == 1.0


def test_a_quote_is_verified_first_and_masked_after() -> None:
    record = "The password is hunter2."
    piece = chunk(record)
    quote = Quote(piece, record, piece.spans)
    sentences, citations = cite_quotes(
        [quote], {piece.document.id: record}, mask=lambda text, *_: text.replace("hunter2", "[masked]")
    )
    assert citations[0].status == "verified"
    assert citations[0].masked
    assert citations[0].quote == sentences[0].text == "The password is [masked]."


def test_without_a_record_nothing_is_verified() -> None:
    piece = chunk(RECORD)
    sentences, citations = cite_quotes([Quote(piece, RECORD, piece.spans)], {}, mask=same)
    assert citations[0].status == "unverified"
    assert groundedness([sentence.status for sentence in sentences]) == 0.0


def test_a_repaired_citation_quotes_the_record_itself() -> None:
    piece = chunk(RECORD)
    _, citations = cite_quotes(
        [Quote(piece, "He was baptised in 912.", piece.spans)], {piece.document.id: RECORD}, mask=same
    )
    assert citations[0].quote == join_slices(RECORD, citations[0].spans) == "He was baptised  in\n912."


def test_prose_loses_the_line_breaks_of_its_source_and_the_quote_keeps_them() -> None:
    record = "Prometheus was started by\nMatt and\n  Julius. The end."
    piece = chunk(record)
    text = record[: record.index(" The end")]
    sentences, citations = cite_quotes(
        [Quote(piece, text, spans_at(piece, 0, len(text)), prose=True)], {piece.document.id: record}, mask=same
    )
    assert sentences[0].text == "Prometheus was started by Matt and Julius."
    assert citations[0].quote == text == join_slices(record, citations[0].spans)
    assert render_answer(sentences, citations) == "Prometheus was started by Matt and Julius. [1]"


def test_what_introduces_an_item_is_a_line_above_it() -> None:
    record = "You may\nset one of:\n- `hard`: waits\n  without asking"
    piece = chunk(record)
    quote = Quote(piece, record, piece.spans, prose=True, lines_above=(2,))
    sentences, citations = cite_quotes([quote], {piece.document.id: record}, mask=same)
    assert sentences[0].text == "You may set one of:\n- `hard`: waits without asking"
    assert citations[0].quote == record


def test_what_has_a_shape_keeps_it_and_has_its_marker_below() -> None:
    record = "Steps:\n\n- one\n- two"
    piece = chunk(record)
    sentences, citations = cite_quotes([Quote(piece, record, piece.spans)], {piece.document.id: record}, mask=same)
    assert render_answer(sentences, citations) == "Steps:\n\n- one\n- two\n[1]"


def test_a_list_item_stands_on_its_own_line() -> None:
    record = "Fetch it. - Build it.\n"
    piece = chunk(record)
    quotes = [
        Quote(piece, "Fetch it.", spans_at(piece, 0, 9), True),
        Quote(piece, "- Build it.", spans_at(piece, 10, 21), True),
    ]
    assert (
        render_answer(*cite_quotes(quotes, {piece.document.id: record}, mask=same))
        == "Fetch it. [1]\n\n- Build it. [2]"
    )


def ranges(text: str, spans: Sequence[Span] = (), secrets: Sequence[Secret] = ()) -> str:
    """A mask that says what it was told."""
    return f"{[(s.char_start, s.char_end) for s in spans]} {list(secrets)}"


def test_a_quote_is_masked_by_what_its_chunk_knows_of_the_record() -> None:
    piece = replace(chunk(RECORD), secrets=((9, 20, "password"),))
    _, [citation] = cite_quotes(
        [Quote(piece, RECORD[9:39], spans_at(piece, 9, 39))], {piece.document.id: RECORD}, mask=ranges
    )
    assert citation.quote == "[(9, 39)] [(9, 20, 'password')]"
    assert citation.status == "verified"


def test_a_quote_found_again_elsewhere_is_masked_by_what_the_whole_record_holds() -> None:
    piece = chunk(RECORD)
    _, [citation] = cite_quotes(
        [Quote(piece, "He was baptised in 912.", piece.spans)],
        {piece.document.id: RECORD},
        mask=ranges,
        secrets=lambda record: [(0, len(record), "password")],
    )
    assert citation.status == "repaired"
    assert citation.quote.endswith(f"[(0, {len(RECORD)}, 'password')]")


def test_a_row_of_a_table_is_cited_by_its_own_number() -> None:
    text = "C1,7\nC2,14\nC3,21"
    rows = replace(chunk(text), spans=(Span(12, 12 + len(text), 2, 4, rows=(2, 4)),))
    [span] = spans_at(rows, text.index("C2"), text.index("C3") - 1)
    assert (span.line_start, span.line_end, span.rows) == (3, 3, (3, 3))
    several = replace(rows, spans=(Span(12, 12 + len(text), 2, 4, rows=(2, 9)),))  # rows of several lines, or joined
    assert spans_at(several, 5, 10)[0].rows == (2, 9)
