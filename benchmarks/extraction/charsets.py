"""How often a text is read right from bytes that declare nothing: by Ragstone's own judgement of a CSV file's charset
(`ragstone.extraction.legacy_encodings`) and by charset-normalizer, alone and limited to Ragstone's charsets.

    python benchmarks/extraction/charsets.py --files FOLDER --labelled FOLDER --texts 'tutor.*.utf-8' --catalogs FOLDER

`--files`: text files as they are; the truth is UTF-8 where all bytes are, else the charset that the file declares.
`--labelled`: folders named by charset (`KOI8-R`, `windows-1251-russian`), as in chardet's own tests.
`--texts`: UTF-8 texts named `*.LANGUAGE.*`, which are written in that language's old charsets, whole and in cuts.
`--catalogs`: the translations of programs (`LANGUAGE/LC_MESSAGES/*.mo`), which are cut into 200 and 2,000
characters and written in all old charsets of their language.
Right is a text that is the truth to the letter: a charset of another name that gives the same text is as good.
"""

import argparse
import codecs
import gettext
import gzip
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from glob import glob
from pathlib import Path
from typing import NamedTuple

from charset_normalizer import from_bytes

from ragstone.core.errors import Refused
from ragstone.extraction.decoding import _find_declared_encoding, decode_text
from ragstone.extraction.legacy_encodings import CHARSETS

TEXTS = {".csv", ".tsv", ".txt", ".html", ".htm", ".xml", ".md", ".json", ".jsonl", ".eml", ".itxt"}
MOST = 1 << 18  # bytes of one file that are judged
LABELS = {None: "whole and cuts of 2,000 and 300 characters", 2000: "whole and cuts of 2,000 and 300 characters"}
LABELS |= {300: LABELS[2000], 60: "cuts of 60 characters"}
PLACES = 8  # cuts of each text and length
WEST = ("da", "de", "es", "fr", "it", "nl", "no", "pt", "sv")
CENTRE = ("cs", "hr", "hu", "pl", "ro", "sk", "sl")
EAST = ("be", "bg", "ru", "sr", "uk")
LANGUAGES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("cp1252", "iso-8859-15", "mac-roman", "cp850"), WEST),
    **dict.fromkeys(("iso-8859-2", "cp1250", "cp852"), CENTRE),
    **dict.fromkeys(("iso-8859-5", "cp1251", "cp866"), EAST),
    "koi8-r": ("ru",),
    "koi8-u": ("uk",),
    "iso-8859-7": ("el",),
    "cp1253": ("el",),
    "cp1254": ("tr",),
    "cp1255": ("he",),
    "cp1256": ("ar",),
    "cp1257": ("et", "lt", "lv"),
    "shift_jis": ("ja",),
    "euc-jp": ("ja",),
    "gb18030": ("zh_cn",),
    "big5": ("zh_tw",),
    "euc-kr": ("ko",),
    "utf-16-le": ("de", "ru", "el", "ar", "he", "ja", "ko", "zh_cn", "zh_tw"),
    "utf-16-be": ("de", "ru", "el", "ar", "he", "ja", "ko", "zh_cn", "zh_tw"),
    "utf-8": (*WEST, "cs", "el", "ja", "ko", "ru", "zh_cn"),
}
SHORT, LONG, EACH = 200, 2000, 4  # characters of pieces of catalogs, and how many of each


FAMILIES = {
    "Western": ("cp1252", "iso8859-1", "iso8859-15"),
    "Western, Mac Roman": ("mac-roman",),
    "Western, DOS": ("cp850",),
    "Central European": ("cp1250", "iso8859-2"),
    "Central European, DOS": ("cp852",),
    "Cyrillic, Windows-1251 and KOI8": ("cp1251", "koi8-r", "koi8-u"),
    "Cyrillic, ISO-8859-5": ("iso8859-5",),
    "Cyrillic, DOS": ("cp866",),
    "Greek": ("cp1253", "iso8859-7"),
    "Turkish": ("cp1254", "iso8859-9"),
    "Hebrew": ("cp1255",),
    "Arabic": ("cp1256",),
    "Baltic": ("cp1257",),
    "Japanese": ("shift_jis", "cp932", "euc_jp"),
    "Chinese": ("gb2312", "gb18030", "big5"),
    "Korean": ("euc_kr", "cp949"),
    "UTF-16 without a mark": ("utf-16-le", "utf-16-be"),
    "UTF-8": ("utf-8", "utf-8-sig", "ascii"),
}


class Sample(NamedTuple):
    """Bytes, what they say, and the row of the table that they count in."""

    group: str
    data: bytes
    text: str


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--files", type=Path)
    options.add_argument("--labelled", type=Path)
    options.add_argument("--texts", action="append", default=[])
    options.add_argument("--catalogs", type=Path)
    options.add_argument("--ours", action="store_true", help="leave out charset-normalizer")
    given = options.parse_args()
    samples = [
        *(list_files(given.files) if given.files else ()),
        *(list_labelled(given.labelled) if given.labelled else ()),
        *list_written(sorted(Path(name) for pattern in given.texts for name in glob(pattern))),
        *(list_catalogs(given.catalogs) if given.catalogs else ()),
    ]
    if given.ours:
        del JUDGES["charset-normalizer"], JUDGES["UTF-8, else charset-normalizer among ours"]
    groups: dict[str, list[Sample]] = defaultdict(list)
    for sample in samples:
        groups[sample.group].append(sample)
    print("| samples | count |", " | ".join(f"{name}: right | other text" for name in JUDGES), "|")
    print("|---|---|" + "---|---|" * len(JUDGES))
    seconds = dict.fromkeys(JUDGES, 0.0)
    for group, members in sorted(groups.items()):
        cells = [f"{right} | {wrong}" for right, wrong in count_right(members, seconds)]
        print(f"| {group} | {len(members)} |", " | ".join(cells), "|", flush=True)
    each = (f"{1000 * spent / max(1, len(samples)):.2f} ms |" for spent in seconds.values())
    print("| CPU time of one | |", " | ".join(each), "|")


def count_right(samples: list[Sample], seconds: dict[str, float]) -> Iterator[tuple[int, int]]:
    """For each judge how many texts are right, and how many are read as another text rather than refused."""
    for name, judge in JUDGES.items():
        begun = time.process_time()
        found = [judge(sample.data) for sample in samples]
        seconds[name] += time.process_time() - begun
        right = sum(text == sample.text for text, sample in zip(found, samples, strict=True))
        yield right, len(samples) - right - found.count(None)


def judge_ourselves(data: bytes) -> str | None:
    """As Ragstone reads a CSV file."""
    try:
        return decode_text(data, path="")[0]
    except Refused:
        return None


def judge_by_library(data: bytes) -> str | None:
    """What charset-normalizer thinks best."""
    best = from_bytes(data).best()
    return _drop_mark(str(best)) if best is not None else None


def judge_by_limited_library(data: bytes) -> str | None:
    """UTF-8 where all bytes are, else what charset-normalizer thinks best of the charsets that Ragstone reads."""
    try:
        return _drop_mark(data.decode("utf-8")) if b"\0" not in data else judge_by_library(data)
    except UnicodeDecodeError:
        best = from_bytes(data, cp_isolation=[*CHARSETS, "utf_16_le", "utf_16_be"]).best()
        return str(best) if best is not None else None


JUDGES: dict[str, Callable[[bytes], str | None]] = {
    "Ragstone": judge_ourselves,
    "charset-normalizer": judge_by_library,
    "UTF-8, else charset-normalizer among ours": judge_by_limited_library,
}


def list_files(folder: Path) -> Iterator[Sample]:
    """Text files as they are."""
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or Path(path.name.removesuffix(".gz")).suffix not in TEXTS:
            continue
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        data = data[: data.rfind(b"\n", 0, MOST) + 1] if len(data) > MOST else data
        try:
            yield Sample("files in UTF-8", data, _drop_mark(data.decode("utf-8")))
        except UnicodeDecodeError:
            declared = _find_declared_encoding(data)
            if declared:
                yield Sample(f"files that declare {declared}", data, data.decode(declared, errors="replace"))
            else:
                print(f"left out, as nothing says its charset: {path.relative_to(folder)}")


def list_labelled(folder: Path) -> Iterator[Sample]:
    """Files below folders whose names are a charset, or a charset and a language; those of other charsets are left
    out, and those that are not in theirs."""
    for path in sorted(folder.rglob("*")):
        name = re.sub(r"-[a-z]{5,}$", "", path.parent.name)
        family = _find_family(name)
        if not path.is_file() or family is None:
            continue
        data = path.read_bytes()
        try:
            text = data.decode({"GB2312": "gb18030", "SHIFT_JIS": "cp932"}.get(name, name))
        except UnicodeDecodeError:
            continue
        yield Sample(f"{family}, web pages", data, _drop_mark(text))


def list_written(paths: list[Path]) -> Iterator[Sample]:
    """Texts in old charsets, whole and in cuts that hold something beyond ASCII."""
    texts = {path.name.split(".")[-2]: path.read_text("utf-8") for path in paths if path.name.count(".") > 1}
    for charset, languages in LANGUAGES.items():
        for size in LABELS:
            for language in languages:
                for cut in _cut_text(texts.get(language, ""), size):
                    data = cut.encode(charset, errors="ignore")
                    text = data.decode(charset)
                    if not text.isascii():
                        yield Sample(f"{_find_family(charset)}, {LABELS[size]}", data, text)


def list_catalogs(folder: Path) -> Iterator[Sample]:
    """Pieces of translations, as many from each place, in each charset of the language that has their letters."""
    texts: dict[str, str] = {}
    for charset, languages in LANGUAGES.items():
        for language in languages:
            if language not in texts:
                texts[language] = _read_catalogs(folder, language)
            for size in (SHORT, LONG):
                for cut in _cut_text(texts[language], size, EACH):
                    data = cut.encode(charset, errors="ignore")
                    text = data.decode(charset)
                    if not text.isascii():
                        yield Sample(f"{_find_family(charset)}, catalogs, {size:,} characters", data, text)


def _read_catalogs(folder: Path, language: str) -> str:
    """The translations of a language, each once, without those that are short."""
    name = {"no": "nb", "zh_cn": "zh_CN", "zh_tw": "zh_TW"}.get(language, language)
    said: dict[str, None] = {}
    for path in sorted((folder / name / "LC_MESSAGES").glob("*.mo")):
        with path.open("rb") as file, suppress(OSError, UnicodeDecodeError, ValueError):
            catalog = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
            said |= dict.fromkeys(text for key, text in catalog.items() if key and text != key and len(text) > 30)
    return "\n".join(said)


def _cut_text(text: str, size: int | None, places: int = PLACES) -> Iterator[str]:
    if size is None or len(text) <= size:
        yield text
        return
    for number in range(places):
        at = number * (len(text) - size) // places
        yield text[at : at + size]


def _drop_mark(text: str) -> str:
    return text.removeprefix("\ufeff")


def _find_family(charset: str) -> str | None:
    try:
        name = codecs.lookup(charset).name
    except LookupError:
        return None
    return next((family for family, members in FAMILIES.items() if name in members), None)


if __name__ == "__main__":
    main()
