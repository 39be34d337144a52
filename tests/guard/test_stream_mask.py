"""A secret that comes in pieces is masked as one that comes at once, and other text does not wait for its end."""

import random

import pytest

from ragstone.guard import StreamMask, mask_secrets
from tests.guard.test_every_output import SECRETS, leaks
from tests.speed import in_step


def told(text: str, chance: random.Random) -> list[str]:
    """What a mask gives for a text in pieces of chance."""
    mask, at, out = StreamMask(), 0, []
    while at < len(text):
        size = chance.randint(1, 9)
        out.append(mask.feed(text[at : at + size]))
        at += size
    return [*out, mask.close()]


@pytest.mark.parametrize("name", SECRETS)
def test_no_piece_shows_a_secret(name: str) -> None:
    text = f"Okapis are kept here.\n\n{SECRETS[name][0]}\nThe end of it, with some words behind it.\n"
    for seed in range(20):
        out = told(text, random.Random(seed))
        assert leaks("".join(out)) == []
        assert "".join(out) == mask_secrets(text)


def test_a_table_is_masked_whatever_its_length() -> None:
    rows = "".join(f"| host{n} | S3cr3t-9x{n}Lion |\n" for n in range(30))
    text = f"The hosts:\n\n| host | password |\n|---|---|\n{rows}\nThat is all.\n"
    assert "S3cr3t" not in "".join(told(text, random.Random(1)))


@pytest.mark.parametrize("text", ["okapi ", "this passage passes a session by keyboard to the monkeys and "])
def test_text_that_names_no_secret_goes_on_at_once(text: str) -> None:
    mask, shown = StreamMask(), ""
    for word in (words := [f"{word} " for word in (text * 40).split()]):
        shown += mask.feed(word)
    assert len(shown) >= sum(map(len, words[:-6]))


def test_a_long_answer_costs_linear_time() -> None:
    for unit in ("okapi ", "password: x ", "password\n\n", "a"):

        def stream(size: int, unit: str = unit) -> None:
            mask = StreamMask()
            for _ in range(size):
                mask.feed(unit)
            mask.close()

        in_step(stream, 5_000, 20_000, most=8)
