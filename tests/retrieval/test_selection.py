"""Thresholds ask raw signals; near-duplicates are one; caps hold."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.core.analyzer import extract_terms
from ragstone.retrieval import selection
from ragstone.retrieval.selection import (
    ALIKE,
    LEAST_TERMS,
    TermSets,
    deduplicate,
    deduplicate_first,
    jaccard,
    keep_above,
    limit_per_document,
)
from tests.retrieval.made import hit
from tests.speed import within

LONG = " ".join(f"word{i}" for i in range(40))


def test_a_threshold_leaves_out_what_is_below_or_has_no_signal() -> None:
    hits = [hit(path="a", cosine=0.5), hit(path="b", cosine=0.4), hit(path="c", bm25=9.0)]
    assert [h.chunk.document.path for h in keep_above(hits, {"cosine": 0.5})] == ["a"]


def test_a_signal_that_nobody_has_is_not_asked_for() -> None:
    assert len(keep_above([hit(bm25=1.0)], {"cosine": 0.5})) == 1


def test_equal_texts_are_folded_into_the_best_with_their_places() -> None:
    [one] = deduplicate([hit("Same  text", path="a"), hit("same text\n", path="b", ordinal=4)])
    assert one.chunk.document.path == "a"
    assert one.duplicates == (("docs", "b", 4),)


def test_long_texts_that_differ_in_a_word_are_folded() -> None:
    assert len(deduplicate([hit(LONG, path="a"), hit(LONG + " extra", path="b")])) == 1


def test_short_texts_that_differ_in_a_word_are_not() -> None:
    text = "how to {} the feature in the settings of your own server right now please"
    assert len(deduplicate([hit(text.format("enable"), path="a"), hit(text.format("disable"), path="b")])) == 2


PLAIN = [f"k{a}{b}" for a in "abcdef" for b in "klmnop"]  # words that are neither names nor figures
TEXT = st.lists(st.integers(0, 30), min_size=18, max_size=30).map(lambda ns: " ".join(PLAIN[n] for n in ns))
POLICY = (
    "Whoever leaves the company tells the department of human resources in writing {} before the last day of work. The "
    "letter {} be signed by {} and names the reason for leaving, the address, the account and the open claims."
)
AS_IT_IS = ("15 days", "must", "Alice")


@pytest.mark.parametrize(
    "other",
    [
        ("30 days", "must", "Alice"),
        ("15 weeks", "must", "Alice"),
        ("fifteen days, since May,", "must", "Alice"),
        ("15 days", "must not", "Alice"),
        ("15 days", "must never", "Alice"),
        ("15 days", "must", "Robert"),
    ],
)
def test_texts_that_differ_in_a_figure_a_name_or_a_denial_are_both_kept(other: tuple[str, str, str]) -> None:
    texts = POLICY.format(*AS_IT_IS), POLICY.format(*other)
    assert len(deduplicate([hit(text, path=str(n)) for n, text in enumerate(texts)])) == 2


def test_figures_that_changed_their_places_are_both_kept() -> None:
    text = POLICY.format(*AS_IT_IS) + " Tickets cost {} euros for adults and {} euros for children."
    assert len(deduplicate([hit(text.format(12, 7), path="a"), hit(text.format(7, 12), path="b")])) == 2


@pytest.mark.parametrize(
    ("one", "other"), [("enabled", "disabled"), ("required", "optional"), ("ist erlaubt", "ist nicht erlaubt")]
)
def test_long_texts_that_say_the_opposite_are_both_kept(one: str, other: str) -> None:
    text = POLICY.format(*AS_IT_IS) + " Access to the building {} on the last day."
    assert len(deduplicate([hit(text.format(one), path="a"), hit(text.format(other), path="b")])) == 2


def test_figures_that_are_written_in_two_ways_are_one() -> None:
    one, other = POLICY.format(*AS_IT_IS), POLICY.format("fifteen days", "must", "Alice")
    assert len(deduplicate([hit(one, path="a"), hit(other, path="b")])) == 1


@given(st.lists(TEXT, max_size=8))
@settings(max_examples=100, deadline=None)
def test_folding_finds_what_comparing_all_pairs_finds(texts: list[str]) -> None:
    hits = [hit(text, path=str(i)) for i, text in enumerate(texts)]
    kept: list[str] = []
    for text in texts:
        bag = set(extract_terms(text))
        if not any(
            text == other
            or (
                len(bag) >= LEAST_TERMS
                and jaccard(bag, set(extract_terms(other))) >= ALIKE
                and len(set(extract_terms(other))) >= LEAST_TERMS
            )
            for other in kept
        ):
            kept.append(text)
    folded = deduplicate(hits)
    assert [h.chunk.text for h in folded] == kept
    assert len(folded) + sum(len(h.duplicates) for h in folded) == len(hits)


@settings(deadline=None)
@given(st.lists(st.sampled_from([LONG, f"{LONG} more", *PLAIN[:6]]), max_size=30), st.integers(1, 8))
def test_the_first_hits_are_those_that_folding_all_gives(texts: list[str], most: int) -> None:
    hits = [hit(text, path=str(n)) for n, text in enumerate(texts)]
    first = [one.chunk.document.path for one in deduplicate_first(hits, most)]
    assert first == [one.chunk.document.path for one in deduplicate(hits)][:most]


def test_no_more_hits_are_read_than_the_first_need(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def record(text: str) -> list[str]:
        read.append(text)
        return extract_terms(text)

    monkeypatch.setattr(selection, "extract_terms", record)
    hits = [hit(PLAIN[n], path=str(n)) for n in range(30)]
    assert len(deduplicate_first(hits, 3)) == 3
    assert read == PLAIN[:6]
    read.clear()
    terms = TermSets()
    copies = [hit(LONG, path=str(n)) for n in range(20)]
    assert len(deduplicate_first([*copies, *hits], 3, terms)) == 3
    assert read == [LONG, *PLAIN[:4]]  # each once, though 6 hits were looked at first, then 12 and 24
    assert len(deduplicate_first([*copies, *hits[:4]], 3, terms)) == 3
    assert len(read) == 5


def test_folding_many_hits_is_quick() -> None:
    hits = [hit(" ".join(f"w{(i * j) % 997}" for j in range(80)), path=str(i)) for i in range(600)]
    within(3, lambda: deduplicate(hits))


def test_a_cap_counts_by_document() -> None:
    hits = [hit(path="a", ordinal=i) for i in range(3)] + [hit(path="b")]
    assert [(h.chunk.document.path, h.chunk.ordinal) for h in limit_per_document(hits, per_document=2)] == [
        ("a", 0),
        ("a", 1),
        ("b", 0),
    ]


def test_texts_that_share_exactly_as_much_as_it_takes_are_folded() -> None:
    shared = " ".join(PLAIN)
    first, second = f"{shared} zig zag", f"{shared} hip hop"
    assert jaccard(set(extract_terms(first)), set(extract_terms(second))) == ALIKE
    assert len(deduplicate([hit(first, path="a"), hit(second, path="b")])) == 1
