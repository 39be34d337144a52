"""The row of the range in which a quantity or a day of a question lies."""

import pytest

from ragstone.answering.extractive.question_analysis import analyze_question
from ragstone.answering.extractive.ranged_rows import choose_ranged_rows
from ragstone.answering.extractive.ranges import list_quantities
from tests.answering.made import hit
from tests.speed import within

RATES = """## Parcels to the coast

| Weight | Price |
|---|---|
| up to 5 kg | 6.00 |
| 5–20 kg | 9.00 |
| over 20 kg | 15.00 |

## Parcels to the islands

| Weight | Price |
|---|---|
| up to 5 kg | 7.00 |
| 5–20 kg | 11.00 |
"""
TICKETS = """# Tickets

| Who | Day | Season |
|---|---|---|
| Under 6 | free | free |
| 6 to 15 | 3 | 30 |
| Adults | 7 | 70 |
| From 65 | 5 | 50 |
"""
HOURS = """# Opening hours of the Goslar branch

| Day | Open |
|---|---|
| Mon–Thu | 8–18 |
| Friday | 8–16 |
| Sunday and holidays | closed |
"""
VOLUME = """# Discounts

| Orders a month | Discount |
|---|---|
| fewer than 10 | none |
| 10 to 99 | 2% |
| 100 and more | 5% |
"""
FEES = """# Fees for storage

| Days in storage | Fee |
|---|---|
| 1 to 7 | free |
| 8 to 14 | 2.00 |
| more than 14 | 4.00 |
"""


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("How much is a parcel of 12 kg to the coast?", [("5–20 kg", "9.00")]),
        ("price for 3000 g to the islands", [("up to 5 kg", "7.00")]),
        ("What is the price of a parcel of 25 kg to the coast?", [("over 20 kg", "15.00")]),
        ("What does a parcel of 12 kg cost?", [("5–20 kg", "9.00"), ("5–20 kg", "11.00")]),  # which of two is not said
        ("How much is a parcel of 5 kg to the coast?", [("up to 5 kg", "6.00")]),
        ("What does a parcel of 30 kg to the islands cost?", []),  # in no row, and the coast is not asked for
        ("What does a parcel of 12 kg to Oslo cost?", []),  # no row says Oslo
        ("What does a parcel of 12 cm cost?", []),
        ("What does a day ticket for a child of 8 cost?", [("6 to 15", "3", "30")]),
        ("season ticket for a 70-year-old", [("From 65", "5", "50")]),
        ("tickets for 8 people", []),
        ("When does the Goslar branch close on Fridays?", [("Friday", "8–16")]),
        ("Is the Goslar branch open at 7 pm on Tuesday?", [("Mon–Thu", "8–18")]),
        ("Is the Goslar branch open at the weekend?", [("Sunday and holidays", "closed")]),
        ("Is the Celle branch open on Friday?", []),
        ("What discount is there for 300 orders a month?", [("100 and more", "5%")]),
        ("What discount was there in 2020?", []),
        ("What is the fee after 10 days in storage?", [("8 to 14", "2.00")]),
        ("What is the fee after two weeks?", []),
    ],
)
def test_a_row_answers_in_whose_range_lies_what_a_question_says(question: str, rows: list[tuple[str, ...]]) -> None:
    hits = [hit(text) for text in (RATES, TICKETS, HOURS, VOLUME, FEES)]
    found = choose_ranged_rows(analyze_question(question, {}), hits)
    assert [row.row.cells for row in found.rows if row.row] == rows


def test_rows_of_other_ranges_do_not_answer() -> None:
    found = choose_ranged_rows(analyze_question("What does a parcel of 30 kg to the islands cost?", {}), [hit(RATES)])
    assert len(found.others) == 4, "all but the row over 20 kg, which is not asked for either"


def test_a_question_of_nothing_but_amounts_is_read_at_once() -> None:
    assert len(within(0.2, lambda: list_quantities("$1 " * 2_500))) == 2_500
