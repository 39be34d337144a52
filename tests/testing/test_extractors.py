"""The contract of extractors catches what it is there for."""

import pytest

from ragstone.testing.extractors import (
    FREE_SECONDS,
    MAX_GROWTH,
    MIN_SECONDS,
    REPEATED_UNITS,
    SIZES,
    check_growth,
    make_hostile_inputs,
)


def spent(monkeypatch: pytest.MonkeyPatch, seconds: dict[int, list[float]]) -> list[int]:
    """Gives every size its seconds, the first call the first; returns the sizes that were run."""
    ran: list[int] = []
    clock = [0.0]

    def work(size: int) -> None:
        clock[0] += seconds[size].pop(0)
        ran.append(size)

    monkeypatch.setattr("ragstone.testing.extractors.time.process_time", lambda: clock[0])
    check_growth(work)
    return ran


def test_time_that_grows_with_the_input_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    twice = [size for size in SIZES[:-1] for _ in range(2)]
    assert spent(monkeypatch, {size: [size / 40_000] * 2 for size in SIZES}) == [*twice, SIZES[-1]]


def test_time_that_grows_with_its_square_fails_before_the_largest_input(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AssertionError, match=r"32000 bytes took 10\.24 s, a quarter of them 0\.640 s"):
        spent(monkeypatch, {size: [size**2 / 1e8] * 2 for size in SIZES[:2]})


def test_a_quick_one_may_grow_as_it_likes_and_a_hiccup_is_forgiven(monkeypatch: pytest.MonkeyPatch) -> None:
    assert FREE_SECONDS > MAX_GROWTH * MIN_SECONDS
    seconds = {8_000: [0.0], 32_000: [FREE_SECONDS, FREE_SECONDS], 128_000: [20.0, 0.3]}
    assert spent(monkeypatch, seconds) == [8_000, 32_000, 32_000, 128_000, 128_000]


def test_a_hiccup_of_a_smaller_input_excuses_no_larger_one(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AssertionError, match=r"a quarter of them 0\.300 s"):
        spent(monkeypatch, {8_000: [0.0], 32_000: [0.9, 0.3], 128_000: [4.8, 4.8]})


def test_a_real_quadratic_scan_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragstone.testing.extractors.FREE_SECONDS", 0.1)  # a fast machine needs little more

    def scan(size: int) -> None:
        text = b"<!-- x -->" * (size // 10)
        at = 0
        while (at := text.find(b"<!--", at)) >= 0:
            at += len(text[at + 4 :].split(b" ")[0]) + 4  # looks to the end of the document for each

    with pytest.raises(AssertionError, match="grows with the square"):
        check_growth(scan)


def test_closed_comments_are_among_the_hostile_inputs() -> None:
    assert {b"<!-- x -->", b"<!-->", b"<!--"} <= set(REPEATED_UNITS)
    assert any(data.count(b"<!--") > 1000 and data.count(b"-->") > 1000 for data in make_hostile_inputs({}))


def test_every_hostile_input_is_small_enough_to_be_read_in_a_moment() -> None:
    assert max(map(len, make_hostile_inputs({"a": b"x" * 1000}))) < 1_000_000
