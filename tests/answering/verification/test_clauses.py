"""Each figure, name, denial, condition and bound is held against its own clause of the record."""

import pytest

from ragstone.answering.verification.clauses import pair_contrasts, split_clauses
from ragstone.answering.verification.support import check_sentence
from ragstone.core.comparable_words import parse_words
from ragstone.core.types import Chunk, Document, Span

FEES = "Tickets cost 12 euros for adults and 7 euros for children."
OFFICES = "Alice Kern leads the Berlin office and Bruno Vidal leads the Lisbon office."
DELETING = "Administrators may delete projects; users may only read them."
ALONE = "Only administrators may delete a project."
PATCH = "The service restarts automatically unless the patch is hot."
NODE = "Do not restart the node unless replication has finished."
LENGTH = "A password needs at least 12 characters."
SUPPORT = "The basic plan includes e-mail support but not phone support."
SYSTEMS = "Windows is supported, macOS is not."
ROUTE = "The route is 42 kilometres long and takes 3 hours."
REFUND = "The fee is not refundable after departure, but it is refundable before departure."
STOCK = "Entry costs 12 euros for residents of the town and 7 for students; lockers are free."
KILN = "Close the valve before you open the kiln, then light the burner."
LEASE = "The lender may sell the loan only with the consent of the borrower."
MAPS = "Maps may be studied only in the hall."
DOSE = "Do not take more than four tablets a day."
SEAL = "Do not start the mixer until the lid is locked."
PARK = "The park covers 61 square kilometres and has no lights."


def check(record: str, sentence: str) -> str:
    """`verified`, or the reason why not."""
    chunk = Chunk("c", Document("d", "s", "a.md", 1, "", ""), 0, record, (Span(0, len(record), 1, 1),))
    found = check_sentence(sentence, [chunk], [])
    return found.why if found.status == "unverified" else found.status


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        (FEES, "Tickets cost 7 euros for children."),
        (FEES, "For adults, tickets cost 12 euros."),
        (FEES, "Tickets are 12 euros for adults and 7 for children."),
        (OFFICES, "The Berlin office is led by Alice Kern."),
        (DELETING, "Users may only read projects."),
        (ALONE, "Administrators may delete a project."),
        (PATCH, "Unless the patch is hot, the service restarts automatically."),
        (NODE, "Restart the node only if replication has finished."),
        (LENGTH, "A password must have 12 or more characters."),
        (SUPPORT, "The basic plan does not include phone support."),
        (SYSTEMS, "macOS is not supported."),
        (ROUTE, "The route takes 3 hours."),
        (REFUND, "The fee is refundable before departure."),
        (STOCK, "Students pay 7 euros for entry."),
        (KILN, "You open the kiln after you close the valve."),
        (KILN, "Before you open the kiln, close the valve."),
        (LEASE, "Only with the consent of the borrower may the lender sell the loan."),
        (MAPS, "Maps may only be studied in the hall."),
        (DOSE, "No more than four tablets may be taken a day."),
        (SEAL, "Until the lid is locked, do not start the mixer."),
        (PARK, "The park covers 61 square kilometers."),
    ],
)
def test_a_clause_is_verified_by_itself(record: str, sentence: str) -> None:
    assert check(record, sentence) == "verified"


@pytest.mark.parametrize(
    ("record", "sentence", "why"),
    [
        (FEES, "Tickets cost 12 euros for children.", "swapped"),
        (FEES, "Tickets are 7 euros for adults and 12 for children.", "swapped"),
        (OFFICES, "Alice Kern leads the Lisbon office.", "swapped"),
        (DELETING, "Users may delete projects.", "swapped"),
        (DELETING, "Administrators and users may delete projects.", "swapped"),
        (ALONE, "Administrators and users may delete a project.", "only"),
        (PATCH, "The service restarts automatically even when the patch is hot.", "condition"),
        (PATCH, "The service restarts automatically if the patch is hot.", "condition"),
        (NODE, "Do not restart the node if replication has finished.", "condition"),
        (LENGTH, "A password may have up to 12 characters.", "bound"),
        (SUPPORT, "The basic plan includes phone support.", "negation"),
        (SYSTEMS, "macOS is supported.", "negation"),
        (ROUTE, "The route takes 42 hours.", "unit"),
        (REFUND, "The fee is not refundable before departure.", "negation"),
        (STOCK, "Students pay 12 euros for entry.", "swapped"),
        (KILN, "Open the kiln before you close the valve.", "order"),
        (KILN, "Light the burner, then open the kiln.", "order"),
        (LEASE, "The borrower may sell the loan only with the consent of the lender.", "swapped"),
        (MAPS, "Only maps may be studied in the hall.", "only"),
        (DOSE, "Take no fewer than four tablets a day.", "opposite"),
        (SEAL, "Do not start the mixer once the lid is locked.", "condition"),
        (PARK, "The park covers 61 hectares.", "unit"),
    ],
)
def test_a_mix_of_two_clauses_is_not_verified(record: str, sentence: str, why: str) -> None:
    assert check(record, sentence) == why


def test_a_figure_that_stands_with_both_may_be_said_of_both() -> None:
    assert check("Adults and children pay 12 euros.", "Children pay 12 euros.") == "verified"


@pytest.mark.parametrize(
    "text",
    [
        "The tool supports Linux and macOS.",
        "The bank was founded in 1920 and in the following years it opened branches in most large towns of the north.",
    ],
)
def test_clauses_that_say_different_things_are_not_parallel(text: str) -> None:
    one, other = split_clauses(parse_words(text))[:2]
    assert len(pair_contrasts(one, other)) < 2
