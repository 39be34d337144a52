"""Where sentences begin and end."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.core.sentences import split_sentences
from tests.speed import within


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("See Fig. 2, e.g. the left one. Done.", ["See Fig. 2, e.g. the left one.", "Done."]),
        ("Version 1.2.3 is out. Use it.", ["Version 1.2.3 is out.", "Use it."]),
        ("J. R. Smith wrote it. He won.", ["J. R. Smith wrote it.", "He won."]),
        ('He said "Stop." Then he left.', ['He said "Stop."', "Then he left."]),
        ("Really?! Yes... No.", ["Really?!", "Yes...", "No."]),
        ("1. first\n2. second", ["1. first", "2. second"]),
        ("A line\nwraps here. Next", ["A line\nwraps here.", "Next"]),
        ("One\n\nTwo", ["One", "Two"]),
        ("天気がいい。行こう！", ["天気がいい。", "行こう！"]),
        ("| a |\n| b |", ["| a |", "| b |"]),
        ("  \n ", []),
        ("# Tax\nThe rate is 9.", ["# Tax", "The rate is 9."]),
        ("It ends.\n## Tax ##\nThe rate\nis 9.", ["It ends.", "## Tax ##", "The rate\nis 9."]),
        ("> # Tax\n> The rate is 9.", ["> # Tax", "> The rate is 9."]),
        ("- # Tax\n  The rate is 9.", ["- # Tax", "The rate is 9."]),
        ("### 3. Using it on a server\nIt runs.", ["### 3. Using it on a server", "It runs."]),
        ("## Is it? Yes. It is\nIt runs.", ["## Is it? Yes. It is", "It runs."]),
        ("**2.1. Using it**\nIt runs.", ["**2.1. Using it**", "It runs."]),
        ("3. Scope. It\n============\nIt runs.", ["3. Scope. It\n============", "It runs."]),
        ("2.1. Using it\n\nIt runs.", ["2.1. Using it", "It runs."]),
        ("Figure 17.3. Using it\n\nIt runs.", ["Figure 17.3. Using it", "It runs."]),
        ("It has version 2.1. Use it. Chapter 3. Go.", ["It has version 2.1.", "Use it.", "Chapter 3.", "Go."]),
        ("Area 30.\nPopulation 12000.\nIt is flat.", ["Area 30.", "Population 12000.", "It is flat."]),
        ("Area 30. \r\nDepth 2.5.\r\nFlat.", ["Area 30.", "Depth 2.5.", "Flat."]),
        ("Read 10.0.0.1.\n10.0.0.2.\n10.0.0.3.", ["Read 10.0.0.1.", "10.0.0.2.", "10.0.0.3."]),
        ("It is 5 MB. More fails.\n-----------------------", ["It is 5 MB.", "More fails.", "-----------------------"]),
        ("It is not in\nPowerShell 6. The cmdlet uses it.", ["It is not in\nPowerShell 6.", "The cmdlet uses it."]),
        ("Tax\n===\nThe rate is 9.", ["Tax\n===", "The rate is 9."]),
        ("No stop\nTax\n---\nThe rate is 9.", ["No stop", "Tax\n---", "The rate is 9."]),
        ("The rate\nis 9 in a hundred\n---\nNext", ["The rate\nis 9 in a hundred\n---", "Next"]),
        ("====\nTax\n====\nThe rate is 9.", ["====", "Tax\n====", "The rate is 9."]),
        ("Tax\n~~~~\nThe rate is 9.", ["Tax\n~~~~", "The rate is 9."]),
        ("* * *\nThe rate is 9.", ["* * *", "The rate is 9."]),
        ("== Tax\nThe rate is 9.", ["== Tax", "The rate is 9."]),
        ("== Tax ==\nThe rate is 9.", ["== Tax ==", "The rate is 9."]),
        ("**Tax**\nThe rate is 9.", ["**Tax**", "The rate is 9."]),
        ("__Tax__:\nThe rate is 9.", ["__Tax__:", "The rate is 9."]),
        ("Press the\n**Save all**\nbutton.", ["Press the\n**Save all**\nbutton."]),
        ("Press\n**Save all**\nNow.", ["Press\n**Save all**\nNow."]),
        ("#1 is the\nfirst.", ["#1 is the\nfirst."]),
        ("The sum\n= 12 euros.", ["The sum\n= 12 euros."]),
        ("# Tax\r\nThe rate is\r\n\r\nNext\rline", ["# Tax", "The rate is", "Next\rline"]),
        ("• one\n• two", ["• one", "• two"]),
        *(
            (f"{one} {other}", [one, other])
            for one, other in (
                ("Resturlaub verfällt am 31. März, z. B. bei Dr. Lang.", "Der Antrag (Nr. 5) reicht."),
                ("Die Halle in der Hauptstr. 5 ist ab dem 1. Januar, d. h. bald, leer.", "Sie ist groß."),
                ("Er gilt bis zum 15. des Folgemonats bzw. am 31.12. für alle.", "In der 2. Klasse fahren."),
                ("Mötet börjar kl. 9, t.ex. den 3. maj i salen.", "Alla kommer."),
                ("Tarjous on voimassa 3. maaliskuuta asti.", "Soita."),
                ("La Sra. Olmedo, ext. 214, vive en la avda. Sol.", "El Sr. Ruiz no."),
                ("Chiamare il sig. Moretti e l'ing. Galli.", "La dott.ssa Conti no."),
                ("O responsável é o Eng. Rocha da Av. Central.", "A Dra. Matos não."),
                ("Bel dhr. Visser, mevr. De Boer of bijv. Sanne.", "Zie art. 5 en blz. 3."),
                ("Odpowiada inż. Wrona, ul. Długa 5, do godz. 9.", "Koniec."),
            )
        ),
        (
            "He lives in CA. It makes 5 MW. All art. I am 31. My",
            ["He lives in CA.", "It makes 5 MW.", "All art.", "I am 31.", "My"],
        ),
        ("It takes a str. if not, it fails.", ["It takes a str.", "if not, it fails."]),
        ("Zob. str. 5 i Lange Str. 7 am Ort.", ["Zob. str. 5 i Lange Str. 7 am Ort."]),
        ("It runs on version 5.1.\nms.date: today", ["It runs on version 5.1.", "ms.date: today"]),
        ("Of | Is\n-- | :-:\na | 1\nb | 2\nEnd", ["Of | Is", "-- | :-:", "a | 1", "b | 2", "End"]),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


@settings(max_examples=100, deadline=None)
@given(st.text("aB1 .!?\n-|#=*>'\")。e", max_size=200))
def test_they_are_trimmed_in_order_and_leave_only_white_space_out(text: str) -> None:
    found = split_sentences(text)
    assert all(text[a:b] == text[a:b].strip() != "" for a, b in found)
    assert all(left[1] <= right[0] for left, right in pairwise(found))
    assert "".join(cut(text)).replace(" ", "").replace("\n", "") == text.replace(" ", "").replace("\n", "")


@pytest.mark.parametrize(
    "text",
    [
        "." * 200_000 + "x",
        ".'" * 100_000,
        "\n" + " " * 200_000 + "x",
        "| " * 100_000,
        "-\n" * 100_000,
        "x\n--\n" * 50_000,
        "**x**\n" * 50_000,
        "- " * 100_000 + "x",
        "-|" * 100_000 + "\nx",
        "# " * 100_000,
    ],
)
def test_hostile_runs_take_time_in_step_with_their_length(text: str) -> None:
    within(5, lambda: split_sentences(text))


@pytest.mark.parametrize("heading", ["3 Rent", "3. Rent and deposit", "3.2.1 Rent", "§ 3 Miete", "Article 3 Rent"])
def test_a_numbered_line_above_a_paragraph_is_a_heading(heading: str) -> None:
    for end in ("\n", "\r\n"):
        for first in ("The rent is 41,500 euros.", "3.1 The rent is 41,500 euros."):
            text = f"LEASE\n\n{heading}\n{first}".replace("\n", end)
            assert [text[a:b] for a, b in split_sentences(text)] == ["LEASE", heading, first]


@pytest.mark.parametrize(
    "line", ["3 boats of the fleet", "3 Boats sank in 1912, when", "12 Miles from the coast", "3 Cups of flour"]
)
def test_a_numbered_line_that_goes_on_is_none(line: str) -> None:
    text = f"Note\n\n{line}\nand more of it."
    assert [text[a:b] for a, b in split_sentences(text)] == ["Note", f"{line}\nand more of it."]
