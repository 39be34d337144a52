"""The header of a table, found again above a row."""

import pytest

from ragstone.answering.verification.citations import Quote, verify_quote
from ragstone.answering.verification.table_headers import prepend_header
from ragstone.core.types import join_slices
from tests.answering.made import chunk


def quote_of(record: str, row: str, header: str) -> Quote:
    start = record.index(row)
    whole = chunk(record, (start, start + len(row)))
    return Quote(whole, row, whole.spans, header=header)


@pytest.mark.parametrize(
    ("record", "row", "header", "quoted"),
    [
        ("a,b\n1,2\n3,4", "3,4", "a,b", "a,b\n3,4"),
        ("| a   | b |\n|---|---|\n| 3 | 4 |", "| 3 | 4 |", "| a | b |", "| a   | b |\n| 3 | 4 |"),
        ("| a | | |\n|---|---|---|\n| 3 | 4 | |", "| 3 | 4 | |", "| a |", "| a | | |\n| 3 | 4 | |"),
        ("a|b\n-|-\n3|4", "3|4", "| a | b |", "a|b\n3|4"),
        ("Nothing above.\n3,4", "3,4", "a,b", "3,4"),
    ],
)
def test_a_row_is_quoted_below_its_header_where_that_stands(record: str, row: str, header: str, quoted: str) -> None:
    made = prepend_header(quote_of(record, row, header), record)
    assert made.text == quoted == join_slices(record, made.spans)
    assert verify_quote(made.text, made.spans, record)[0] == "verified"


def test_the_nearest_header_above_is_taken() -> None:
    record = "| a | b |\n|---|---|\n| 1 | 2 |\n\n| a | b |\n|---|---|\n| 3 | 4 |\n\n| a | b |"
    made = prepend_header(quote_of(record, "| 3 | 4 |", "| a | b |"), record)
    assert made.spans[0].char_start == record.index("| a | b |", 10)


def test_long_runs_of_blanks_take_no_time() -> None:
    """Quadratic work would take minutes here."""
    record = ("|" + " " * 200_000 + "\n") * 5 + "3,4"
    assert prepend_header(quote_of(record, "3,4", "| a | b |"), record).text == "3,4"
