"""Texts in old charsets, and in UTF-16 without a mark, are known by the letters of their languages."""

import os

import pytest

from ragstone.core.errors import Refused
from ragstone.extraction import detect, extract
from ragstone.extraction.decoding import decode_text
from ragstone.extraction.legacy_encodings import CHARSETS
from tests.speed import within

TEXTS = {
    "polish": "Jabłka zbieramy od września; każda skrzynia waży dwadzieścia kilogramów, a gruszki są już sprzedane.",
    "czech": "Jablka sklízíme v září; každá bedna váží dvacet kilogramů a hrušky jsou už prodané.",
    "hungarian": "Az almát szeptemberben szedjük; minden láda húsz kilót nyom, a körtéket már eladtuk, őszi is van.",
    "german": "Die Äpfel ernten wir im September; jede Kiste wiegt zwanzig Kilo, und die Birnen sind schon übergeben.",
    "russian": "Яблоки мы собираем в сентябре; каждый ящик весит двадцать килограммов, а груши уже проданы.",
    "ukrainian": "Яблука ми збираємо у вересні; кожна скринька важить двадцять кілограмів, а груші вже продані.",
    "greek": "Τα μήλα τα μαζεύουμε τον Σεπτέμβριο· κάθε κιβώτιο ζυγίζει είκοσι κιλά και τα αχλάδια πουλήθηκαν.",
    "turkish": "Elmaları eylül ayında topluyoruz; her kasa yirmi kilo geliyor, armutlar ise şimdiden satıldı.",
    "hebrew": "את התפוחים אנחנו קוטפים בספטמבר, כל ארגז שוקל עשרים קילו והאגסים כבר נמכרו.",
    "arabic": "نقطف التفاح في شهر سبتمبر، ويزن كل صندوق عشرين كيلوغراما، أما الكمثرى فقد بيعت.",
    "japanese": "りんごは九月に収穫します。一箱は二十キロで、梨はもう売れました。",
    "korean": "사과는 구월에 수확합니다. 한 상자는 이십 킬로그램이고 배는 이미 팔렸습니다.",
    "chinese": "我们九月收苹果，每箱重二十公斤，梨已经卖完了。",
    "taiwanese": "我們九月收蘋果，每箱重二十公斤，梨已經賣完了。",
}
ENCODINGS = [
    *((one, name) for one in ("polish", "czech", "hungarian") for name in ("cp1250", "iso8859-2", "cp852")),
    *(("german", name) for name in ("cp1252", "mac_roman", "cp850")),
    *(("russian", name) for name in ("cp1251", "koi8-r", "cp866", "iso8859-5")),
    *(("ukrainian", name) for name in ("cp1251", "koi8-u")),
    *(("greek", name) for name in ("cp1253", "iso8859-7")),
    ("turkish", "cp1254"),
    ("hebrew", "cp1255"),
    ("arabic", "cp1256"),
    *(("japanese", name) for name in ("cp932", "euc_jp")),
    ("korean", "cp949"),
    ("chinese", "gb18030"),
    ("taiwanese", "big5"),
]


@pytest.mark.parametrize(("language", "encoding"), ENCODINGS)
def test_a_sentence_in_an_old_charset_is_read_to_the_letter(language: str, encoding: str) -> None:
    data = TEXTS[language].encode(encoding)
    text, [warning] = decode_text(data, path="a.txt")
    assert text == data.decode(encoding)
    assert warning.startswith("read as ")


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("path", ["a.txt", "a.csv", "a"])
def test_utf16_without_a_mark_is_read_in_each_language(language: str, encoding: str, path: str) -> None:
    text = f"{TEXTS[language]}\n" * 2
    assert detect(text.encode(encoding), path) in ("text/plain", "text/csv", "text/utf-16")
    assert extract(text.encode(encoding), path=path if path != "a" else "a.txt").record.strip() == text.strip()


@pytest.mark.parametrize("language", TEXTS)
def test_a_note_of_another_language_among_lines_of_code_is_read(language: str) -> None:
    encoding = next(name for one, name in ENCODINGS if one == language)
    code = "def total(rows: list[int]) -> int:\n    return sum(rows)  # {}\n\n\n" * 30
    data = code.format(*[""] * 20, TEXTS[language], *[""] * 9).encode(encoding)
    assert decode_text(data, path="a.py")[0] == data.decode(encoding)


@pytest.mark.parametrize(("language", "encoding"), ENCODINGS)
def test_pages_and_mails_that_declare_no_charset_are_read(language: str, encoding: str) -> None:
    data = TEXTS[language].encode(encoding)
    said = data.decode(encoding)
    assert said in extract(b"<html><body><p>" + data + b"</p></body></html>", path="a.html").record
    assert said in extract(b"From: a@x.org\nSubject: Fruit\n\n" + data + b"\n", path="a.eml").record


ADDRESSES = "".join(
    f"{name},{n} High Street,London\n" for n, name in enumerate(("John Smith", "Mary Brown", "Tom Hall") * 6)
)


@pytest.mark.parametrize("name", ["Boldù", "Nuñez", "Ordóñez", "Lelièvre", "Vajèn", "Kežmarský", "Wójcik", "Dvořáková"])
def test_a_foreign_name_in_an_english_table_is_read_in_the_charset_that_has_it(name: str) -> None:
    encoding = "cp1250" if name in ("Kežmarský", "Wójcik", "Dvořáková") else "cp1252"
    text = f"{ADDRESSES}{name},5 Main Street,Boston\n{ADDRESSES}"
    assert decode_text(text.encode(encoding), path="a.csv")[0] == text


@pytest.mark.parametrize(
    "text",
    [
        "½ cup of sugar, ¼ tsp salt, ¾ cup milk",
        "2 × 3 = 6",
        "cost 5¢",
        "1¼",
        "10 ± 2",
        "10 m² or 5 km³",
        "l’avió paral·lel",
    ],
)
def test_signs_in_their_places_among_words_in_ascii_are_no_letters(text: str) -> None:
    assert decode_text(text.encode("cp1252"), path="a.txt")[0] == text


def test_the_sign_of_numbers_is_known_in_russian() -> None:
    assert decode_text("Счёт № 5".encode("cp1251"), path="a.txt")[0] == "Счёт № 5"


@pytest.mark.parametrize("name", ["木村 太郎", "印旛郡酒々井町"])
def test_a_short_text_of_rare_letters_is_read(name: str) -> None:
    assert decode_text(name.encode("cp932"), path="a.txt")[0] == name


def test_bytes_of_no_language_are_refused() -> None:
    for data in (os.urandom(4000).replace(b"\0", b"\x81") + b"\xff\xfe\x81", bytes(range(128, 256)) * 9):
        with pytest.raises(Refused) as refused:
            decode_text(data, path="a.txt")
        assert refused.value.reason == "encoding"


@pytest.mark.parametrize("line", [b"\xe9", b"\xb0\xa1", b"a\xe9 ", b"\x93x\x94\n"])
def test_an_old_charset_is_found_in_little_time_whatever_the_size(line: bytes) -> None:
    within(3.0, lambda: decode_text(line * (4_000_000 // len(line)), path="a.txt"))


def test_each_charset_has_a_codec_and_a_name() -> None:
    assert all("é".encode(name, "ignore") is not None and charset.label for name, charset in CHARSETS.items())
