"""Rows of tables: read whole, chosen by their label, quoted below their header."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import ragstone
from ragstone.answering.extractive.passages import chunk_passages
from ragstone.answering.extractive.question_analysis import analyze_question
from ragstone.answering.extractive.reading_form import make_quotes
from ragstone.answering.extractive.row_selection import select_rows
from ragstone.answering.extractive.scored_passages import ScoredPassage
from ragstone.answering.extractive.selection import rank_passages
from ragstone.core.types import Hit, join_slices
from tests.answering.made import chunk, hit

STATEMENT = """Acme Corp

The results of the three months ended June 30, 2024 were as follows:

| | June 30, 2024 | June 30, 2023 |
|---|---|---|
| Revenue | $ 9,100 | $ 8,700 |
| Cost of revenue: | | |
| Products | 1,200 | 1,100 |
| Total cost of revenue | 3,400 | 3,300 |
| Gross profit | 5,700 | 5,400 |
| Other income | 31 | 30 |
| Income | 2,210 | 2,190 |
"""


def rows_for(question: str, hits: Sequence[Hit], idf: Mapping[str, float] | None = None) -> list[ScoredPassage] | None:
    analysed = analyze_question(question, idf or {})
    return select_rows(analysed, hits, rank_passages(analysed, hits), most=2)


def quoted(question: str, hits: Sequence[Hit]) -> list[str]:
    return [quote.text for quote in make_quotes(rows_for(question, hits) or [])]


def table_hit(text: str, *, header: str = "", path: str = "a.csv") -> Hit:
    return Hit(replace(chunk(text, path=path), kind="table", header=header), 1.0)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_row_is_one_passage_whatever_its_cells_say(end: str) -> None:
    text = "| Name | Remark |\n|---|---|\n| a | First. Second. Third! |\n\nA sentence. Another.".replace("\n", end)
    assert [passage.text for passage in chunk_passages(chunk(text), 0) if passage.form != "noise"] == [
        "| Name | Remark |",
        "| a | First. Second. Third! |",
        "A sentence.",
        "Another.",
    ]


def test_a_csv_file_is_read_by_rows_with_quoted_line_breaks() -> None:
    passages = chunk_passages(table_hit('name,remark,port\napp,"two\nlines, one cell",80\nweb,none,81').chunk, 0)
    assert [passage.text for passage in passages] == [
        "name,remark,port",
        'app,"two\nlines, one cell",80',
        "web,none,81",
    ]
    assert [passage.row and passage.row.kind for passage in passages] == ["header", "row", "row"]


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("What was the revenue in the three months ended June 30, 2024?", "| Revenue | $ 9,100 | $ 8,700 |"),
        ("How high was the gross profit of Acme on June 30, 2024?", "| Gross profit | 5,700 | 5,400 |"),
        ("What was the total cost of revenue in June 2024?", "| Total cost of revenue | 3,400 | 3,300 |"),
        ("What was the income in June 2024?", "| Income | 2,210 | 2,190 |"),
        ("What was the other income in June 2024?", "| Other income | 31 | 30 |"),
    ],
)
def test_the_row_is_quoted_whose_label_was_asked_for(question: str, row: str) -> None:
    texts = quoted(question, [hit(STATEMENT)])
    assert texts[0].splitlines()[-1] == row
    assert texts[0].startswith("| | June 30, 2024 | June 30, 2023 |\n")


def test_the_row_of_a_group_brings_the_groups_name() -> None:
    [text] = quoted("What was the cost of revenue of products in June 2024?", [hit(STATEMENT)])
    assert text.splitlines()[-2:] == ["| Cost of revenue: | | |", "| Products | 1,200 | 1,100 |"]


def test_a_figure_that_no_label_names_is_not_answered_by_another_row() -> None:
    assert rows_for("What was the goodwill of Acme on June 30, 2024?", [hit(STATEMENT)]) == []


PLANS = """# Plans

| Plan | Storage | Price |
|---|---|---|
| Free | 5 GB | 0 EUR |
| Team | 200 GB | 19 EUR |
| Company | 2 TB | 99 EUR |
| Other teams | 1 GB | 1 EUR |
"""


@pytest.mark.parametrize(
    ("question", "label"),
    [
        ("How much does the Team plan cost?", "Team"),
        ("How much storage does the company plan have?", "Company"),
        ("How much is the price of the free plan?", "Free"),
    ],
)
def test_a_row_is_quoted_whose_label_the_question_says_where_the_rest_stands_above(question: str, label: str) -> None:
    [text] = quoted(question, [hit(PLANS)])
    assert text.splitlines()[-1].startswith(f"| {label} |")


STOCK = """SKU,Product,Price,Stock,Supplier,Warranty (months)
HM-100,Claw hammer,14.90,320,Norrland Steel,24
HM-220,Sledgehammer,39.50,45,Norrland Steel,24
SO-300,Claw hammer set,14.90,7,Norrland Steel,12
HT-007,Safety helmet,18.75,260,Hirado Textiles,12
"""


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("How many safety helmets are in stock?", "HT-007"),
        ("How long is the warranty of the sledgehammer?", "HM-220"),
        ("What is the stock of SO-300?", "SO-300"),
        ("What is the supplier of the sledgehammer?", "HM-220"),
        ("How many products does Norrland Steel sell?", ""),  # none of its rows says how many
        ("How many products are of Norrland Steel?", ""),
        ("How old is the sledgehammer?", ""),  # no column says so
    ],
)
def test_a_row_is_quoted_of_which_another_cell_names_what_is_asked_about(question: str, first: str) -> None:
    rows = rows_for(question, [table_hit(STOCK)]) or []
    assert [one.passage.text.partition(",")[0] for one in rows] == [first] * bool(first)


def test_the_header_of_a_row_counts_where_it_stands_in_the_chunk(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    staff = (
        "| Name | Office | Extension | Manager |\n|---|---|---|---|\n| Ingrid Solberg | Oslo | 4410 | Peter Hahn |\n"
    )
    (tmp_path / "docs" / "staff.md").write_text(f"{staff}| Lucia Moreno | Madrid | 4301 | Peter Hahn |\n", "utf-8")
    with ragstone.open(tmp_path / "store") as kb:
        kb.ingest(tmp_path / "docs")
        answer = kb.ask("What is Lucia Moreno's extension?")
    assert answer.text.splitlines()[-2].startswith("| Lucia Moreno | Madrid | 4301 |"), answer.text


@pytest.mark.parametrize(
    "question", ["How much does the team plan save schools in Oslo by bus?", "How much does the school plan cost?"]
)
def test_a_row_is_not_quoted_where_the_question_says_more(question: str) -> None:
    assert not rows_for(question, [hit(PLANS)])


def test_where_no_row_is_chosen_the_reason_is_that_nothing_answers(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "plans.md").write_text(PLANS, encoding="utf-8")
    with ragstone.open(tmp_path / "store") as kb:
        kb.ingest(tmp_path / "docs")
        answer = kb.ask("How many seats does the Team plan have?")
    assert (answer.abstained, answer.reason) == (True, "no_supporting_sentence")


def test_rows_of_a_document_that_lacks_the_questions_name_do_not_answer() -> None:
    other = hit(STATEMENT.replace("Acme Corp", "Zenith Corp"), path="b.md")
    found = rows_for("What was Acme's revenue in June 2024?", [other, hit(STATEMENT)])
    assert found is not None
    assert {one.passage.chunk.document.path for one in found} == {"a.md"}


def test_percentages_do_not_answer_for_amounts() -> None:
    shares = "| | 2024 | 2023 |\n|---|---|---|\n| Revenue | 100 % | 100 % |\n| Research | 15.1 | 27.2 |\n"
    assert rows_for("How much was the research in 2024?", [hit(shares)]) == []
    assert rows_for("What was the percentage of research in 2024?", [hit(shares)])


def test_questions_without_tables_are_left_alone() -> None:
    assert rows_for("What was the revenue?", [hit("Revenue was 12 in that year. It grew.")]) is None
    assert rows_for("Why did revenue grow?", [hit(STATEMENT)]) is None


def test_a_csv_row_far_below_its_header_is_quoted_with_it(tmp_path: Path) -> None:
    """The citation's spans are the header's and the row's own places in the file."""
    source = tmp_path / "docs"
    source.mkdir()
    lines = ["station,visitors,opened", *(f"Stop{i} Hill,{1000 + i},{1900 + i % 90}" for i in range(400))]
    file = "\n".join(lines) + "\n"
    (source / "stations.csv").write_text(file, "utf-8")
    with ragstone.open(tmp_path / "store") as kb:
        kb.ingest(source)
        answer = kb.ask("How many visitors had Stop321 Hill?")
    citation = answer.citations[0]
    assert citation.quote == "station,visitors,opened\nStop321 Hill,1321,1951"
    assert citation.status == "verified"
    assert join_slices(file, citation.spans) == citation.quote
    assert [span.line_start for span in citation.spans] == [1, 323]


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("What was the price of IBM in March 2010?", ["Feb 1 2010", "Mar 1 2010"]),
        ("What was the price of IBM on 2010-03-01?", ["2010/02/01", "2010/03/01"]),
        ("What was the price of IBM on March 1, 2010?", ["2010.02.01", "2010.03.01"]),
    ],
)
def test_a_row_of_a_day_is_found_in_whatever_notation(question: str, days: Sequence[str]) -> None:
    rows = [f"| IBM | {day} | 12{n}.5 |" for n, day in enumerate(days)]
    table = "\n".join(["| symbol | date | price |", "|---|---|---|", *rows])
    best = rows_for(question, [hit(table)])
    assert best is not None
    assert [one.passage.text for one in best] == rows[1:]


LIVES = (
    "| country | year | lifeExp | pop |\n|---|---|---|---|\n"
    "| Norway | 2002 | 79.05 | 4535591 |\n| Norway | 2007 | 80.2 | 4627926 |"
)
HEADED = (
    "Inventories\n\n| Note 5 | | |\n|---|---|---|\n| (In millions) | Apr 1, 2023 | Dec 31, 2022 |\n"
    "| Raw materials | 1,517 | 1,221 |"
)
FLOW = "| year | volume |\n|---|---|\n| 1902 | 694 |\n| 1903 | 940 |"
RAIN = "| date | precipitation |\n|---|---|\n| 2012-01-05 | 1.3 |\n| 2012-01-24 | 8.5 |"


@pytest.mark.parametrize(
    ("question", "table", "expected"),
    [
        ("What was the life expectancy in Norway in 2007?", LIVES, ["| Norway | 2007 | 80.2 | 4627926 |"]),
        ("What was the population of Norway in 2002?", LIVES, ["| Norway | 2002 | 79.05 | 4535591 |"]),
        ("What was the exposure in 2007?", LIVES, []),  # no part of `lifeExp` alone
        ("What was the volume in 1903?", FLOW, ["| 1903 | 940 |"]),
        ("What was the volume in 1890?", FLOW, []),
        ("What was the precipitation on January 5, 2012?", RAIN, ["| 2012-01-05 | 1.3 |"]),
        ("What was the precipitation on January 8, 2012?", RAIN, []),  # 8.5 is not the 8th
        ("What were the inventories of April 2023?", HEADED, []),  # a row of days alone says no figure
    ],
)
def test_a_column_is_found_by_words_that_its_name_abbreviates_and_a_day_as_a_whole(
    question: str, table: str, expected: Sequence[str]
) -> None:
    assert [one.passage.text for one in rows_for(question, [hit(table)]) or []] == expected
