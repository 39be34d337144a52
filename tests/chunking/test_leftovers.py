"""Tables of contents and page numbers never become chunks."""

import pytest

from ragstone.chunking import CHUNKERS, Characters, make_chunker
from ragstone.core.contents import is_contents
from ragstone.testing.chunkers import outline_document

CONTENTS = "Preface ........ iii\nOne . . . . . . 1\nTwo ............ 17\nnot an entry"


@pytest.mark.parametrize("name", sorted(CHUNKERS))
def test_a_table_of_contents_is_left_out(name: str) -> None:
    pieces = make_chunker(name, tokenizer=Characters()).cut(
        outline_document(f"# Book\n\n{CONTENTS}\n\nOpen these ports:\n80\n443\n8080\n9090\n\nThe text.")
    )
    text = "\n".join(piece.text for piece in pieces)
    assert "The text." in text
    assert "Preface" not in text
    assert "Open these ports:\n80\n443\n8080\n9090" in text


@pytest.mark.parametrize("text", ["Page 1 of 9\nPage 2 of 9\nPage 3 of 9", CONTENTS])
def test_lines_that_lead_to_pages_are_leftovers(text: str) -> None:
    assert is_contents(text)


@pytest.mark.parametrize(
    "text",
    ["", "42", "In 1999\nit rained\n7", "Wait ...\nfor it ...\nnow", "a\nb\nc", "v1.2\nv1.3\nv1.4", "80\n443\n8080"],
)
def test_text_is_not(text: str) -> None:
    assert not is_contents(text)


def test_numbers_in_a_table_or_in_code_are_kept() -> None:
    pieces = make_chunker("structure", tokenizer=Characters()).cut(outline_document("```\n1\n2\n3\n4\n5\n6\n```"))
    assert [piece.kind for piece in pieces] == ["code"]
