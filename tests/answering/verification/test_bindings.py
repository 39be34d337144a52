"""Which words of a passage belong together, which stand in each other's place, and what a sentence tears apart."""

import pytest

from ragstone.answering.verification.bindings import Binding, measure_binding
from ragstone.answering.verification.fact_evidence import find_hits
from ragstone.answering.verification.parallels import Parallels
from ragstone.core.comparable_words import parse_words
from tests.answering.made import read_facts

GRANTS = "Grants of 900 euros are paid to choirs and of 400 euros to bands."
TRAINS = "The trains to Aske, Borr and Tiel leave from platforms 4, 7 and 9 respectively."
ROWS = "Model K: 12 litres, 48 kg. Model R: 30 litres, 71 kg."
STEPS = "The clerk stamps the form, the treasurer files it, and only the mayor may sign a contract."
HELPERS = "Jo Brand, head of the clinic, and Ian Pell, mayor of Orton, met in May."
SPEEDS = "The otter swims faster than the beaver. Its tunnel is longer."


def bind(record: str, sentence: str) -> Binding:
    """How a sentence joins the words of a record."""
    claim, passage = read_facts(sentence), read_facts(record)
    return measure_binding(claim, passage, find_hits(claim, passage))


def cut(text: str, word: str) -> float:
    """How deep the cut before the first such word is."""
    found = read_facts(text)
    return next(depth for depth, one in zip(found.breaks, found.words, strict=True) if one.lower == word)


def between(text: str, one: str, other: str) -> float:
    """How far two words of a text stand apart."""
    words = [word.lower for word in parse_words(text)]
    return Parallels(read_facts(text)).distance(words.index(one), words.index(other))


@pytest.mark.parametrize(
    ("record", "right", "wrong"),
    [
        (GRANTS, "Bands get grants of 400 euros.", "Bands get grants of 900 euros."),
        (TRAINS, "The train to Borr leaves from platform 7.", "The train to Borr leaves from platform 9."),
        (ROWS, "Model R holds 30 litres.", "Model R holds 12 litres."),
        (STEPS, "The treasurer files the form.", "The treasurer stamps the form."),
        (HELPERS, "Ian Pell is the mayor of Orton.", "Jo Brand is the mayor of Orton."),
    ],
)
def test_a_sentence_that_joins_words_of_two_facts_tears_them(record: str, right: str, wrong: str) -> None:
    mine, other = bind(record, right), bind(record, wrong)
    assert max(mine.torn, mine.far) < 0.3 < max(other.torn, other.far) + max(other.taken, other.drawn) - mine.taken


def test_a_month_is_no_form_of_another_one() -> None:
    claim, passage = read_facts("The hall opens in June."), read_facts("The hall opens in March and the yard in July.")
    assert not any(passage.kinds[j] == "date" for found in find_hits(claim, passage).values() for j in found)


def test_cuts_are_the_deeper_the_more_begins_behind_them() -> None:
    text = "Ships of the line, which are old, pass by day and sail on; boats wait, but rafts do not."
    depths = [cut(text, word) for word in ("sail", "by", "which", "and", "but", "boats")]
    assert depths == sorted(depths)
    assert len({*depths}) == len(depths)


def test_what_a_pronoun_begins_goes_on_with_what_stands_before() -> None:
    assert cut("The lift is old. It carries eight.", "it") < cut("The lift is old. Stairs lead up.", "stairs")


def test_an_insertion_keeps_its_words_from_what_follows() -> None:
    text = "The north line opened in 1887, eleven years after the south line, and was closed in 1934."
    assert between(text, "1934", "north") <= between(text, "1934", "south")


def test_parts_share_what_stands_before_both() -> None:
    text = "Tickets for the fair cost 12 euros for adults and 7 for children."
    assert between(text, "tickets", "7") < between(text, "12", "7")
    text = "The council bought the mill in May and sold the barn in June."
    assert between(text, "council", "june") < between(text, "may", "june")


def test_lists_that_respectively_joins_belong_together_place_by_place() -> None:
    assert between(TRAINS, "aske", "4") < between(TRAINS, "aske", "7") == between(TRAINS, "tiel", "4")


def test_words_in_each_others_place_are_rivals() -> None:
    found = read_facts(GRANTS)
    words = [word.lower for word in found.words]
    there = Parallels(found)
    assert words.index("bands") in there.rivals(words.index("choirs"))
    assert words.index("400") in there.rivals(words.index("900"))
    assert not there.rivals(words.index("grants"))


def test_a_comparison_that_is_turned_is_one() -> None:
    assert bind(SPEEDS, "The beaver swims faster than the otter.").turns == 1
    assert bind(SPEEDS, "The beaver swims slower than the otter.").turns == -1
    assert bind(SPEEDS, "The otter swims faster than the beaver.").turns == -1
    assert bind(SPEEDS, "The otter is older than the beaver.").compares == 1


def test_a_denial_reaches_no_further_than_its_clause() -> None:
    record = "Guests may use the pool, but children may not enter the sauna."
    assert bind(record, "Children may not enter the sauna.").denies < 0.3
    assert bind(record, "Guests may not use the pool.").denies == 1
    assert (
        bind(record, "Children may enter the sauna.").omits > 0.7 > 0.3 > bind(record, "Guests may use the pool.").omits
    )


def test_only_the_nearest_places_and_the_surest_rivals_are_compared() -> None:
    words = "12 euros for adults, " * 90
    there = Parallels(read_facts(words))
    assert max(len(there.rivals(j)) for j in range(0, 300, 7)) <= 16
    assert bind(words, "12 euros for adults " * 30).torn <= 1
