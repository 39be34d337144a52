"""Sentences of other documents that say the same of another subject."""

import pytest

from ragstone.answering.extractive.counterparts import add_counterparts
from ragstone.answering.extractive.question_analysis import analyze_question
from ragstone.answering.extractive.selection import rank_passages, select_passages
from tests.answering.made import hit

HALL = "# Village hall\n\nThe deposit is 300 euros and comes back within ten days. Music stops at 1 am."
TENT = "# Tent\n\nThe deposit is 100 euros. Music stops at 10 pm."
CAMP = "# Camp\n\nA deposit of clay lies below the camp."


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("How much is the deposit?", ["hall.md", "tent.md"]),
        ("When does the music stop?", ["hall.md", "tent.md"]),
        ("How much is the deposit for the village hall?", ["hall.md"]),
        ("Why is there a deposit?", ["hall.md"]),
    ],
)
def test_both_answer_where_a_question_does_not_say_which_it_means(question: str, found: list[str]) -> None:
    hits = [hit(text, path=path) for text, path in ((HALL, "hall.md"), (TENT, "tent.md"), (CAMP, "camp.md"))]
    asked = analyze_question(question, {})
    ranked = rank_passages(asked, hits)
    chosen = [one for one in select_passages(asked, ranked) if one.passage.hit == ranked[0].passage.hit]
    assert [one.passage.chunk.document.path for one in add_counterparts(asked, chosen[:1], ranked)] == found
