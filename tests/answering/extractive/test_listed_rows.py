"""All rows of a kind, their number and the sum of their figures."""

from pathlib import Path

import pytest

import ragstone
from ragstone.answering.extractive.listed_rows import choose_listed_rows
from ragstone.answering.extractive.question_analysis import analyze_question
from ragstone.answering.extractive.whole_tables import gather_tables
from tests.answering.made import hit

SITES = """# Sites

| Site | City | Country | Kind | Employees | Opened | Closes |
|---|---|---|---|---|---|---|
| KS1 | Kassel | Germany | hub | 214 | 2009-05-04 | 2030-01-31 |
| LE1 | Leipzig | Germany | depot | 61 | 2014-09-01 | 2029-05-31 |
| LNZ | Linz | Austria | depot | 37 | 2014-06-03 | 2031-06-30 |
| UTR | Utrecht | Netherlands | hub | 120 | 2016-05-21 | 2033-05-31 |
| ZWO | Zwolle | Netherlands, Germany | tent | 29 | 2021-02-08 | 2028-12-31 |
"""
BILLS = """# Bills

| Bill | Customer | Date | Due | Amount | Status |
|---|---|---|---|---|---|
| B-1 | Orbit | 2026-04-09 | 2026-05-09 | 1,240.00 | paid |
| B-2 | Talvi | 2026-05-05 | 2026-06-05 | 402.25 | open |
| B-3 | Orbit | 2026-05-12 | 2026-06-12 | 790.50 | open |
| Total | | | | 2,432.75 | |
"""


@pytest.mark.parametrize(
    ("question", "labels", "said"),
    [
        ("How many sites are in the Netherlands?", ["UTR", "ZWO"], "2 rows of a.md say so"),
        ("How many sites are depots?", ["LE1", "LNZ"], "2 rows of a.md say so"),
        ("Which sites are hubs?", ["KS1", "UTR"], ""),
        ("How many sites are in Austria?", ["LNZ"], "one row of a.md says so"),
        ("How many employees do the hubs have?", ["KS1", "UTR"], '"Employees" of these 2 rows of a.md adds up to 334'),
        (
            "What is the total of the open bills?",
            ["B-2", "B-3"],
            '"Amount" of these 2 rows of b.md adds up to 1,192.75',
        ),
        (
            "How much has Orbit been billed in total?",
            ["B-1", "B-3"],
            '"Amount" of these 2 rows of b.md adds up to 2,030.50',
        ),
        ("List the bills with status open", ["B-2", "B-3"], ""),
        ("total of the bills of April 2026", ["B-1"], ""),
        ("total of the bills of May 2026", [], ""),  # by which of two dates?
        ("Which bills are due in April?", [], ""),  # another date is of April
        ("How many sites are in germany?", [], ""),  # ZWO may be, in a cell with another country
        ("How many sites opened after 2014?", [], ""),
        ("How many sites are not in Austria?", [], ""),
        ("How many sites are in France?", [], ""),
        ("How many sites are there?", [], ""),
        ("How many vans are in Austria?", [], ""),
        ("What is the average total of the open bills?", [], ""),
        ("Where are the sites in Austria?", [], ""),
        ("How many A hub sites are there?", [], ""),  # "a" is no term, "US" shapes a question
        ("How many IT hub sites are there?", [], ""),
        ("How many US hub sites are there?", [], ""),
    ],
)
def test_rows_of_a_kind_are_listed_counted_and_added_up(question: str, labels: list[str], said: str) -> None:
    tables = [*gather_tables([hit(SITES).chunk], 0), *gather_tables([hit(BILLS, path="b.md").chunk], 1)]
    found = choose_listed_rows(analyze_question(question, {}), tables)
    assert ([row.row.cells[0] for row in found.rows if row.row], found.said) == (labels, said)


@pytest.mark.parametrize(
    ("question", "number", "said"),
    [
        ("How many staff are in Germany?", 2, ""),
        ("How many offices were in Germany in 2025?", 1, "one row of a.md says so"),
        ("How many offices are in France?", 2, "2 rows of a.md say so"),
    ],
)
def test_a_thing_in_the_tables_of_two_years_is_not_counted_twice(question: str, number: int, said: str) -> None:
    head = "| Office | Country | Staff |\n|---|---|---|\n"
    years = (
        f"## {year}\n\n{head}| Bonn | Germany | {year - 2000} |\n| {town} | France | 8 |\n"
        for year, town in ((2025, "Lyon"), (2026, "Lille"))
    )
    tables = gather_tables([hit("# Staff of the offices\n\n" + "\n".join(years)).chunk], 0)
    found = choose_listed_rows(analyze_question(question, {}), tables)
    assert (len(found.rows), found.said) == (number, said)


def test_a_note_says_what_rows_add_up_to_unless_a_filter_left_some_out(tmp_path: Path) -> None:
    lines = ["Bill,Customer,Amount", *(f"B-{i},{'Talvi' if i % 50 == 1 else 'Orbit'},{i}.50" for i in range(99))]
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "bills.csv").write_text("\n".join(lines), "utf-8")
    first = ragstone.Where(conditions=(ragstone.Condition("ordinal", "=", 0),))
    with ragstone.open(tmp_path / "store", embed__model="none") as kb:
        kb.ingest(tmp_path / "docs")
        answer, less = (kb.ask("total of the bills of Talvi", where=where) for where in (None, first))
    assert [citation.quote for citation in answer.citations] == [
        "\n".join((lines[0], lines[2])),
        "\n".join((lines[0], lines[52])),
    ]
    said = [[note.message for note in one.notes if note.code == "computed"] for one in (answer, less)]
    assert said == [['"Amount" of these 2 rows of bills.csv adds up to 53.00'], []]


@pytest.mark.parametrize(
    ("cells", "total"),
    [(("0.125", "0.250"), "0.375"), (("1.255", "2.5"), "3.755"), (("1,200.50", "3"), "1,203.50"), (("7", "5"), "12")],
)
def test_a_sum_has_all_digits_behind_its_point(cells: tuple[str, str], total: str) -> None:
    rows = "".join(f"| P{i} | red | {cell} |\n" for i, cell in enumerate(cells))
    table = f"# Parts\n\n| Part | Colour | Weight |\n|---|---|---|\n{rows}| P3 | blue | 2.5 |\n"
    found = choose_listed_rows(
        analyze_question("What is the total weight of the red parts?", {}), gather_tables([hit(table).chunk], 0)
    )
    assert found.said.split()[-1] == total


def test_rows_of_chunks_that_overlap_are_counted_once(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    lines = ["site,country,city,staff", "Alpha,Germany,Bonn,12", "Beta,Germany,Berlin,7", "Gamma,France,Lyon,5"]
    (tmp_path / "docs" / "sites.csv").write_text("\n".join((*lines, "Delta,Germany,Hamburg,9")), "utf-8")
    options = {"size": 70, "overlap": 40}
    with ragstone.open(tmp_path / "s", embed__model="none", chunk__name="recursive", chunk__options=options) as kb:
        kb.ingest(tmp_path / "docs")
        answer = kb.ask("How many sites are in Germany?")
    assert len(answer.citations) > 1
    assert [note.message for note in answer.notes if note.code == "computed"] == ["3 rows of sites.csv say so"]
