"""Search in scripts that the built-in model never learned: headings of manuals find the text below them.

    for p in debian-reference-{de,es,fr,it,ja,pt,zh-cn} debian-faq-{de,fr,it,ja,pt,ru,zh-cn} \\
        debian-edu-doc-{de,es,fr,it,ja,zh-cn} aptitude-doc-{es,fr,it,ja,ru} developers-reference-{de,fr,it,ja,ru} \\
        gimp-help-{de,ja,ru}; do apt-get download $p; dpkg -x ${p}_*.deb BOOKS/$p; done
    python benchmarks/retrieval/scripts.py BOOKS [--only debian-faq-ja …] [--always]

Each section of at least 200 characters is one document without its heading, each heading of at least two words (in
Chinese and Japanese four characters) that no other section has is a question; tables of contents are left out. Prints
MRR@10 by words, by vectors and by both, for each book; at most 300 sections of one, at equal distances.
"""

import argparse
import asyncio
import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import ragstone
from ragstone.extraction import extract
from ragstone.providers.minilm import readable_script

NUMBER = re.compile(r"\A(?:[A-Z]\.|\d+\.|第\s*\d+\s*章|Chapter|Глава|Capítulo|Kapitel|Chapitre|Capitolo)*[\d.]*\s*")
BOOK = re.compile(r"(debian-(reference|faq|edu-doc)|aptitude-doc|developers-reference|gimp-help)-.*")
LISTED = 4  # headings in a table of contents
FEWEST = 20  # sections of a book
SHORTEST, LONGEST = 200, 2_000  # characters of a section
MOST = 300
MODES = ("keyword", "semantic", "hybrid")


def main() -> None:
    """Print a line for each book."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("books", type=Path)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--always", action="store_true", help="search by vectors in any script")
    given = parser.parse_args()
    if given.always:
        readable_script.MOST_FOREIGN = 2.0
    for book in sorted(path for path in given.books.iterdir() if BOOK.fullmatch(path.name)):
        sections = choose_sections(book) if not given.only or book.name in given.only else {}
        if len(sections) >= FEWEST:
            print(book.name, len(sections), json.dumps(asyncio.run(measure_book(sections))), flush=True)


def choose_sections(book: Path) -> dict[str, str]:
    """Heading and text of the sections that are asked for."""
    language = book.name.removesuffix("-cn").rpartition("-")[2]
    files = [file for file in sorted(book.rglob("*.htm*")) if file.is_file() and is_in_language(file, language)]
    found = [section for file in files for section in read_sections(file)]
    times = Counter(heading for heading, _ in found)
    once = {heading: text for heading, text in found if times[heading] == 1 and not lists_headings(text, times)}
    step = max(1, -(-len(once) // MOST))
    return dict(list(once.items())[::step])


def lists_headings(text: str, headings: Iterable[str]) -> bool:
    """Whether a text is a table of contents."""
    return sum(heading in text for heading in headings) >= LISTED


def is_in_language(file: Path, language: str) -> bool:
    """Whether a file of a book is of its language: some packages hold English ones beside."""
    return f".{language}" in file.name or f"/{language}" in str(file.parent) or not re.search(r"\.en\b|/en/", str(file))


def read_sections(file: Path) -> Iterator[tuple[str, str]]:
    """Heading and text of each section of a page that is long enough to be told from others."""
    try:
        extraction = extract(file.read_bytes(), path=file.name)
    except ragstone.RagstoneError:
        return
    heading, parts = "", list[str]()
    for block in [*extraction.blocks, None]:
        if block is None or block.type == "heading":
            text = "\n\n".join(parts)
            if len(text) >= SHORTEST and (len(heading.split()) > 1 or (len(heading) > 3 and not heading.isascii())):
                yield heading, text[:LONGEST]
            if block is not None:
                said = block.text
                heading, parts = NUMBER.sub("", " ".join(said.strip("# \n").split())), []
        elif block.type in ("paragraph", "list", "quote"):
            parts.append(block.text)


async def measure_book(sections: dict[str, str]) -> dict[str, float]:
    """MRR@10 of each mode."""
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / "docs"
        folder.mkdir()
        for number, text in enumerate(sections.values()):
            (folder / f"{number}.txt").write_text(text, encoding="utf-8")
        async with ragstone.Engine(ragstone.load(store=f"{work}/store")) as engine:
            await engine.ingest(folder)
            return {mode: round(await measure_mode(engine, list(sections), mode), 3) for mode in MODES}


async def measure_mode(engine: "ragstone.Engine", headings: list[str], mode: str) -> float:
    """MRR@10 of the headings, each of which has one document."""
    total = 0.0
    for number, heading in enumerate(headings):
        paths = dict.fromkeys(
            hit.chunk.document.path for hit in (await engine.search(heading, mode=mode, top_k=20)).hits
        )
        ranks = {path: rank for rank, path in enumerate(list(paths)[:10], 1)}
        total += 1 / ranks[f"{number}.txt"] if f"{number}.txt" in ranks else 0.0
    return total / len(headings)


if __name__ == "__main__":
    main()
