"""What stands above a quote, found again in the record: a table's header, a comment's declaration."""

from dataclasses import replace

import pytest

from ragstone.answering.extractive.code_comments import find_comment_sentences
from ragstone.answering.verification.citations import Quote, verify_quote
from ragstone.answering.verification.lines_above import prepend_lines_above
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
    made = prepend_lines_above(quote_of(record, row, header), record)
    assert made.text == quoted == join_slices(record, made.spans)
    assert verify_quote(made.text, made.spans, record)[0] == "verified"


def test_the_nearest_header_above_is_taken() -> None:
    record = "| a | b |\n|---|---|\n| 1 | 2 |\n\n| a | b |\n|---|---|\n| 3 | 4 |\n\n| a | b |"
    made = prepend_lines_above(quote_of(record, "| 3 | 4 |", "| a | b |"), record)
    assert made.spans[0].char_start == record.index("| a | b |", 10)


def test_long_runs_of_blanks_take_no_time() -> None:
    """Quadratic work would take minutes here."""
    record = ("|" + " " * 200_000 + "\n") * 5 + "3,4"
    assert prepend_lines_above(quote_of(record, "3,4", "| a | b |"), record).text == "3,4"


@pytest.mark.parametrize("names", [1, 40])
def test_a_declaration_is_as_long_above_a_quote_as_beside_its_sentence(names: int) -> None:
    line = f"    def open_sluice({', '.join(f'gate_{n}' for n in range(names))}):"
    record = f'class River:\n{line}\n        """Opens the sluice at dawn of the day."""\n'
    [sentence] = find_comment_sentences(record)
    assert sentence.declaration is not None
    shown = record[slice(*sentence.declaration)]
    quote = quote_of(record, record[sentence.start : sentence.end], "open_sluice(")
    made = prepend_lines_above(replace(quote, is_comment=True, header=shown), record)
    assert made.text.split("\n") == [shown, quote.text]
    assert len(shown) == min(160, len(line) - 4)
