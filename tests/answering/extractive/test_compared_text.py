"""Folder and file name documents that say the same: they stand above a passage where the question says them."""

from pathlib import Path

import ragstone
from ragstone.answering.extractive.compared_text import place_below_names
from ragstone.answering.extractive.passages import chunk_passages
from ragstone.answering.extractive.question_analysis import analyze_question
from ragstone.testing.stores.samples import make_revision

TERMS = "# Terms\n\nEither side may end the contract with a notice of {} days.\n"


def test_names_of_folders_and_files_stand_above_a_passage_where_they_are_asked_for() -> None:
    [chunk] = make_revision("contracts/Globex/2023 terms.md", ["It ends in May."], title="Terms").chunks
    [passage] = chunk_passages(chunk, 0)
    for question, above in (
        ("When does the contract with Globex end?", "Globex > Terms"),
        ("Did the contracts of 2023 end?", "2023 > Terms"),
        ("When does the contract end?", "Terms"),
    ):
        asked = analyze_question(question, {})
        assert place_below_names(passage, asked.names | asked.numbers) == (above, "It ends in May.")


def test_headings_inside_of_the_chunk_stand_above_a_passage() -> None:
    text = "## How do I reset a lamp?\n\nSwitch it on five times.\n\n## Disposal\n\nReturn it to us."
    [chunk] = make_revision("lamps.md", [text], title="Lamps").chunks
    above = [place_below_names(one, frozenset())[0] for one in chunk_passages(chunk, 0) if one.form == "sentence"]
    assert above == ["Lamps > How do I reset a lamp?", "Lamps > Disposal"]


def test_of_two_contracts_that_say_the_same_the_one_that_is_asked_about_is_quoted(tmp_path: Path) -> None:
    for name, days in (("ACME", 60), ("Globex", 14)):
        (tmp_path / "firm" / name).mkdir(parents=True)
        (tmp_path / "firm" / name / "terms.md").write_text(TERMS.format(days))
    with ragstone.open(tmp_path / "store") as kb:
        kb.ingest(tmp_path / "firm")
        for name, days in (("ACME", 60), ("Globex", 14)):
            assert f"notice of {days} days" in kb.ask(f"What is the notice period with {name}?").text
        assert kb.ask("What is the notice period with Umbrella?").abstained
