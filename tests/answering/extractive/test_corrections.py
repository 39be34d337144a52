"""A later document that corrects an earlier one answers in its place."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from ragstone.answering.extractive.corrections import put_correction_first
from ragstone.answering.extractive.question_analysis import analyze_question
from ragstone.answering.extractive.selection import rank_passages
from ragstone.core.types import Hit
from tests.answering.made import hit

Written = tuple[str, str, str]  # the day of a document, its title, its text
WATER = "The water will be turned off on Thursday, 12 March, from 9:00 on."
OTHER = "The water will be turned off on Tuesday, 17 March, from 8:00 on."
PERMIT = ("", "Parking", "A parking permit costs 40 euros a year.")
LIFT = ("2026-03-03", "Lift", "The lift in building A is out of order until 9 March.")
TRAINING = ("2026-04-01", "Training", "The training on 5 May takes place in room 3.12.")


def made(number: int, written: Written) -> Hit:
    day, title, text = written
    one = hit(text, path=f"{number}.md")
    document = replace(one.chunk.document, title=title, meta={"date": day} if day else {})
    return replace(one, chunk=replace(one.chunk, document=document))


@pytest.mark.parametrize(
    ("question", "earlier", "later", "corrected"),
    [
        ("When will the water be off?", ("2026-03-02", "Water", WATER), ("2026-03-09", "New day: Water", OTHER), True),
        ("When will the water be off?", ("2026-03-09", "Water", WATER), ("2026-03-02", "New day: Water", OTHER), False),
        ("When will the water be off?", ("2026-03-02", "Water", WATER), ("2026-03-09", "Water", OTHER), False),
        ("When will the water be off?", ("", "Water", WATER), ("", "New day: Water", OTHER), False),
        ("When will the water be off?", ("2026-03-09", "", WATER), ("March 2, 2026", "New day", OTHER), False),
        ("When will the water be off?", ("March 2, 2026", "", WATER), ("2026-03-09", "New day", OTHER), True),
        ("Why will the water be off?", ("2026-03-02", "Water", WATER), ("2026-03-09", "New day: Water", OTHER), False),
        (
            "How much is a parking permit?",
            PERMIT,
            ("2026-02-24", "Prices", "From March on a parking permit costs 55 euros a year."),
            True,
        ),
        (
            "How much is a parking permit?",
            PERMIT,
            ("2026-02-24", "Prices", "A parking permit is now valid for 24 months and costs nothing more."),
            False,  # months are no price
        ),
        (
            "How much is a parking permit?",
            PERMIT,
            ("2026-02-24", "Prices", "Some say that a parking permit costs 55 euros a year now."),
            False,
        ),
        (
            "When will the water be off?",
            ("2026-03-02", "Water", WATER),
            ("2026-03-09", "Water", f"The news that {OTHER[:-1].lower()} instead is wrong."),
            False,
        ),
        (
            "Where is the training?",
            TRAINING,
            ("2026-04-02", "Training", "The training takes place in room 1.05 instead."),
            True,
        ),
        (
            "When is the training?",
            TRAINING,
            ("2026-04-02", "Training", "The training takes place in room 1.05 instead."),
            False,  # the day stays
        ),
        (
            "How many pumps did we sell in January?",
            ("2026-02-02", "Sales", "In January we sold 120 pumps and 14 valves."),
            ("2026-03-02", "Sales", "In February we sold 95 pumps, fewer than in January with the new prices."),
            False,  # of another month
        ),
        (
            "Until when is the lift in building A out of order?",
            LIFT,
            ("2026-03-05", "Lift", "Now the lift in building B is out of order until 20 March."),
            False,
        ),
        (
            "Who answers questions about laptops?",
            ("2026-01-03", "Help", "Ed Moran answers questions about laptops."),
            ("2026-03-05", "Help", "From now on Sunita Rao answers questions about laptops."),
            True,
        ),
    ],
)
def test_a_later_document_that_tells_of_a_change_answers_first(
    question: str, earlier: Written, later: Written, corrected: bool
) -> None:
    analysed = analyze_question(question, {})
    for order in ((1, 2), (2, 1)):
        hits: Sequence[Hit] = [made(number, earlier if number == 1 else later) for number in order]
        ranked = sorted(rank_passages(analysed, hits), key=lambda one: one.passage.chunk.document.path)
        found = put_correction_first(analysed, ranked)
        assert (found[0].passage.chunk.document.path == "2.md") == corrected
        assert len(found) == 2 - corrected
