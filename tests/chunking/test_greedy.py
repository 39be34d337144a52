"""Pieces are filled to their size and not beyond, what stands between two paragraphs counted in."""

import pytest

from ragstone.chunking.greedy import count_characters, fill_drafts, split_paragraphs
from ragstone.chunking.outline import list_passages
from ragstone.testing.chunkers import outline_document


@pytest.mark.parametrize(("size", "pieces"), [(10, [2]), (9, [1, 1])])
def test_a_piece_is_filled_to_its_last_character_gaps_included(size: int, pieces: list[int]) -> None:
    document = outline_document("aaaa\n\nbbbb")
    units = split_paragraphs(document.record, list_passages(document), opens=lambda _: False)
    drafts = fill_drafts(document.record, units, size=size, overlap=0, measure=count_characters)
    assert [len(draft.units) for draft in drafts] == pieces
