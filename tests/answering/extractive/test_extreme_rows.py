"""Superlatives over tables: answered by the row itself, or not at all."""

from dataclasses import replace
from pathlib import Path

import pytest

import ragstone
from ragstone.answering import read_off_rows
from ragstone.answering.extractive.column_values import read_column
from ragstone.answering.extractive.extreme_rows import choose_extreme_rows
from ragstone.answering.extractive.question_analysis import analyze_question
from ragstone.answering.extractive.whole_tables import gather_tables
from ragstone.core.types import join_slices
from tests.answering.made import chunk

PLANS = """# Plans

| Plan | Price | Storage | Seats | Introduced | Offline |
|---|---|---|---|---|---|
| Solo | free | 500 MB | 1 | 2019-03 | no |
| Team | €11 | 200 GB | 50 | 2020-09 | yes |
| Business | €1,900 | 1 TB | unlimited | 2024-11 | yes |
| Total | €1,911 | | | | |
"""
REPAIRS = """Date,Building,Fault,Technician,Cost (EUR),Hours,Priority
2025-09-04,Harbour,Door does not close,Thoma,"420,50","2,5",2
2025-11-30,Mill,Water in the attic,Krueger,"1.340,00",9,1
2026-01-08,Mill,Pressure falls,Yilmaz,"610,00",4,3
"""
STAFF = "| Doctor | At the clinic since | Closes |\n|---|---|---|\n| Park | 2021 | 18:00 |\n| Lowe | 1999 | 9:30 |\n"
CREW = "| Sailor | Born | Boat |\n|---|---|---|\n| Ann | 1990 | Elise |\n| Bo | 1961 |\n| Cy | 1985 | Nora |\n"
RATES = "| Plan | Price |\n|---|---|\n| Solo | €5 |\n| Team | €9 |\n| School | €7 |\n| Company | on request |\n"
SAINTS = "| Hotel | Price |\n|---|---|\n| All Saints | €40 |\n| Plaza | €90 |\n| | 130 EUR |\n| **Summe** | €130 |\n"
YEARS = "| Shop | Profit |\n|---|---|\n| Ost | €5 |\n| West | €9 |\n| Mitte | €7 |\n| Hof | (€20) |\n"
BOATS = "Boats\n\n| Boat | Length | Built |\n|---|---|---|\n| Elise | 14 m | 1998 |\n| Nora | 960 cm | 2014 |\n"


@pytest.mark.parametrize(
    ("question", "table", "labels"),
    [
        ("Which plan is the cheapest?", PLANS, ["Solo"]),
        ("What is the most expensive plan?", PLANS, ["Business"]),
        ("Which plan costs the most?", PLANS, ["Business"]),
        ("Which is the newest plan?", PLANS, ["Business"]),
        ("Which plan was introduced earliest?", PLANS, ["Solo"]),
        ("Which plan has the most storage?", PLANS, ["Business"]),
        ("Which plan has the fewest seats?", PLANS, ["Solo"]),
        ("Which plan has the most seats?", PLANS, ["Business"]),
        ("Which is the cheapest plan that works offline?", PLANS, ["Team"]),
        ("What is the oldest boat?", BOATS, ["Elise"]),
        ("Which boat is the shortest?", BOATS, ["Nora"]),
        ("What was the most expensive fault?", REPAIRS, ["2025-11-30"]),
        ("What was the most expensive fault in 2026?", REPAIRS, []),  # one row is compared with none
        ("Which fault of the Mill took the fewest hours?", REPAIRS, ["2026-01-08"]),
        ("What was the latest fault?", REPAIRS, ["2026-01-08"]),
        ("Which doctor has been at the clinic longest?", STAFF, ["Lowe"]),
        ("Which doctor closes latest?", STAFF, ["Park"]),
        ("Who is the oldest sailor?", CREW, ["Bo"]),  # a spreadsheet ends a row with its last value
        ("Who is the oldest sailor?", CREW.replace("| 1961 |", "| 1961 | Nora | 7 |"), []),  # which cell is which?
        ("What is the cheapest plan?", RATES, ["Solo"]),
        ("What is the most expensive plan?", RATES, []),  # nobody knows what the last one costs
        ("What is the cheapest hotel?", SAINTS, ["All Saints"]),
        ("What is the most expensive hotel?", SAINTS, ["Plaza"]),
        ("Which shop has the lowest profit?", YEARS, ["Hof"]),  # a loss in brackets
        # what no column says, or not of the rows
        ("Which plan is the fastest?", PLANS, []),
        ("What is the cheapest car?", PLANS, []),
        ("Which plan has the most employees?", PLANS, []),
        ("Which building is the oldest?", REPAIRS, []),
        ("Which fault had the highest priority?", REPAIRS, []),  # 1 is above 3
        # what asks for another row, or for none
        ("Which plan is the second cheapest?", PLANS, []),
        ("Which plan is not the cheapest?", PLANS, []),
        ("Is Solo the cheapest plan?", PLANS, []),
        ("How do I get the cheapest plan?", PLANS, []),
        ("Which is the cheapest and which the newest plan?", PLANS, []),
        ("Does a plan have at most ten seats?", PLANS, []),
        ("Which plan has seats for at least 50?", PLANS, []),
    ],
)
def test_a_superlative_is_answered_by_the_row_of_its_column(question: str, table: str, labels: list[str]) -> None:
    one = chunk(table, path="a.csv" if table is REPAIRS else "a.md")
    whole = replace(one, kind="table") if table is REPAIRS else one
    rows = choose_extreme_rows(analyze_question(question, {}), gather_tables([whole], 0))
    assert [row.row.cells[0] for row in rows if row.row] == labels


@pytest.mark.parametrize(
    ("header", "cells"),
    [
        ("Weight", ["2 kg", "3 EUR"]),  # two units
        ("Price", ["1.340", "95"]),  # thousands or decimals
        ("Room", ["north", "12", "south"]),
        ("Days", ["2-3", "5"]),
        ("Note", ["", "7"]),
        ("Price", ["$10", "€9", "£8"]),
        ("Price", ["€5 per month", "€50 a year"]),
        ("Price", ["€5/month", "€50 yearly"]),
        ("Profit", ["(1)", "(2)"]),  # numbers of notes
    ],
)
def test_a_column_that_cannot_be_compared_is_none(header: str, cells: list[str]) -> None:
    assert read_column(header, cells) is None


@pytest.mark.parametrize(
    ("header", "cells", "values"),
    [
        ("Revenue", ["€1.2M", "€900k", "2 EUR"], (1_200_000.0, 900_000.0, 2.0)),
        ("Profit", ["-€5", "€-6", "−7 euros"], (-5.0, -6.0, -7.0)),
        ("Profit", ["1,250", "(1,234)", "(20)"], (1250.0, -1234.0, -20.0)),
        ("Profit", ["$3", "($1,234)"], (3.0, -1234.0)),
        ("Price", ["€5 per month", "7 euros a month, billed"], (5.0, 7.0)),
        ("People", ["1.2 million", "900 thousand"], (1_200_000.0, 900_000.0)),
    ],
)
def test_figures_are_read_with_sign_and_magnitude(header: str, cells: list[str], values: tuple[float, ...]) -> None:
    column = read_column(header, cells)
    assert column is not None
    assert column.values == values


@pytest.mark.parametrize(("longest", "answered"), [(64, True), (2, False)])
def test_a_table_in_many_chunks_answers_if_it_is_read_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, longest: int, answered: bool
) -> None:
    monkeypatch.setattr(read_off_rows, "LONGEST_TABLE", longest)
    lines = ["station,visitors,opened", *(f"Stop{i} Hill,{1000 + i * 37 % 101},{1900 + i % 90}" for i in range(99))]
    file = "\n".join(lines) + "\n"
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "stations.csv").write_text(file, "utf-8")
    with ragstone.open(tmp_path / "store") as kb:
        kb.ingest(tmp_path / "docs")
        answer = kb.ask("Which station has the most visitors?")
    wanted = max(lines[1:], key=lambda line: int(line.split(",")[1]))
    assert (wanted in answer.text) == answered, answer.text
    for citation in answer.citations:
        assert citation.status == "verified"
        assert join_slices(file, citation.spans) == citation.quote


def test_rows_that_the_filter_leaves_out_are_not_read_off(tmp_path: Path) -> None:
    rows = [f"Stop{i} Hill,{1000 + i}" for i in range(99)]
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "stations.csv").write_text("\n".join(["station,visitors", *rows]) + "\n", "utf-8")
    first = ragstone.Where(conditions=(ragstone.Condition("ordinal", "=", 0),))
    with ragstone.open(tmp_path / "store", embed__model="none") as kb:
        kb.ingest(tmp_path / "docs")
        [hit] = kb.search("visitors", where=first).hits
        answer = kb.ask("Which station has the most visitors?", where=first)
    assert rows[-1] not in hit.chunk.text
    assert hit.chunk.text.splitlines()[-1] in answer.text
