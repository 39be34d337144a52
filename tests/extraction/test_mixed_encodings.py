"""Files in several encodings, and files that are cut short: one foreign byte garbles no other line."""

import pytest

from ragstone.extraction import detect, extract
from ragstone.extraction.decoding import decode_text

LINE = "Die Prüfung der Feuerlöscher ist fällig.\n"


@pytest.mark.parametrize(("encoding", "name"), [("cp1252", "Windows-1252"), ("mac_roman", "Mac Roman")])
def test_a_line_in_an_old_encoding_among_utf_8_is_read_as_it_is_meant(encoding: str, name: str) -> None:
    foreign = "Die Fluchttür öffnet nach außen, größer wäre besser.\n"
    text, warnings = decode_text(LINE.encode() * 9 + foreign.encode(encoding) + LINE.encode(), path="a.txt")
    assert text == LINE * 9 + foreign + LINE
    assert warnings == (
        f"1 line is not UTF-8 as the others are, and read as {name}; save the file as UTF-8 to be sure",
    )


def test_a_line_may_hold_both() -> None:
    data = "user=müller ".encode() + "path=/größe\n".encode("cp1252")
    assert decode_text(LINE.encode() * 9 + data * 2, path="a.log")[0].endswith("user=müller path=/größe\n")


def test_a_file_cut_within_a_character_keeps_its_text() -> None:
    text, warnings = decode_text(LINE.encode() * 3 + "Ende ü".encode()[:-1], path="a.txt")
    assert text == LINE * 3 + "Ende "
    assert warnings == ("the file ends within a character: it was cut short",)


def test_a_last_letter_in_an_old_encoding_is_no_cut_character() -> None:
    assert decode_text((LINE * 3).encode() + "Menü".encode("cp1252"), path="a.txt")[0] == LINE * 3 + "Menü"


def test_a_byte_order_mark_does_not_refuse_a_foreign_byte() -> None:
    assert decode_text(b"\xef\xbb\xbf" + LINE.encode() * 3 + b"\xfcber\n", path="a.csv")[0].endswith("über\n")


def test_marks_that_were_written_twice_are_dropped() -> None:
    for text in ("# Title", "ＡＢ in letters of full width"):  # their bytes begin as the mark does
        assert decode_text(b"\xef\xbb\xbf" * 2 + text.encode(), path="a.md")[0] == text


@pytest.mark.parametrize(("encoding", "name"), [("mac_roman", "Mac Roman"), ("cp850", "DOS code page 850")])
def test_accented_letters_within_words_are_no_japanese(encoding: str, name: str) -> None:
    text, warnings = decode_text((LINE * 3).encode(encoding), path="a.txt")
    assert text == LINE * 3
    assert warnings == (f"read as {name}, which its bytes fit best; save it as UTF-8 to be sure",)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("避難訓練は毎年九月一日に行います。HTMLの書き方も。", "cp932"),
        ("北京是中华人民共和国的首都，人口超过两千万。", "gb18030"),
        ("대한민국의 수도는 서울이며 인구는 약 천만 명이다.", "cp949"),
    ],
)
def test_texts_in_old_encodings_are_not_taken_for_mixed_ones(text: str, encoding: str) -> None:
    assert decode_text((text * 5).encode(encoding), path="a.txt")[0] == text * 5


@pytest.mark.parametrize(
    "text",
    [
        "The “smart” quotes don’t matter — or so they say.\n",
        "Wait—what did he say? Nothing—really.\n",
        "don’t\n",
        "• one item of the list\n• another one\n",
        "pages 10–12 and 14–18\n",
        "He came… and went…\n",
        "Temperature: 20 ± 1 °C\n",
        "§ 5 Abs. 2\n",
        "Price: 20 €\n",
    ],
)
def test_quotes_dashes_and_signs_of_windows_are_no_letters(text: str) -> None:
    assert decode_text(text.encode("cp1252"), path="a.txt")[0] == text
    assert decode_text((text * 20).encode("cp1252"), path="a.txt")[0] == text * 20


LOG = b"2024-05-01 boiler on, pressure 1.8 bar\n" * 9


@pytest.mark.parametrize("path", ["boiler.log", "boiler.txt", "boiler"])
def test_a_log_with_a_hole_is_text_and_the_hole_is_left_out(path: str) -> None:
    found = extract(LOG + bytes(4096) + b"2024-05-02 boiler off\n", path=path)
    assert found.record == (LOG + b"2024-05-02 boiler off\n").decode()
    assert found.warnings == ("4,096 NUL bytes were left out; the file may be damaged",)


TEXT = b"a text of more than fifty bytes, as strings in binary files are now and then"


@pytest.mark.parametrize(
    "data",
    [
        b"a\0b",
        b"PK\x03\x04" + LOG + b"\0",
        b"x" * 257 + b"ustar\0" + LOG,
        LOG + b"\0\xff\xfe",
        b"\0".join([TEXT] * 50),  # records without lines
        b"\0asm\1\0\0\0" + TEXT * 9,
        b"JAVA PROFILE 1.0.2\0" + LOG,
        b"DIRC\0\0\0\2" + TEXT * 9,
        b"README" + bytes(94) + 2 * b"000644 \0" + bytes(300) + LOG * 9,  # an old archive
        LOG * 200 + b"word\0" * 30_000,
    ],
)
def test_binary_data_with_text_in_it_is_no_log(data: bytes) -> None:
    assert not detect(data, "boiler.log").startswith("text/")
