"""What `ask` without a language model makes of questions in other languages than English.

    for p in gnome-user-docs harden-doc aptitude-doc-{es,fr,it,ja,ru} debian-faq-{de,fr,it,ja,pt,ru,zh-cn} \\
        debian-edu-doc-{es,zh-cn} gimp-help-{de,ja}; do apt-get download $p; dpkg -x ${p}_*.deb BOOKS/$p; done
    python benchmarks/answers/languages.py BOOKS STORES [--only PAIR …] [--rows FILE]

Each section of the own manual is one document without its heading. Asked are headings of that manual, headings of
another manual, which no document answers, and where the own manual is GNOME's help the questions of `languages.jsonl`,
written by hand in people's words: ten that the named page answers and eight that none does. At most 80 headings of
each, at equal distances. STORES keeps what was ingested.

Most pairs are about other things: they tell how often something is answered that the documents do not speak of. In
`NEAR` both are about packages of Debian, and some headings of the other manual have an answer: no goal. `HELD_OUT` were
named before anything was asked.

Printed for each pair: own headings answered, and from the right document; foreign ones answered; questions of people
answered, and from the right page; questions answered that nobody's page answers.
"""

import argparse
import asyncio
import hashlib
import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import ragstone
from ragstone.answering import extractive_answer
from ragstone.answering.abstention.abstain import Decision, choose_model, decide_abstention
from ragstone.answering.abstention.calibration import AbstentionPolicy
from ragstone.answering.abstention.evidence import Evidence
from ragstone.core.analyzer import extract_tokens
from ragstone.core.languages import detect_language

sys.path.insert(0, str(Path(__file__).parents[1] / "retrieval"))
from scripts import SHORTEST, choose_sections

QUESTIONS = Path(__file__).with_suffix(".jsonl")
MOST = 80  # headings asked of a manual
GNOME = "gnome"
MALLARD = "{http://projectmallard.org/1.0/}"
LANGUAGES = {"de": "german", "fr": "french", "it": "italian", "es": "spanish", "pt": "portuguese", "ru": "russian"}
LANGUAGES |= {"en": "english", "nl": "dutch", "sv": "swedish"}
FOLDERS = {"en": "C", "pt": "pt_BR"}
FIT = {
    "debian-faq-de": "gnome-de",
    "gnome-fr": "debian-faq-fr",
    "aptitude-doc-it": "gnome-it",
    "aptitude-doc-es": "gnome-es",
    "debian-faq-ru": "gnome-ru",
}
HELD_OUT = {
    "gnome-en": "harden-en",
    "gnome-de": "debian-faq-de",
    "debian-faq-fr": "gnome-fr",
    "debian-faq-it": "gnome-it",
    "gnome-es": "aptitude-doc-es",
    "gnome-pt": "debian-faq-pt",
    "debian-faq-pt": "gnome-pt",
    "gnome-ru": "debian-faq-ru",
    "gnome-nl": "",
    "gnome-it": "debian-faq-it",
}
NEAR = {"debian-faq-fr": "aptitude-doc-fr", "aptitude-doc-it": "debian-faq-it"}
EAST = {"debian-faq-zh-cn": "debian-edu-doc-zh-cn", "debian-faq-ja": "gimp-help-ja", "aptitude-doc-ja": "debian-faq-ja"}
SETS: Mapping[str, Mapping[str, str]] = {"fit": FIT, "held-out": HELD_OUT, "near": NEAR, "east": EAST}
Row = dict[str, Any]


def main() -> None:
    """Print a line for each pair."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("books", type=Path)
    parser.add_argument("stores", type=Path)
    parser.add_argument("--only", nargs="*", default=list(SETS), help="sets or own manuals")
    parser.add_argument("--rows", type=Path, help="write each question with its signs, as JSON lines")
    given = parser.parse_args()
    rows: list[Row] = []
    for name, pairs in SETS.items():
        for own, foreign in pairs.items():
            if name in given.only or own in given.only:
                found = asyncio.run(ask_pair(given.books, given.stores, own, foreign))
                rows += [{"set": name, "own": own, **row} for row in found]
                print(f"{name:9}{own:17}{foreign:21}{summarize(found)}", flush=True)
    if given.rows:
        given.rows.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def read_book(books: Path, name: str) -> dict[str, tuple[str, str]]:
    """By heading the file's name and the text of each section; nothing for a manual that is not there."""
    if name == "harden-en":
        return name_sections(choose_sections(books / "harden-doc/usr/share/doc/harden-doc/html/en-US"))
    if name.startswith(GNOME):
        code = name.removeprefix(f"{GNOME}-")
        folder = books / "gnome-user-docs/usr/share/help" / FOLDERS.get(code, code) / "gnome-help"
        pages = ((file, *read_page(file)) for file in sorted(folder.glob("*.page")))
        return {title: (file.stem, text) for file, title, text in pages if is_written_in(text, LANGUAGES[code])}
    return name_sections(choose_sections(books / name)) if name else {}


def name_sections(sections: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Sections with a name for the file of each, told by its heading alone."""
    return {head: (hashlib.sha256(head.encode()).hexdigest()[:12], text) for head, text in sections.items()}


def read_page(file: Path) -> tuple[str, str]:
    """Title and paragraphs of a page of GNOME's help."""
    page = ElementTree.parse(file).getroot()
    title = page.find(f"{MALLARD}title")
    paragraphs = [flatten(one) for one in page.iter(f"{MALLARD}p")]
    return flatten(title) if title is not None else "", "\n\n".join(paragraphs)


def flatten(element: ElementTree.Element) -> str:
    """The text of an element on one line."""
    return re.sub(r"\s+", " ", "".join(element.itertext())).strip()


def is_written_in(text: str, language: str) -> bool:
    """Whether a page is long enough and was translated."""
    return len(text) >= SHORTEST and detect_language([word.lower() for word in extract_tokens(text)]) == language


async def ask_pair(books: Path, stores: Path, own: str, foreign: str) -> list[Row]:
    """A row for each question: its kind, whether it was answered, from the right document, the signs."""
    sections, other = read_book(books, own), read_book(books, foreign)
    folder, store = stores / own / "docs", stores / own / "store"
    known = {heading.casefold() for heading in sections}
    asked = [("own", heading, sections[heading][0]) for heading in spread(list(sections))]
    asked += [("foreign", one, "") for one in spread([one for one in other if one.casefold() not in known])]
    if own.startswith(GNOME):
        asked += [("people" if page else "nobody", text, page) for text, page in read_questions(own.rpartition("-")[2])]
    async with ragstone.Engine(ragstone.load(store=str(store))) as engine:
        if not folder.exists():
            folder.mkdir(parents=True)
            for name, text in sections.values():
                (folder / f"{name}.txt").write_text(text, encoding="utf-8")
            await engine.ingest(folder)
        return [await ask(engine, kind, text, f"{page}.txt") for kind, text, page in asked]


def spread(headings: Sequence[str]) -> Sequence[str]:
    """At most `MOST` of some headings, at equal distances."""
    return headings[:: max(1, -(-len(headings) // MOST))]


def read_questions(language: str) -> list[tuple[str, str]]:
    """The questions of people in a language, each with the page that answers it or nothing."""
    rows = map(json.loads, QUESTIONS.read_text("utf-8").splitlines())
    return [(row["question"], row["page"] or "") for row in rows if row["language"] == language]


async def ask(engine: "ragstone.Engine", kind: str, text: str, path: str) -> Row:
    """What is made of one question."""
    seen: list[Evidence] = []

    def keep(found: Evidence, policy: AbstentionPolicy | None = None) -> Decision:
        seen.append(found)
        return decide_abstention(found, policy)

    vars(extractive_answer)["decide_abstention"] = keep
    answer = await engine.ask(text)
    row = {"kind": kind, "question": text, "answered": not answer.abstained, "reason": answer.reason}
    row["right"] = any(one.document.path == path for one in answer.citations)
    if seen:
        row |= {"odds": round(choose_model(seen[-1]).odds(seen[-1]), 3), "signs": asdict(seen[-1])}
    return row | {"text": answer.text[:200]}


def summarize(rows: Sequence[Row]) -> str:
    """The counts of a pair on a line."""
    parts = []
    for kind in ("own", "foreign", "people", "nobody"):
        some = [row for row in rows if row["kind"] == kind]
        right = f" right {sum(row['right'] for row in some):2}" if kind in ("own", "people") else ""
        parts.append(f"{kind} {sum(row['answered'] for row in some):2} of {len(some):2}{right}" if some else "")
    return "; ".join(filter(None, parts))


if __name__ == "__main__":
    main()
