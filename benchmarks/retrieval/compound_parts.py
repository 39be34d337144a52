"""The parts that compounds of a language are made of, from texts of that language.

    python benchmarks/retrieval/compound_parts.py german=FOLDER german=FOLDER swedish=FOLDER … \\
        > src/ragstone/core/compound_parts.json

A FOLDER holds HTML, Mallard or DocBook pages, manual pages (`.gz` below `man*`), message catalogs (`.mo`) and texts.
A word is a head where it ends a longer word that begins with another known word, and a modifier where it begins one.
It is known where the texts have it alone at least three times, and at least half as often as there are words that end
(or begin) with its letters, which endings of inflection are not. The words of `compound_words.json`, written by hand
for the papers of an office, are heads and modifiers too. Heads are kept as stems.

The table was made of Debian 12's packages `libreoffice-help-LANG` and `manpages-LANG` in each language, of
`fortunes-de` and the German manuals of `gnucash-docs`, and for Norwegian of `libreoffice-l10n-nb` and the catalogs in
`/usr/share/locale/nb`.
"""

import argparse
import gettext
import gzip
import html
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ragstone.core.analyzer import stem_words
from ragstone.core.compounds import LINKS, SHORTEST_PART
from ragstone.core.languages import SMALL_WORDS

BY_HAND = Path(__file__).with_name("compound_words.json")
WORD = re.compile(r"[^\W\d_]+")
MARKUP = re.compile(r"<(script|style)\b[\s\S]*?</\1>|<[^>]+>")
ROFF = re.compile(r"^\.\S+|\\f.|\\[-&]", re.MULTILINE)
FEWEST, SHARE = 3, 0.5  # times that a known word is there alone; and of the words that begin or end with its letters
SHORTEST, LONGEST = 3, 40  # letters of a word


def main() -> None:
    """Print the parts as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", metavar="LANGUAGE=FOLDER")
    counts: dict[str, Counter[str]] = {}
    for given in parser.parse_args().folders:
        language, _, folder = given.partition("=")
        if language not in LINKS:
            sys.exit(f"{given}: expected LANGUAGE=FOLDER, with one of {', '.join(LINKS)}")
        for text in read_texts(Path(folder)):
            counts.setdefault(language, Counter()).update(word.casefold() for word in WORD.findall(text))
    by_hand = json.loads(BY_HAND.read_text("utf-8"))
    parts = {language: find_parts(count, language, by_hand[language].split()) for language, count in counts.items()}
    print(json.dumps(parts, ensure_ascii=False, separators=(",", ":")))


def read_texts(folder: Path) -> Iterator[str]:
    """The texts of a folder, without their marks."""
    for file in sorted(folder.rglob("*")):
        if file.is_symlink() or not file.is_file():
            continue
        if file.suffix in (".html", ".page", ".xml", ".docbook"):
            yield html.unescape(MARKUP.sub(" ", file.read_text("utf-8", "replace")))
        elif file.suffix == ".gz" and file.parent.name.startswith("man"):
            yield ROFF.sub(" ", gzip.decompress(file.read_bytes()).decode("utf-8", "replace"))
        elif file.suffix == ".mo":
            with file.open("rb") as read, suppress(UnicodeDecodeError):  # some are in old encodings
                yield "\n".join(map(str, gettext.GNUTranslations(read)._catalog.values()))  # type: ignore[attr-defined]
        elif not file.suffix:
            yield file.read_bytes().decode("utf-8", "replace")


def find_parts(counts: Counter[str], language: str, by_hand: list[str]) -> dict[str, str]:
    """Heads and modifiers, each as words between blanks."""
    words = {word for word, count in counts.items() if count > 1 and SHORTEST <= len(word) <= LONGEST}
    begins, ends = Counter[str](), Counter[str]()
    for word in words:
        begins.update(word[:place] for place in range(1, len(word)))
        ends.update(word[place:] for place in range(1, len(word)))
    alone = words - SMALL_WORDS[language]
    firsts = {word for word in alone if counts[word] >= max(FEWEST, SHARE * begins[word])}
    lasts = {word for word in alone if counts[word] >= max(FEWEST, SHARE * ends[word])}
    heads, modifiers = set(by_hand), set(by_hand)
    for word in words:
        for place in range(SHORTEST_PART, len(word) - SHORTEST_PART + 1):
            before, head = word[:place], word[place:]
            found = next((one for one in cut_links(before, language) if one in firsts), None) if head in lasts else None
            if found:
                heads.add(head)
                modifiers.add(found)
    return {
        "heads": " ".join(sorted(set(stem_words(sorted(heads), language)))),
        "modifiers": " ".join(sorted(modifiers)),
    }


def cut_links(before: str, language: str) -> Iterator[str]:
    """The letters before a head without those that link them to it, at least as many as a part has."""
    for link in LINKS[language]:
        if before.endswith(link) and len(before) - len(link) >= SHORTEST_PART:
            yield before[: len(before) - len(link)]


if __name__ == "__main__":
    main()
