"""A misspelt word of a question is searched for as the passages spell it, and nothing else is changed."""

from collections.abc import Callable
from pathlib import Path

import pytest

import ragstone
from ragstone.core.answers import Answer, Found, Note
from ragstone.core.filters import Where
from ragstone.core.ports import Message
from ragstone.retrieval.explain import Explanation
from ragstone.retrieval.spelling import describe_correction, list_slips, replace_words, respell_question
from tests.scripted import Scripted

Open = Callable[..., ragstone.Knowledge]
TEXTS = {
    "leave.md": "# Leave\n\nWhoever needs reimbursement of travel sends the receipts to Mrs Kowalski.",
    "lease.md": "# Lease\n\nThe lessee pays for ampere meters. Error ERR_1043 means that the sublet failed.",
    "urlaub.md": "# Urlaub\n\nDie Kündigung und der Anspruch auf Erholungsurlaub stehen im Vertrag mit der Firma.",
    "договор.md": "# Договор\n\nАренда помещения оплачивается каждый месяц, и залог возвращается в конце.",
    "time.md": "# Time\n\nHand in your time sheet on Friday. Send e-mail to the office.",
    "word.md": "# Words\n\nThe guests have postgres://bob:hunterwolf@example.org/x and no other.",
    "board.md": "---\nconfidentiality: restricted\n---\n# Board\n\nThe severance of Brzenkowski is secret.",
}


@pytest.fixture
def firm(tmp_path: Path, opened: Open) -> ragstone.Knowledge:
    for path, text in TEXTS.items():
        (tmp_path / "firm").mkdir(exist_ok=True)
        (tmp_path / "firm" / path).write_text(text, encoding="utf-8")
    kb = opened()
    kb.ingest(tmp_path / "firm")
    return kb


def said(found: Found | Answer | Explanation) -> list[str]:
    return [note.message for note in found.notes if note.code == "spelling"]


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("Who gets a reimbursemnt?", "reimbursement"),
        ("waht is a reimbursement", "what"),
        ("what is teh reimbursement", "the"),
        ("REIMBRUSEMENT", "reimbursement"),
        ("Who is Mrs Kowlaski?", "kowalski"),
        ("Was steht zum Anspruhc auf Erholungsurlaub?", "anspruch"),
        ("аернда помещения", "аренда"),
        ("where is the timesheet", "time sheet"),
        ("who is snding the receipts", "sending"),  # which passages have in another form
        ("how to recieve a reimbursement", "receive"),  # in no passage, and a common word
    ],
)
def test_a_misspelt_word_is_searched_for_as_it_is_spelt(firm: ragstone.Knowledge, question: str, right: str) -> None:
    [note] = said(found := firm.search(question))
    assert note.startswith(f'searched for "{right}": no passage has "')
    wrong = note.split('"')[3]
    spelt = firm.search(question.replace(wrong, right.upper() if wrong.isupper() else right))
    assert [(hit.chunk.id, hit.score) for hit in found] == [(hit.chunk.id, hit.score) for hit in spelt]
    assert not said(spelt)


@pytest.mark.parametrize(
    "question",
    [
        "Who gets a reimbursement?",
        'Who gets a "reimbursment"?',
        "Who gets a `reimbursment`?",
        "What does ERR_1042 mean?",
        "What does reimbursment.md say?",
        "Who is the lessor?",  # not who leases
        "What is AMPRE?",  # an abbreviation
        "Is there parking?",
        "Is there a sluice?",  # no slice
        "Is there a swimming pool for kombucha?",
        "What do the guests of hunterwolv have?",  # no note spells a secret
        "What of Brzenkowsky?",  # who may not see a passage does not hear of its words
    ],
)
def test_right_words_codes_and_quoted_words_stay(firm: ragstone.Knowledge, question: str) -> None:
    assert not said(firm.search(question))


def test_only_what_passes_the_filter_is_searched_for(firm: ragstone.Knowledge) -> None:
    assert said(firm.search("Who is Mrs Kowlaski?", where=Where(paths=("leave.md",))))
    assert not said(firm.search("Who is Mrs Kowlaski?", where=Where(paths=("lease.md",))))


def test_answers_are_those_of_the_question_spelt_right(kb: ragstone.Knowledge) -> None:
    wrong, right = (kb.ask(f"Who is the {word} manager?") for word in ("realease", "release"))
    assert "Dana" in right.text
    assert (wrong.text, wrong.citations) == (right.text, right.citations)
    assert said(wrong) == ['searched for "release": no passage has "realease"']
    assert kb.ask("Who is the realease manager?", correct_spelling=False).text != right.text


def test_a_question_that_goes_on_from_another_is_corrected_too(kb: ragstone.Knowledge) -> None:
    history = [Message("user", "Who is the release manager?"), Message("assistant", "Dana. [1]")]
    wrong, right = (kb.ask(f"And when are the {word}?", history=history) for word in ("meetigns", "meetings"))
    assert wrong.text == right.text
    assert said(wrong)


def test_an_explanation_tells_of_the_search_that_was_made(kb: ragstone.Knowledge) -> None:
    wrong, right = (kb.explain(f"{word} manager", path="notes.txt") for word in ("realease", "release"))
    assert said(wrong)
    assert (wrong.stage, wrong.ranks, wrong.signals) == (right.stage, right.ranks, right.signals)


def test_a_cached_search_still_says_what_was_searched_for(kb: ragstone.Knowledge) -> None:
    first, again = (kb.search("realease manager", cache=True) for _ in range(2))
    assert said(first) == said(again)
    assert any(note.code == "cache" for note in again.notes)


def test_a_model_that_reads_the_question_first_is_asked_once(docs: Path, opened: Open) -> None:
    model = Scripted(lambda _: "The release manager is Dana.")
    kb = opened(completion=model)
    kb.ingest(docs)
    assert not said(kb.search("realease manager", hyde="standard"))
    assert len(model.prompts) == 1


def test_the_json_store_corrects_too(docs: Path, opened: Open, tmp_path: Path) -> None:
    kb = ragstone.open(f"json:{tmp_path / 'store.json'}")
    kb.ingest(docs)
    assert said(kb.search("realease manager")) == ['searched for "release": no passage has "realease"']
    kb.close()


DATED = {
    "minutes-2026-03-12.md": "# Minutes 2026-03-12\n\nThe board approved the warehouse in Leipzig.",
    "minutes-2026-04-09.md": "# Minutes 2026-04-09\n\nThe board postponed the hiring of drivers.",
    "log.md": "# Log\n\n- 3 February 2026: the lift was repaired.\n- 17 February 2026: the roof leaked.",
    "deliveries.csv": "date,supplier,pallets,amount\n12.01.2026,Nordwind,14,1250.00\n13.01.2026,Halder,9,12500.00\n",
    "prices.md": "# Prices\n\n| Plan | Seats |\n|---|---|\n| Basic | 1,000 |\n| Plus | 10,000 |\n",
}


@pytest.mark.parametrize(
    ("question", "written"),
    [
        ("What did the board do on March 12?", "2026-03-12"),
        ("What did the board do on the 12th of March 2026?", "2026-03-12"),
        ("Was machte der Vorstand am 12. März?", "2026-03-12"),
        ("What happened in the April meeting?", "2026-04-09"),
        ("What happened on 2026-02-17?", "17 February 2026"),
        ("What happened on 02/17/2026?", "17 February 2026"),
        ("What did we get on January 13, 2026?", "13.01.2026"),
        ("Which plan has 10000 seats?", "10,000"),
        ("Which delivery cost 12,500?", "12500.00"),
        ("What happened on 17 February 2026?", None),
        ("What happened in February?", None),  # on two days
        ("What happened on 5 March?", None),
        ("What happened in 2026?", None),
        ("May the board march in?", None),
        ("Which plan has 10 seats?", None),
        ("Which constant is 10.000?", None),  # ten, perhaps
    ],
)
def test_dates_and_numbers_are_searched_for_as_passages_write_them(
    tmp_path: Path, opened: Open, question: str, written: str | None
) -> None:
    (tmp_path / "dated").mkdir()
    for path, text in DATED.items():
        (tmp_path / "dated" / path).write_text(text, encoding="utf-8")
    kb = opened()
    kb.ingest(tmp_path / "dated")
    notes = said(found := kb.search(question))
    assert [note.split('"')[1] for note in notes] == [written] * bool(written)
    if written is not None:
        assert written in f"{found[0].chunk.text} {found[0].chunk.document.path}"
        assert written in respell_question(question, found.notes)


def test_a_question_is_shown_as_it_was_searched_for() -> None:
    notes = [Note("spelling", describe_correction("Metrcis", "metrics")), Note("standalone", "searched for: x")]
    assert respell_question("Metrcis, metrcis and mertics?", notes) == "Metrics, metrics and mertics?"


def test_dates_and_numbers_are_put_where_they_stand_alone() -> None:
    written = {"May": "2026-05-12", "12,500": "12500.00", "2500": "2,500"}
    assert replace_words("may I ask of May, 12,500 or 2500", written) == "may I ask of 2026-05-12, 12500.00 or 2,500"


def test_slips_of_a_long_word_are_few() -> None:
    assert len(list_slips("incomprehensibilities")) < 40 * len("incomprehensibilities")
