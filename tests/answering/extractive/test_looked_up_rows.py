"""Rows that a question names by a cell and a header."""

import pytest

from ragstone.answering.extractive.looked_up_rows import look_up_row
from ragstone.answering.extractive.question_analysis import analyze_question
from tests.answering.made import hit

LEAVE = """# Other leave

| Kind | Days | Paid | Approved by | Since |
|---|---|---|---|---|
| Volunteering | 3 | yes | Ines Fabre | 2019 |
| Jury service | 15 | yes | Dieter Voss | 2012 |
| Study | 5 | half | Dieter Voss | 2021 |
| Study abroad | 9 | | Dieter Voss | 2021 |
"""


@pytest.mark.parametrize(
    ("question", "label"),
    [
        ("Is volunteering paid?", "Volunteering"),
        ("Who approved the jury service?", "Jury service"),
        ("Is the leave for study paid?", "Study"),
        ("Does volunteering need to be approved?", "Volunteering"),
        ("Is volunteering paid in March?", ""),  # no row says March
        ("Is volunteering not paid?", ""),
        ("Why is volunteering paid?", ""),
        ("Who pays for volunteering?", ""),  # "yes" is nobody
        ("Is study abroad paid?", ""),  # an empty cell; the other row says less than is asked
        ("Is leave paid?", ""),
        ("Is volunteering and study paid?", ""),
        ("What has Dieter Voss approved?", ""),  # in three rows
    ],
)
def test_a_row_answers_whose_cell_and_column_are_all_that_a_question_says(question: str, label: str) -> None:
    rows = look_up_row(analyze_question(question, {}), [hit(LEAVE)])
    assert [row.row.cells[0] for row in rows if row.row] == [label] * bool(label)
