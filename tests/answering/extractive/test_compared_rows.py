"""The two rows that a question compares."""

import pytest

from ragstone.answering.extractive.compared_rows import choose_compared_rows
from ragstone.answering.extractive.question_analysis import analyze_question
from ragstone.answering.extractive.whole_tables import gather_tables
from tests.answering.made import hit

PLANS = """# Plans

| Plan | Price | Users | Delivery | Founded by |
|---|---|---|---|---|
| Solo | €4 | 1 | 3 days | Ann |
| Team (new) | €9 | 20 | next day | Bo |
| Team Plus | €15 | 50 | 1 day | Cy |
"""


@pytest.mark.parametrize(
    ("question", "labels"),
    [
        ("Which is cheaper, Team Plus or Solo?", ["Solo", "Team Plus"]),
        ("Is Solo cheaper than Team?", ["Solo", "Team (new)"]),
        ("What costs more, Solo or Team?", ["Team (new)", "Solo"]),
        ("Which plan has more users, Solo or Team Plus?", ["Team Plus", "Solo"]),
        ("Is Team faster than Solo?", ["Solo", "Team (new)"]),  # "next day" is no figure, but a reader sees it
        ("Is Solo older than Team?", []),  # no column of ages
        ("Which is cheaper, Solo or Gold?", []),
        ("Which is cheaper in Norway, Solo or Team?", []),
        ("Is Solo not cheaper than Team?", []),
        ("Are there more users of Solo?", []),
    ],
)
def test_both_rows_answer_that_with_the_figure_first(question: str, labels: list[str]) -> None:
    found = choose_compared_rows(analyze_question(question, {}), gather_tables([hit(PLANS).chunk], 0))
    assert [row.row.cells[0] for row in found if row.row] == labels
