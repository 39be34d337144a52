"""Sentences of a language model beside what they cite: what stands there, what does not, and where."""

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ragstone.answering.verification.citations import cite_quotes, groundedness
from ragstone.answering.verification.claims import extract_claim
from ragstone.answering.verification.features import load_support_models
from ragstone.answering.verification.support import GroundingContext, SupportFinding, check_sentence
from ragstone.core.comparable_words import parse_words
from ragstone.core.sentences import split_sentences
from ragstone.core.types import Chunk, join_slices
from tests.answering.made import chunk, same
from tests.speed import within

ROLLO = (
    "Rollo reached Normandy in 911 with 3,000 men. He was baptised on 12 March 912 in Rouen. The treaty was not "
    "signed by "
    "Harald. Charles gave him about 200 km of coast. Most of the towns, which had feared him, opened their gates "
    "before winter."
)
CACHE = (
    "The cache is enabled by default. Set `cache.size` to 4 GB on large machines, or to 512 MB on small ones. The "
    "writer is faster "
    "than the reader. Alice Brown leads the storage team, and Carol White leads the query team."
)


def said(sentence: str, *records: str, others: Sequence[str] = ()) -> SupportFinding:
    """What comes of a sentence that cites a chunk of each record."""
    cited = [chunk(record, path=f"{n}.md") for n, record in enumerate(records)]
    return check_sentence(sentence, cited, [chunk(record, path=f"other{n}.md") for n, record in enumerate(others)])


@pytest.mark.parametrize(
    "sentence",
    [
        "Rollo reached Normandy in 911 with 3,000 men.",
        "In 911, Rollo reached Normandy with 3000 men [1].",
        "**Rollo** reached Normandy in 911.",
        "According to the documents, Rollo reached Normandy in 911 with three thousand men.",
        "- He was baptised in Rouen on March 12, 912.",
        "He was baptised in Rouen on 0912-03-12.",
        "Harald did not sign the treaty.",
        "Charles gave him some 200 kilometres of coast.",
        "Rollo reached Normandy in 911, and Charles gave him about 200 km of coast.",
        "Most of the towns opened their gates before winter.",
    ],
)
def test_what_stands_in_the_chunk_in_other_order_figures_or_markup_is_verified(sentence: str) -> None:
    assert said(sentence, ROLLO).status == "verified"


@pytest.mark.parametrize(
    ("sentence", "why"),
    [
        ("Rollo reached Normandy in 911 with 5,000 men.", "number"),
        ("Rollo reached Normandy in 921 with 3,000 men.", "number"),
        ("He was baptised on 12 May 912 in Rouen.", "date"),
        ("Charles gave him about 200 miles of coast.", "unit"),
        ("Harald reached Normandy in 911 with 3,000 men.", "name"),
        ("He was baptised on 12 March 912 in Paris.", "name"),
        ("Rollo did not reach Normandy in 911.", "negation"),
        ("The treaty was signed by Harald.", "negation"),
        ("All of the towns opened their gates before winter.", "opposite"),
        ("Most of the towns opened their gates after winter.", "opposite"),
        ("Most of the towns closed their gates before winter.", "opposite"),
        ("The harvest of that year failed and the monks wrote to the bishop.", "not_found"),
    ],
)
def test_what_is_said_otherwise_is_unverified_and_says_why(sentence: str, why: str) -> None:
    found = said(sentence, ROLLO)
    assert (found.status, found.why) == ("unverified", why)


@pytest.mark.parametrize(
    ("sentence", "why"),
    [
        ("The cache is disabled by default.", "opposite"),
        ("Set `cache.size` to 512 MB on large machines, or to 4 GB on small ones.", "swapped"),
        ("Carol White leads the storage team, and Alice Brown leads the query team.", "swapped"),
        ("Carol White leads the storage team.", "swapped"),
        ("Set `cache.limit` to 4 GB on large machines.", "name"),
        ("Set `cache.size` to 4 MB on large machines.", "unit"),
    ],
)
def test_technical_sentences_are_held_to_their_names_figures_and_sides(sentence: str, why: str) -> None:
    assert said(sentence, CACHE).status == "unverified", why


def test_what_was_said_otherwise_is_named() -> None:
    [about] = said("Rollo reached Normandy in 911 with 5,000 men.", ROLLO).about
    assert (about.code, about.said, about.stands) == ("number", "5000", "3000")


def test_a_sentence_is_supported_by_the_union_of_what_it_cites() -> None:
    one, other = "Rollo reached Normandy in 911.", "Harald ruled Denmark until 986."
    both = "Rollo reached Normandy in 911, while Harald ruled Denmark until 986."
    found = said(both, one, other)
    assert found.status == "verified"
    assert [quote.text for quote in found.quotes] == [one, other]
    assert said(both, one).status == "unverified"


def test_a_marker_that_points_to_the_wrong_chunk_is_repaired_to_the_right_one() -> None:
    found = said("In 911 Rollo reached Normandy.", CACHE, others=["Nothing of it here.", ROLLO])
    assert (found.status, found.why) == ("repaired", "moved")
    assert {quote.chunk.document.path for quote in found.quotes} == {"other1.md"}


def test_a_sentence_without_a_marker_gets_the_chunk_that_says_it() -> None:
    assert said("Rollo reached Normandy in 911 with 3,000 men.", others=[ROLLO]).status == "repaired"
    assert said("Rollo reached Normandy in 911 with 4,000 men.", others=[ROLLO]).status == "unverified"


def test_a_chunk_that_only_lends_a_name_repairs_nothing() -> None:
    assert (
        said("Gunnor reached Normandy in 911 with 3,000 men.", ROLLO, others=["Gunnor was a duchess."]).status
        == "unverified"
    )


def test_a_name_may_come_from_the_heading_where_the_sentence_says_it() -> None:
    piece = replace(chunk("It was founded in 1932 by two brothers."), heading_path=("Acme Corporation",))
    assert check_sentence("Acme Corporation was founded in 1932 by two brothers.", [piece], []).status == "verified"
    assert check_sentence("Emca Corporation was founded in 1932 by two brothers.", [piece], []).status == "unverified"


@pytest.mark.parametrize(
    "sentence",
    [
        "I hope this helps!",
        "Here is what I found:",
        "## Rollo",
        "Shall I go on?",
        "The documents do not say when.",
        "[1]",
        "…",
        "",
    ],
)
def test_what_claims_nothing_needs_no_citation(sentence: str) -> None:
    found = said(sentence, ROLLO)
    assert (found.status, found.why, found.claim, found.quotes) == ("verified", "no_claim", False, ())


@pytest.mark.parametrize(
    "sentence",
    [
        "I hope you know that Paris has 5 million people.",
        "The documents do not say it, but Rollo died in 932.",
        "The context does not say when he died, although Rollo died in Rouen.",
        "Sure, the treaty was broken by Rollo.",
    ],
)
def test_a_claim_behind_a_courtesy_is_a_claim(sentence: str) -> None:
    assert extract_claim(sentence)
    assert said(sentence, ROLLO).status == "unverified"


def test_groundedness_is_the_share_of_claims_that_stand_somewhere() -> None:
    good, bad, none = (
        said("Rollo reached Normandy in 911.", ROLLO),
        said("Rollo won in 99.", ROLLO),
        said("Sure!", ROLLO),
    )
    assert [finding.claim for finding in (good, bad, none)] == [True, True, False]
    assert groundedness([finding.status for finding in (good, bad, none) if finding.claim]) == 0.5
    assert groundedness([]) == 0.0


def test_quotes_lead_through_the_slices_of_a_chunk_to_the_text_of_record() -> None:
    record = "Intro.\n\n" + ROLLO + "\n\nBetween.\n\n" + CACHE
    start = len("Intro.\n\n")
    piece = chunk(record, (start, start + len(ROLLO)), (record.index(CACHE), len(record)))
    found = check_sentence("In 911 Rollo reached Normandy, and the writer is faster than the reader.", [piece], [])
    assert found.status == "verified"
    _, citations = cite_quotes(found.quotes, {piece.document.id: record}, mask=same)
    assert [citation.status for citation in citations] == ["verified", "verified"]
    assert [citation.quote for citation in citations] == [
        "Rollo reached Normandy in 911 with 3,000 men.",
        "The writer is faster than the reader.",
    ]


def test_a_replaced_word_is_judged_by_its_cosine_where_that_is_known() -> None:
    grounds = GroundingContext([chunk(ROLLO)])
    sentence = "Most of the towns, which had dreaded him, opened their gates before winter."
    first = grounds.check(sentence, [0])
    assert first.status == "verified"
    assert first.pairs == (("dreaded", "feared"),)
    assert grounds.check(sentence, [0], similar={("dreaded", "feared"): 0.8}).status == "verified"
    last = grounds.check(sentence, [0], similar={("dreaded", "feared"): 0.1})
    assert (last.status, last.why) == ("unverified", "replaced")


def test_the_numbers_shipped_say_how_they_were_fitted() -> None:
    assert set(load_support_models()) == {"words", "vectors"}
    for model in load_support_models().values():
        assert model.found.weights["aligned"] > 0
        said = {"soft": 1.0, "aligned": 1.0, "covered": 1.0, "back": 1.0, "longest": 0.5}
        agrees = model.agrees.margin(said)
        assert agrees > 0
        for against in ("rival", "denied_sure", "side_opposite", "rule_name"):
            assert model.agrees.margin({**said, against: 1.0}) < agrees, against
    assert "similar" in load_support_models()["vectors"].found.weights


def test_figures_are_compared_by_value_and_unit() -> None:
    same_value = ["1,200 km", "1200 kilometres", "1\u202f200 km"]
    assert len({(parse_words(text)[0].key, parse_words(text)[0].unit) for text in same_value}) == 1
    assert [parse_words(text)[0].key for text in ("3.5 million", "3,500,000", "twenty-five", "5%", "10th")] == [
        "#3500000", "#3500000", "#25", "#5", "#10",
    ]  # fmt: skip


# Properties

NAMES = st.sampled_from(
    "Rollo Harald Gunnor Paris Rouen Denmark prometheus the of in was not never opened before 12 911 3.5".split()
)
PROSE = st.lists(st.lists(NAMES, min_size=3, max_size=12), min_size=1, max_size=6).map(
    lambda lines: " ".join(" ".join(line).capitalize() + "." for line in lines)
)


@given(PROSE | st.text(max_size=120), st.data())
@settings(max_examples=150, deadline=None)
@example("-5 is not 5. 5 is -5.", None)
def test_a_sentence_of_the_record_is_always_verified_with_spans_that_say_it(
    record: str, data: st.DataObject | None
) -> None:
    bounds = split_sentences(record)
    if not bounds:
        return
    start, end = bounds[0] if data is None else data.draw(st.sampled_from(bounds))
    found = check_sentence(record[start:end], [chunk(record)], [])
    assert found.status == "verified"
    if found.claim:
        [quote] = found.quotes
        assert join_slices(record, quote.spans) == quote.text
        assert quote.text.split() == record[start:end].split()


@given(st.integers(0, 10**7), st.data())
@settings(max_examples=150, deadline=None)
def test_another_digit_never_stays_verified(value: int, data: st.DataObject) -> None:
    written = data.draw(st.sampled_from([str(value), f"{value:,}"]))
    at = data.draw(st.sampled_from([i for i, c in enumerate(written) if c.isdigit()]))
    digit = data.draw(st.sampled_from([d for d in "123456789" if d != written[at]]))
    other = written[:at] + digit + written[at + 1 :]
    frame = data.draw(
        st.sampled_from(
            [
                "The log holds {} entries.",
                "In {} the towns opened their gates.",
                "It cost {} dollars in 1999, not more.",
            ]
        )
    )
    assert (
        said(frame.format(other), f"Before. {frame.format(written)} After it came the other 7.").status == "unverified"
    )


@given(st.text(max_size=200), st.text(max_size=200), st.text(max_size=100))
@settings(max_examples=150, deadline=None)
def test_any_text_gets_a_verdict_and_true_spans(sentence: str, one: str, other: str) -> None:
    pieces = [chunk(one, path="a.md"), chunk(other, path="b.md")]
    found = check_sentence(sentence, pieces[:1], pieces[1:])
    for quote in found.quotes:
        record = one if quote.chunk.document.path == "a.md" else other
        assert join_slices(record, quote.spans) == quote.text
    if found.status == "unverified":
        assert " ".join(sentence.split()) not in {" ".join(one[a:b].split()) for a, b in split_sentences(one)}


def hostile() -> list[str]:
    """Texts that would cost a careless reader the square of their length."""
    chance = random.Random(0)
    return [
        "word " * 200_000,
        "".join(chance.choices("ab ", k=1_000_000)),
        "not " * 200_000,
        "1," * 400_000,
        "According to the documents, " * 30_000,
        "東京都" * 200_000,
        "[1]" * 300_000,
        "A.b_" * 200_000,
        "Here is " * 100_000,
        "*_" * 400_000,
        "a. " * 300_000,
    ]


@pytest.mark.parametrize("text", hostile(), ids=lambda text: text[:12])
def test_a_megabyte_of_anything_takes_linear_time(text: str) -> None:
    def work() -> None:
        said(text, ROLLO, others=[CACHE])
        said("Rollo reached Normandy in 911.", text[:100_000])
        said(text[:100_000] + " b.", text[:100_000], others=[text[:90_000]])

    within(10, work)


def as_chunks(*records: str) -> list[Chunk]:
    return [chunk(record, path=f"{n}.md") for n, record in enumerate(records)]


def test_the_chunks_of_an_answer_are_read_once_and_checked_by_their_place() -> None:
    grounds = GroundingContext(as_chunks(ROLLO, CACHE))
    assert grounds.check("The cache is enabled by default.", [1]).status == "verified"
    assert grounds.check("The cache is enabled by default.", [0]).status == "repaired"
    assert grounds.check("The cache is enabled by default.", [0, 1]).status == "verified"


def test_a_cited_chunk_that_denies_the_sentence_is_not_overruled_by_another_cited_one() -> None:
    records = ["Rollo never reached Normandy in 911.", "Rollo reached Normandy in 911."]
    found = said("In 911, Rollo reached Normandy.", *records)
    assert (found.status, found.why) == ("unverified", "negation")
