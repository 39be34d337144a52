"""What a table is called stands above each group of its rows."""

from ragstone.chunking.structure import StructureChunker, StructureOptions
from ragstone.chunking.table import CAPTION_LENGTH
from ragstone.chunking.tokens import Characters
from ragstone.core.types import Block, Cell, Extraction, Piece, Span, join_slices

CAPTION = "Table 3: Sales of the shops of the town"


def extraction(caption: str = CAPTION, *, rows: int = 60, below: bool = False, header: bool = True) -> Extraction:
    """A paragraph, a caption and a table of `rows` rows, the caption above or below it."""
    parts: list[str] = []
    blocks: list[Block] = []

    def put(text: str) -> Span:
        start = sum(map(len, parts)) + 2 * len(parts)
        parts.append(text)
        return Span(start, start + len(text), 1, 1)

    def paragraph(text: str, *, is_caption: bool = False) -> None:
        blocks.append(Block("paragraph", text, (put(text),), caption_of="table" if is_caption else None))

    paragraph("The shops of the town sold more than in the year before, as the next table shows.")
    if not below:
        paragraph(caption, is_caption=True)
    lines = [f"| Shop {n} | {n * 37} |" for n in range(rows)]
    lines[:0] = ["| Name | Sold |\n|---|---|"] if header else []
    place = put("\n".join(lines))
    cells, at = [], place.char_start
    for number, text in enumerate(lines):
        for col, said in enumerate(text.partition("\n")[0].strip("| ").split(" | ")):
            start = at + text.index(said)
            cells.append(
                Cell(number, col, said, header=header and not number, char_start=start, char_end=start + len(said))
            )
        at += len(text) + 1
    blocks.append(Block("table", "\n".join(lines), (place,), cells=tuple(cells), caption=caption))
    if below:
        paragraph(caption, is_caption=True)
    paragraph("After that the text goes on and speaks of other towns and of other shops too.")
    return Extraction("\n\n".join(parts), tuple(blocks), "text/plain")


def cut(made: Extraction, *, tokens: int = 80) -> list[Piece]:
    return StructureChunker(StructureOptions(tokens, tokens, prefix=0), Characters()).cut(made)


def of_table(pieces: list[Piece]) -> list[Piece]:
    return [piece for piece in pieces if piece.kind == "table"]


def test_every_group_of_rows_says_what_the_table_is() -> None:
    made = extraction()
    pieces = cut(made)
    groups = of_table(pieces)
    assert len(groups) > 3
    for piece in groups:
        assert CAPTION in piece.text or piece.header.startswith(CAPTION)
        assert piece.text == join_slices(made.record, piece.spans)
    assert [piece.header for piece in groups[1:]] == [f"{CAPTION}\n| Name | Sold |"] * (len(groups) - 1)
    assert not any(piece.note for piece in pieces)


def test_a_caption_is_never_parted_from_its_first_rows() -> None:
    [piece] = [piece for piece in cut(extraction()) if CAPTION in piece.text]
    assert "Shop 0" in piece.text


def test_a_caption_below_stays_with_the_last_rows_and_stands_above_all() -> None:
    pieces = cut(extraction(below=True))
    [last] = [piece for piece in pieces if CAPTION in piece.text]
    assert "Shop 59" in last.text
    assert all(piece.header.startswith(CAPTION) for piece in of_table(pieces) if "Shop" in piece.text[:40])


def test_a_table_without_a_header_has_its_caption_alone() -> None:
    groups = of_table(cut(extraction(header=False)))
    assert {piece.header for piece in groups[1:]} == {CAPTION}


def test_a_caption_of_a_paragraph_is_shortened_where_it_is_repeated() -> None:
    long = "Table 3: " + "Sales of the shops of the town and of its villages " * 8
    groups = of_table(cut(extraction(long.strip()), tokens=200))
    [repeated] = {piece.header.partition("\n")[0] for piece in groups[1:]}
    assert repeated.endswith("…")
    assert len(repeated) <= CAPTION_LENGTH + 1
    assert long.startswith(repeated[:-1])


def test_no_piece_is_longer_than_the_cap_with_what_stands_above_it() -> None:
    count = Characters().count
    for tokens in (20, 40, 80):
        for piece in of_table(cut(extraction(), tokens=tokens)):
            assert sum(count([piece.text, piece.header])) <= tokens + 2 or piece.note
