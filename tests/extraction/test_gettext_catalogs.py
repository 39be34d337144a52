"""Translations of gettext: each text beside its translation, without quotes and line ends of the file."""

import pytest

from ragstone.extraction import extract
from ragstone.extraction.gettext_catalogs import parse_catalog
from ragstone.testing.extractors import check_spans
from tests.speed import in_step

CATALOG = r"""# German
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\n"
"Language: de\n"

#. Button
#: src/a.c:12
msgid "Cancel \"order\""
msgstr "Storno"
#, fuzzy
#| msgid "Mails"
msgctxt "menu"
msgid ""
"You have %d "
"mail.\n"
msgid_plural "%d mails"
msgstr[0] "Eine Nachricht"
msgstr[1] "%d Nachrichten"

#~ msgid "Old"
#~ msgstr "Alt"
"""


def test_each_text_is_a_row_with_its_translation() -> None:
    found = extract(CATALOG.encode(), path="de.po")
    check_spans(found)
    assert found.record == (
        "| text | de | context | note |\n|---|---|---|---|\n"
        '| Cancel "order" | Storno |  | Button |\n'
        "| You have %d mail. / %d mails | Eine Nachricht / %d Nachrichten | menu |  |"
    )


def test_a_file_that_is_no_catalog_stays_as_it_is() -> None:
    assert parse_catalog(b"A plan.\n", path="a.po").record == "A plan.\n"


@pytest.mark.parametrize("unit", ['"a"\n', 'msgid "a"\n', "# a\n", 'msgid "a"\nmsgstr "b"\n', '"" '])
def test_catalogs_are_read_in_step(unit: str) -> None:
    in_step(lambda times: parse_catalog(f'msgid "{unit * times}'.encode(), path="a.po"), 1_000, 4_000, most=8)
