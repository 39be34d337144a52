"""How a sentence chooses between facts of one frame, on which side of a limit it stands, and the net that weighs it."""

import math

import pytest

from ragstone.answering.verification.contrast import Contrast, measure_contrast
from ragstone.answering.verification.fact_evidence import find_hits
from ragstone.answering.verification.features import WeighedSigns
from ragstone.answering.verification.sides import SideFindings, compare_sides
from tests.answering.made import read_facts

FINES = "Fines are 20 euros for cars and 35 euros for lorries."
BADGES = "Children under ten need no badge; guests wear one until 18:00."
WASH = "Do not wash the jacket above 30 degrees."
WATER = "Use alcohol for the contacts, never water."


def contrast(record: str, sentence: str) -> Contrast:
    """How a sentence chooses between the facts of a record."""
    claim, passage = read_facts(sentence), read_facts(record)
    return measure_contrast(claim, passage, find_hits(claim, passage))


@pytest.mark.parametrize("sentence", ["Cars are fined 20 euros.", "For lorries the fine is 35 euros."])
def test_a_sentence_of_one_fact_keeps_to_it(sentence: str) -> None:
    found = contrast(FINES, sentence)
    assert found.kept > 1 > found.mix == found.both == 0


@pytest.mark.parametrize("sentence", ["Cars are fined 35 euros.", "For lorries the fine is 20 euros."])
def test_a_sentence_that_takes_from_two_facts_mixes_them(sentence: str) -> None:
    found = contrast(FINES, sentence)
    assert found.mix > 0.8 > found.kept == 0


def test_a_sentence_that_says_both_facts_is_no_mix() -> None:
    found = contrast(FINES, "Lorries pay more than cars: 35 euros, not 20.")
    assert found.both > 0
    assert found.mix < contrast(FINES, "Cars are fined 35 euros.").mix


@pytest.mark.parametrize(
    ("record", "sentence", "name"),
    [
        (BADGES, "A child under ten needs no badge.", "same"),
        (BADGES, "Children over ten need no badge.", "opposite"),
        (BADGES, "Guests wear a badge from 18:00.", "opposite"),
        (WASH, "Wash the jacket at 30 degrees or less.", "same"),
        (WASH, "Wash the jacket above 30 degrees.", "opposite"),
        (WASH, "Wash the jacket at 30 degrees.", "dropped"),
        (WATER, "For the contacts use water, never alcohol.", "moved"),
        (WATER, "It is alcohol for the contacts, never water.", "rests"),
    ],
)
def test_the_side_of_a_limit_and_the_place_of_a_denial_are_read(record: str, sentence: str, name: str) -> None:
    found = compare_sides(read_facts(sentence), read_facts(record))
    assert getattr(found, name) >= 1
    against = {"opposite", "moved"} - {name}
    assert all(getattr(found, one) == 0 for one in against), found


def test_a_text_without_limits_has_no_side() -> None:
    assert compare_sides(read_facts("The hall is warm."), read_facts("The hall is large.")) == SideFindings()


def test_hidden_units_add_to_the_straight_part() -> None:
    signs = {"covered": 0.5, "rival": 1.0}
    weights = {"covered": 2.0, "rival": -1.0, "stolen": 9.0}
    assert WeighedSigns(0.5, 0.25, weights).margin(signs) == 0.5 - 0.25 + 1.0 - 1.0
    net = WeighedSigns(0.5, 0.25, weights, units=[[3.0, 0.1, 0.2, 0.4, 5.0], [-1.0, 0.0, 0.0, 1.0, 0.0]])
    assert net.margin(signs) == pytest.approx(0.25 + 3 * math.tanh(0.1 + 0.1 + 0.4) - math.tanh(1.0))
