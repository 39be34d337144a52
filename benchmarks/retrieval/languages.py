"""What stems of its own language bring to keywords: headings of manuals find their sections, in several languages.

    python benchmarks/retrieval/languages.py FOLDER…

A FOLDER holds one manual as HTML, for example of Debian's packages `debian-reference-de`, `-es`, `-fr`, `-it`, `-pt`
and `developers-reference-ru`, or as Mallard (`gnome-user-docs`), where a page is a section. A section is the text
between two headings, in the language that most sections have (some manuals are translated in part); its heading, of two
words and more, is the question and no part of it. Prints MRR@10 and recall@10 by BM25 with English stems alone, with
those of the detected language too, and with those of the parts of compounds; and the share of sections and of headings
by detected language.
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import lxml.etree
import lxml.html
import numpy as np

from ragstone.core import analyzer
from ragstone.core.languages import detect_language
from ragstone.stores import bm25

HEADING = re.compile(r"h[1-6]$")
NUMBER = re.compile(r"^[\d.\s§¶-]+|[¶§]+$")
FEWEST_WORDS = 2  # of a heading
MALLARD = "{http://projectmallard.org/1.0/}"
SHORTEST = 120  # characters of a section

Terms = Callable[[str], tuple[list[str], list[str]]]


def read_sections(folder: Path) -> list[tuple[str, str]]:
    """Headings with the texts below them."""
    found: dict[str, str] = {}
    pages = (_split_page(lxml.html.fromstring(file.read_bytes())) for file in sorted(folder.rglob("*.html*")))
    helps = (_read_mallard(file) for file in sorted(folder.rglob("*.page")))
    for heading, text in (section for sections in (*pages, *helps) for section in sections):
        if len(heading.split()) >= FEWEST_WORDS and len(text) >= SHORTEST:
            found.setdefault(heading, text)
    languages = Counter(_detect(text) for text in found.values())
    language = max((one for one in languages if one != "english"), key=lambda one: languages[one], default=None)
    return [(heading, text) for heading, text in found.items() if _detect(text) == language]


def _split_page(page: lxml.html.HtmlElement) -> Iterator[tuple[str, str]]:
    heading, parts = "", list[str]()
    for element in page.iter():
        if not isinstance(element.tag, str) or element.tag in ("script", "style", "title"):
            continue
        if HEADING.match(element.tag):
            yield heading, " ".join(parts)
            heading, parts = NUMBER.sub("", " ".join(element.text_content().split())).strip(), []
        elif element.tag in ("p", "li", "dd", "dt", "td", "pre") and not any(
            above.tag in ("p", "li", "dd", "dt", "td", "pre") for above in element.iterancestors()
        ):
            parts.append(" ".join(element.text_content().split()))
    yield heading, " ".join(parts)


def _read_mallard(file: Path) -> Iterator[tuple[str, str]]:
    page = lxml.etree.parse(file).getroot()
    title = next(page.iter(f"{MALLARD}title"), None)
    if title is not None:
        text = " ".join(" ".join("".join(part.itertext()).split()) for part in page.iter(f"{MALLARD}p"))
        yield " ".join("".join(title.itertext()).split()), text


def rank_sections(sections: list[tuple[str, str]], terms: Terms, asked: Terms) -> tuple[float, float]:
    """MRR@10 and recall@10."""
    postings: dict[str, dict[int, int]] = {}
    lengths = np.zeros(len(sections))
    for number, (_, text) in enumerate(sections):
        words, own = terms(text)
        lengths[number] = len(words)
        for term, count in Counter([*words, *own]).items():
            postings.setdefault(term, {})[number] = count
    ranks = []
    for number, (heading, _) in enumerate(sections):
        scores = np.zeros(len(sections))
        for term in dict.fromkeys([part for parts in asked(heading) for part in parts]):
            if held := postings.get(term):
                at, counts = np.array(list(held)), np.array(list(held.values()))
                idf = bm25.idf(len(held), len(sections))
                scores[at] += bm25.term_weights(
                    counts, bm25.length_norms(lengths[at], float(lengths.mean())), weight=idf
                )
        better = int((scores > scores[number]).sum()) if scores[number] else len(sections)
        ranks.append(better + 1)
    return float(np.mean([1 / r if r <= 10 else 0 for r in ranks])), float(np.mean([r <= 10 for r in ranks]))


def main() -> None:
    """A line for each folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    for folder in parser.parse_args().folders:
        sections = read_sections(folder)
        if not sections:
            sys.exit(f"{folder}: holds no HTML page with headings")
        plain = rank_sections(sections, _plain_terms, _plain_terms)
        own = rank_sections(sections, _own_terms, partial(_own_terms, asked=True))
        parts = rank_sections(sections, analyzer.extract_search_terms, _asked_terms)
        told = [Counter(_detect(text) for text in texts).most_common(3) for texts in zip(*sections, strict=True)]
        print(
            f"{folder.name}: {len(sections)} sections · MRR@10 {plain[0]:.3f} → {own[0]:.3f} → {parts[0]:.3f} · "
            f"recall@10 {plain[1]:.3f} → {own[1]:.3f} → {parts[1]:.3f} · headings {told[0]} · sections {told[1]}"
        )


def _plain_terms(text: str) -> tuple[list[str], list[str]]:
    return analyzer.extract_terms(text), []


def _own_terms(text: str, *, asked: bool = False) -> tuple[list[str], list[str]]:
    words, languages = analyzer.list_lower_words(text), analyzer.find_languages(text, asked=asked)
    return analyzer.extract_terms(text), [stem for one in languages for stem in analyzer.stem_own(words, one)]


def _asked_terms(text: str) -> tuple[list[str], list[str]]:
    return analyzer.extract_search_terms(text, asked=True)


def _detect(text: str) -> str | None:
    return detect_language(token.casefold() for token in analyzer.extract_tokens(text))


if __name__ == "__main__":
    main()
