"""The sentences that are quoted are those that answer."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.answering.extractive.compared_text import text_above
from ragstone.answering.extractive.form_fields import find_fields
from ragstone.answering.extractive.passages import split_passages
from ragstone.answering.extractive.question_analysis import analyze_question, answers_kind, classify_question
from ragstone.answering.extractive.reading_form import arrange_passages, make_quotes
from ragstone.answering.extractive.selection import (
    apply_similarity,
    rank_passages,
    select_passages,
)
from ragstone.answering.extractive.selection_options import SelectionOptions
from ragstone.answering.extractive.widening import widen_passage
from ragstone.answering.verification.citations import Quote
from ragstone.core.analyzer import extract_terms
from ragstone.core.types import Hit, join_slices
from tests.answering.made import chunk, document, hit

NORMANS = (
    "The Normans gave their name to Normandy, a region in France. They were led by Rollo. "
    "Rollo swore fealty to King Charles in 911. Their descendants merged with the Franks."
)


def answer(question: str, *hits: Hit) -> list[str]:
    subject = analyze_question(question, {})
    return [one.passage.text for one in select_passages(subject, rank_passages(subject, hits))]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("When did Rollo swear fealty?", "when"),
        ("In what year was it built?", "when"),
        ("How many rules are there?", "how_many"),
        ("How do I reload the configuration?", "how_to"),
        ("Who wrote it?", "who"),
        ("Why does it fail?", "why"),
        ("Is it fast?", "yes_no"),
        ("What is a closure?", "what_is"),
        ("Where is the file?", "where"),
        ("rollo fealty", "other"),
    ],
)
def test_the_kind_of_answer_is_read_from_the_question(question: str, expected: str) -> None:
    assert classify_question(question) == expected


@pytest.mark.parametrize(
    ("language", "question", "expected"),
    [
        ("german", "Was kostet der Umzug?", "how_many"),
        ("german", "Wie beantrage ich Urlaub?", "how_to"),
        ("french", "Qui prépare les affiches ?", "who"),
        ("french", "Jusqu’à quelle date ?", "when"),
        ("spanish", "¿Por qué no abre?", "why"),
        ("italian", "Dov'è la sala?", "where"),
        ("portuguese", "Quantos dias?", "how_many"),
        ("dutch", "Mag ik thuiswerken?", "yes_no"),
        ("swedish", "Vad är en brandvägg?", "what_is"),
        ("danish", "Hvor mange dage?", "how_many"),
        ("finnish", "Missä se on?", "other"),
        ("french", "Comment remplacer une carte qui ne marche plus ?", "how_to"),
        ("french", "Qu'est-ce qui change en mai ?", "what_is"),
        ("french", "C'est remis par qui ?", "who"),
        ("french", "Que faire quand il neige ?", "how_to"),
        ("danish", "Hvad gør jeg, hvis det sner?", "what_is"),
        ("swedish", "Vilka dagar är det öppet?", "other"),
        ("swedish", "Vem var chef?", "who"),
        ("german", "Um wie viel Uhr beginnt es?", "when"),
    ],
)
def test_the_kind_of_answer_is_read_in_the_language_of_the_question(
    language: str, question: str, expected: str
) -> None:
    assert classify_question(question, language) == expected


@pytest.mark.parametrize(
    ("question", "answers", "other"),
    [
        ("Wie lange dauert die Pause?", "Die Pause dauert eine halbe Stunde.", "Die Pause dauert an."),
        ("Wann ist die Pause?", "Die Pause ist mittags.", "Die Pause ist lang."),
        ("Warum fällt das Fest aus?", "Es fällt aus, weil es regnet.", "Das Fest fällt aus."),
        ("Wer leitet das Lager?", "Das Lager leitet Herr Yilmaz.", "Das Lager hat eine Halle."),
        ("Wo ist das Lager?", "Das Lager ist in Esslingen.", ""),
    ],
)
def test_a_sentence_of_another_language_holds_the_kind_that_is_asked_for(
    question: str, answers: str, other: str
) -> None:
    subject = analyze_question(question, {}, "german")
    assert answers_kind(subject, answers, frozenset())
    assert not other or not answers_kind(subject, other, frozenset())


@pytest.mark.parametrize(
    ("question", "subject"),
    [("年假有多少天？", {"年假"}), ("VPN怎么申请？", {"vpn", "申请"}), ("予約はどこでできますか", {"予約", "約は"})],
)
def test_pairs_of_characters_that_shape_a_question_are_no_part_of_its_subject(question: str, subject: set[str]) -> None:
    assert analyze_question(question, {}).weights.keys() == subject


def test_the_sentence_with_the_answer_is_quoted_whole() -> None:
    assert "Rollo swore fealty to King Charles in 911." in answer("When did Rollo swear fealty?", hit(NORMANS))


def test_the_kind_asked_for_must_be_new() -> None:
    subject = analyze_question("When in 911 did it happen?", {})
    assert not answers_kind(subject, "It happened 911.", frozenset(extract_terms("It happened 911.")))
    assert answers_kind(subject, "It happened on 4 May 911.", frozenset(extract_terms("It happened on 4 May 911.")))


def test_a_heading_alone_is_never_an_answer() -> None:
    found = answer(
        "How to reload the configuration?",
        hit("## Reload the configuration\n\nSend SIGHUP to the process to reload it.\n"),
    )
    assert found == ["Send SIGHUP to the process to reload it."]


def test_an_introduction_takes_its_list_along() -> None:
    text = "Unrelated words.\n\nTo install the server, follow these steps:\n\n- Fetch it.\n- Build it.\n\nOther text."
    found = answer("How do I install the server?", hit(text))
    assert "To install the server, follow these steps:\n\n- Fetch it.\n- Build it." in found


TITLED = document(title="OPS-117 Login page times out")
TICKETS = """# OPS-117 Login page times out

Status: Open
**Assignee:** Dana Smith
Created: 2024-03-02

Users see a timeout.

# OPS-118 Rotate certificates

Status: Done
**Assignee:** Lee Wong
Created: 2024-03-09

## Notes

Due: Monday
Reviewer: Kim
"""


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the status of OPS-117?", "Status: Open"),
        ("What is the status of OPS-118?", "Status: Done"),
        ("When was OPS-117 created?", "Created: 2024-03-02"),
        ("Who is the assignee of OPS-118?", "**Assignee:** Lee Wong"),
        ("Who is the reviewer of OPS-118?", "Reviewer: Kim"),
    ],
)
def test_a_field_is_read_under_the_heading_of_its_section(question: str, expected: str) -> None:
    assert answer(question, hit(TICKETS)) == [expected]


def test_the_title_of_another_section_is_not_above_a_passage() -> None:
    one = hit(TICKETS)
    [found] = split_passages([replace(one, chunk=replace(one.chunk, document=TITLED))])
    above = {passage.text: text_above(passage.chunk, passage.closed) for passage in found}
    assert "OPS-117" in above["Status: Open"]
    assert "OPS-117" not in above["Status: Done"]
    assert {passage.sections for passage in found if passage.text == "Due: Monday"} == {
        ("OPS-118 Rotate certificates", "Notes")
    }


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the due date of Falcon?", "due date: 2025-03-31"),
        ("Who are the guests of Falcon?", "guests:\n  - Dana\n  - Bo"),
    ],
)
def test_a_property_of_a_note_is_read_alone(question: str, expected: str) -> None:
    note = "guests:\n  - Dana\n  - Bo\nstatus: on hold\ndue date: 2025-03-31\n# Falcon\n\nFalcon moves the warehouse."
    assert answer(question, hit(note))[0] == expected


def test_properties_end_where_the_note_begins() -> None:
    properties, body = "sculptor: Auguste Rodin\nborn: 1840-11-12", "The thinker is bronze."
    record = f"---\n{properties}\n---\n\n{body}\n"
    body_at = record.index(body)
    parts = Hit(chunk(record, (4, 4 + len(properties)), (body_at, body_at + len(body))), 1.0, {})
    assert answer("Who is the sculptor of it?", parts)[0] == "sculptor: Auguste Rodin"
    assert answer("Who is the sculptor of it?", hit(f"{properties}\n{body}"))[0] != "sculptor: Auguste Rodin"


@pytest.mark.parametrize("best", [0, 1])
def test_a_field_and_the_sentence_below_it_stay_lines(best: int) -> None:
    properties, body = "born: 1979-08-23\nowner: Dana Smith", "Dana met her in Berlin."
    note = Hit(chunk(f"{properties}\n---\n{body}", (0, 34), (39, 62)), 1.0, {})
    subject = analyze_question("Who is Dana?", {})
    ranked = sorted(rank_passages(subject, [note]), key=lambda one: one.passage.start)[1:]
    assert [widen_passage(one.passage, asks_how=False).text for one in ranked] == ["owner: Dana Smith", body]
    [joined] = arrange_passages([ranked[best], ranked[1 - best]])
    [quote] = make_quotes([joined])
    assert (quote.text, quote.prose) == (f"owner: Dana Smith\n{body}", False)


@pytest.mark.parametrize(
    "lines",
    [
        ("due:: 2025-03-31", "owner:: Dana Smith"),
        (":BIRTHDAY: 1979-08-23", ":PHONE:    +49 30 1234567"),
        ("**Due date:** Monday", "Status: Open"),
    ],
)
def test_fields_of_notes_are_read_one_by_one(lines: tuple[str, ...]) -> None:
    text = "\n".join(lines) + "\n#+title: Marta"
    assert [text[start:end] for start, end in find_fields(text, 0, len(text))] == list(lines)


@pytest.mark.parametrize(
    "text",
    [
        "port: 80\n  host: a",
        "Note: restart it.",
        "Status: Open\nand no field here",
        "Q: May I order tools?\nA: Yes",
        "Pros:\n- fast\nCons:\n- large",
        "Status: Open\nguests:\nnone",
        "Status: Open\nguests:",
        "Frage: Darf ich das?\nAntwort: Ja. Bis 75 Euro.",
    ],
)
def test_other_lines_are_no_fields(text: str) -> None:
    assert find_fields(text, 0, len(text)) == []


def test_a_stop_behind_a_day_ends_no_field() -> None:
    text = "Name: Gerda Vogt\nGeburtstag: 12. Mai 1966"
    assert [text[slice(*field)] for field in find_fields(text, 0, len(text))] == text.split("\n")


def test_code_comes_along_after_a_colon() -> None:
    text = "Reload the server with this command:\n\n```sh\nkill -HUP 1\n```\n\nDone."
    assert "Reload the server with this command:\n\n```sh\nkill -HUP 1\n```" in answer(
        "How do I reload the server?", hit(text)
    )


def quotes(question: str, *hits: Hit) -> list[Quote]:
    subject = analyze_question(question, {})
    return make_quotes(arrange_passages(select_passages(subject, rank_passages(subject, hits))))


PAGE = """# Wait-Thing

Waits for things to be done.

## Options

You may set one of:

- `--hard`: waits without asking for anything
- `--zebra`: paints stripes on the okapi
- `--quiet`: says nothing at all
"""


def test_an_item_of_several_sentences_is_quoted_whole_from_each_of_them() -> None:
    items = (
        "- Error 809: the firewall of the hotel blocks it. Switch on port 443 under Settings.\n"
        "- Error 691: the password has expired. Set a new one at the office.\n"
    )
    [whole] = answer("What does error 809 mean?", hit(f"It fails.\n\n{items}"))
    assert whole.strip() == items.splitlines()[0]
    assert answer("Where is port 443 switched on?", hit(items)) == [whole]
    [long] = answer(
        "What does error 809 mean?", hit("- Error 809: a firewall blocks it. " + "It has many rules. " * 20)
    )
    assert long.strip() == "- Error 809: a firewall blocks it."


OUTAGE = """# Checkout outage

## Summary

The checkout had an outage of 47 minutes. About 3,100 orders failed.

## Root cause

A migration locked a table of the checkout. The service ran out of connections.

## How to restart the checkout

1. Stop the pods. Wait a minute.
2. Start the pods.
3. Restart the queue of the checkout.

## Restart by hand

1. Call Oskar.
2. Restart the machine.
"""


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What caused the checkout outage?", "A migration locked a table of the checkout."),
        ("What was the outage?", "The checkout had an outage of 47 minutes."),
        (
            "How do I restart the checkout?",
            "1. Stop the pods. Wait a minute.\n2. Start the pods.\n3. Restart the queue of the checkout.",
        ),
        ("How do I restart the machine?", "2. Restart the machine."),  # the heading does not say it
    ],
)
def test_a_heading_tells_a_reason_and_whose_steps_they_are(question: str, expected: str) -> None:
    assert answer(question, hit(OUTAGE, headings=["Checkout outage"]))[0] == expected


def test_where_a_reason_is_asked_for_the_sentences_behind_one_that_gives_none_come_along() -> None:
    beeps = "The sensor beeps once a minute. The battery is almost flat. Three beeps mean that it lost the radio link."
    text = f"{beeps}\n\nThe sensor is made in Kiel."
    assert answer("Why does my sensor beep every minute?", hit(text)) == [beeps]
    assert answer("Does the sensor beep once a minute?", hit(text)) == [beeps.partition(" The")[0]]
    given = "The sensor beeps every minute because its battery is flat. Change it soon."
    assert answer("Why does my sensor beep every minute?", hit(given)) == [given.partition(" Change")[0]]


def test_an_item_comes_with_what_introduces_its_list() -> None:
    [quote] = quotes("Which option paints the okapi?", hit(PAGE))
    assert quote.text == "You may set one of:\n- `--zebra`: paints stripes on the okapi"
    assert [PAGE[span.char_start : span.char_end] for span in quote.spans] == quote.text.split("\n")
    assert quote.lines_above == (1,)
    first = quotes("Which option waits without asking, and which says nothing at all?", hit(PAGE))
    assert sum("You may set one of:" in one.text for one in first) == 1
    other = hit(PAGE.replace("You may set one of:", "There are some of them. They are old."))
    assert [one.text for one in quotes("Which option paints the okapi?", other)] == [
        "- `--zebra`: paints stripes on the okapi"
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Old.\n\nReload the server by a signal.\n\n```sh\nkill -HUP 1\n```\n\nDone.", 1),
        ("Old.\n\n```sh\nkill -HUP 1\n```\n\nThis command reloads the server by a signal.\n\nDone.", 0),
    ],
)
def test_a_line_comes_with_the_command_that_it_is_about(text: str, expected: int) -> None:
    parts = ["```sh\nkill -HUP 1\n```"]
    parts.insert(1 - expected, text.split("\n\n")[1 + (1 - expected)])
    assert "\n\n".join(parts) in answer("How do I reload the server by a signal?", hit(text))
    assert all("kill" not in one for one in answer("Who may reload the server?", hit(text)))


def test_data_beside_a_line_stays_out_of_an_answer() -> None:
    text = "Old.\n\nName the port to change where the server listens.\n\n```yaml\nserver:\n  port: 80\n```\n\nDone."
    assert answer("How do I change where the server listens?", hit(text)) == [
        "Name the port to change where the server listens."
    ]


def test_a_pronoun_brings_the_sentence_before() -> None:
    text = "Rollo was a Viking leader. He swore fealty to King Charles in 911."
    assert answer("When was fealty sworn to King Charles?", hit(text)) == [text]


def test_equal_sentences_are_quoted_once() -> None:
    twice = hit(NORMANS, path="b.md", score=0.9)
    found = answer("When did Rollo swear fealty to King Charles?", hit(NORMANS), twice)
    assert found.count("Rollo swore fealty to King Charles in 911.") == 1


def test_similarity_can_decide() -> None:
    hits = [hit("The engine is loud. The motor starts quickly.")]
    subject = analyze_question("What about the engine motor?", {})
    best = apply_similarity(rank_passages(subject, hits), {(0, 1): 0.9, (0, 0): 0.1})[0]
    assert best.passage.text == "The motor starts quickly."
    assert best.similar == 0.9


def test_a_passage_without_any_word_of_the_question_needs_a_known_similarity() -> None:
    hits = [hit("Records live for fifteen days. Colours are pretty.")]
    subject = analyze_question("How long is my data retained?", {})
    assert select_passages(subject, rank_passages(subject, hits)) == []
    [one] = select_passages(subject, apply_similarity(rank_passages(subject, hits), {(0, 0): 0.6}))
    assert one.passage.text == "Records live for fifteen days."


def test_a_loose_further_sentence_is_left_out() -> None:
    text = "A counter is a number that only goes up. Colours differ. You may reset the counter with care, or scrape it."
    assert answer("What is a counter?", hit(text)) == ["A counter is a number that only goes up."]


def test_a_further_sentence_that_adds_what_is_missing_comes_along() -> None:
    text = "Rollo was born in Norway. Nothing else is known of those years. The treaty with Charles ended the raids."
    found = answer("Where was Rollo born, and what did the treaty with Charles end?", hit(text))
    assert found == ["The treaty with Charles ended the raids.", "Rollo was born in Norway."], "the best comes first"


def test_a_further_sentence_from_elsewhere_that_says_no_more_of_the_question_is_left_out() -> None:
    question = "How many days of leave do clerks in Borlund get?"
    first, second = hit("Clerks have a claim to 28 days of paid rest."), hit("Bring the form two days before the trip.")
    near = {(0, 0): 0.5, (1, 0): 0.5}
    subject = analyze_question(question, {})
    found = select_passages(subject, apply_similarity(rank_passages(subject, (first, second)), near))
    assert [one.passage.text for one in found] == [first.chunk.text]


ACTORS = "| Name | Work | Age |\n|---|---|---|\n" + "\n".join(
    f"| {name} | {work} | {age} |"
    for name, work, age in [("Ada Ray", "musician", 69), ("Bo Finch", "actor", 60), ("Cy Lund", "actor", 90)]
)


@pytest.mark.parametrize(
    ("question", "names"),
    [("How old was Ada Ray when she died?", ["Ada"]), ("How old is each actor in this old list?", ["Bo", "Cy"])],
)
def test_a_row_beside_the_best_one_comes_along_if_it_says_as_much(question: str, names: list[str]) -> None:
    subject = analyze_question(question, {})
    scored = rank_passages(subject, [hit(ACTORS)])
    ranked = apply_similarity(scored, {(0, one.passage.index): 0.4 for one in scored})
    found = [one.passage.text for one in select_passages(subject, ranked)]
    assert [name for name in ("Ada", "Bo", "Cy") if any(name in row for row in found)] == names


def test_no_hits_give_no_answer() -> None:
    assert answer("Who?") == []


WORDS = st.sampled_from(
    ["Rollo", "swore", "911", "\n\n", "## Head", "- item", "| a | b |", "```", "x:", ".", "It", " ", "[a]: b", "\n"]
)


@given(st.lists(st.lists(WORDS, max_size=30).map(" ".join), max_size=4))
@settings(max_examples=100, deadline=None)
def test_every_quote_is_a_slice_of_its_chunk_and_record_and_none_overlap(texts: list[str]) -> None:
    hits = [hit(text, path=f"{i}.md") for i, text in enumerate(texts)]
    subject = analyze_question("When was it that Rollo swore?", {})
    chosen = select_passages(subject, rank_passages(subject, hits))
    assert len(chosen) <= 3
    for one, quote in zip(chosen, make_quotes(chosen), strict=True):
        record = texts[one.passage.hit]
        assert quote.text.strip()
        assert join_slices(record, quote.spans) == quote.text
        own = record[one.passage.start : one.passage.end]
        assert quote.text == own or (one.passage.lead and quote.text.endswith(f"\n{own}"))
        assert all(
            other is one
            or other.passage.hit != one.passage.hit
            or other.passage.end <= one.passage.start
            or one.passage.end <= other.passage.start
            for other in chosen
        )


def test_the_rank_of_a_hit_counts_whole_for_the_first_and_half_for_the_second() -> None:
    subject, how = analyze_question("How long are samples kept?", {}), SelectionOptions()
    hits = [hit("Samples are kept for 15 days.", path=path) for path in ("a.md", "b.md")]
    first, second = rank_passages(subject, hits, how=how)
    assert (first.passage.hit, second.passage.hit) == (0, 1)
    assert round(first.score - second.score, 6) == how.rank / 2


def test_the_passage_of_the_closest_chunk_leads_until_passages_are_compared() -> None:
    """A chunk that means the same beats one that repeats a common word; its own cosine then decides."""
    far, near = hit("The machine has a last word.", cosine=0.2), hit("Uptime counts from the boot.", cosine=0.6)
    subject = analyze_question("How long since the machine was last started?", {})
    ranked = rank_passages(subject, [far, near])
    assert [one.passage.hit for one in ranked] == [1, 0]
    assert [one.passage.hit for one in apply_similarity(ranked, {(0, 0): 0.6, (1, 0): 0.1})] == [0, 1]


def test_where_few_passages_were_compared_the_others_come_last() -> None:
    hits = [hit("Alpha is loud.", cosine=0.9), hit("Beta is quiet.", cosine=0.1)]
    ranked = rank_passages(analyze_question("How is gamma?", {}), hits)
    assert [one.passage.hit for one in apply_similarity(ranked, {(1, 0): 0.2})] == [1, 0]


def test_a_passage_that_says_little_of_the_question_is_read_with_its_neighbours() -> None:
    text = "Backups run at night. The copies go to tape. Each tape is kept for a year. Lunch is at noon."
    subject = analyze_question("When do backups of the customer database start?", {})
    near = {(0, 0): 0.6, (0, 1): 0.4, (0, 2): 0.4, (0, 3): 0.1}
    chosen = select_passages(subject, apply_similarity(rank_passages(subject, [hit(text)]), near))
    assert [one.passage.text for one in arrange_passages(chosen)] == [
        "Backups run at night. The copies go to tape. Each tape is kept for a year."
    ]


def test_a_passage_that_says_the_question_stands_alone() -> None:
    text = "The scrape timeout is ten seconds. It can be changed. Lunch is at noon."
    assert answer("What is the scrape timeout?", hit(text)) == ["The scrape timeout is ten seconds."]


@pytest.mark.parametrize(
    ("question", "text", "quoted"),
    [
        (
            "The ring of my lamp stays white, what can I do?",
            "**The ring stays white.** The lamp gets no address. Restart the router.\n\nThe ring is red.",
            "**The ring stays white.** The lamp gets no address. Restart the router.",
        ),
        (
            "Why are the pages black?",
            "**Problem:** Pages are black.\n\n**Solution:** Order a lamp.\n\n**Problem:** It hums.",
            "**Problem:** Pages are black.\n\n**Solution:** Order a lamp.",
        ),
        (
            "I lost my card, what should I do?",
            "Q: I lost my card. What now?\nA: Come to the desk.\n\nQ: Who may borrow?\nA: All.",
            "Q: I lost my card. What now?\nA: Come to the desk.",
        ),
    ],
)
def test_what_says_nothing_but_the_question_is_quoted_with_what_stands_behind_it(
    question: str, text: str, quoted: str
) -> None:
    subject = analyze_question(question, {})
    [chosen] = select_passages(subject, rank_passages(subject, [hit(text)]))
    assert chosen.passage.text == quoted
