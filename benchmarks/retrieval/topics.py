"""Whether a search for a topic finds the section that is headed by it, and an answer quotes from there.

    python benchmarks/retrieval/topics.py FOLDER STORE [--most 150]

FOLDER holds Markdown; STORE keeps what was ingested. Headings below the first level of one to six words that only one
section has, with more than 200 characters below them, are asked for in six forms ("Tell me about …", "What does the
guide say about …?", "…?"), drawn with a fixed seed, every second one in small letters. Printed for `heading_weight` 0
and 1: topics asked, those whose page comes first, and answers from the right page, from the section, and declined.
"""

import argparse
import random
import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import ragstone

FORMS = (
    "What does the guide say about {topic}?",
    "What do the docs say about {topic}?",
    "Tell me about {topic}.",
    "Explain {topic}",
    "What should I know about {topic}?",
    "{topic}?",
)
HEADING = re.compile(r"(#{1,6}) (.+)")
MARKS = re.compile(r"\[([^]]+)\]\([^)]*\)|[`*_]|\{#.*\}|<[^>]+>")
TOPIC = re.compile(r"[\w' ,/-]+")
WORDS, SHORTEST = 6, 200
SEED = 5


class Section(NamedTuple):
    path: str
    first: int
    end: int
    topic: str


def main() -> None:
    """Ask with and without the weight, and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("store")
    parser.add_argument("--most", type=int, default=150)
    args = parser.parse_args()
    found = collect_sections(args.folder)
    asked = random.Random(SEED).sample(found, min(args.most, len(found)))
    for weight in (0.0, 1.0):
        with ragstone.open(args.store, search={"heading_weight": weight}) as kb:
            kb.ingest(args.folder)
            print(f"heading_weight {weight:g}: {dict(count_answers(kb, asked))}")


def collect_sections(folder: Path) -> list[Section]:
    """The sections of all pages whose heading is a topic and no other section's."""
    found = [one for page in sorted(folder.rglob("*.md")) for one in read_sections(page, folder)]
    often = Counter(one.topic.casefold() for one in found)
    return [one for one in found if often[one.topic.casefold()] == 1]


def read_sections(page: Path, folder: Path) -> list[Section]:
    """The sections of a page whose heading is a topic."""
    lines = page.read_text("utf-8", "replace").splitlines()
    headings, fenced = [], False
    for number, line in enumerate(lines, 1):
        fenced ^= line.startswith("```")
        if not fenced and (match := HEADING.match(line)):
            headings.append((number, len(match[1]), MARKS.sub(lambda one: one[1] or "", match[2]).strip()))
    out = []
    for at, (first, level, topic) in enumerate(headings):
        end = next((line for line, other, _ in headings[at + 1 :] if other <= level), len(lines) + 1)
        fits = level > 1 and len(topic.split()) <= WORDS and TOPIC.fullmatch(topic) is not None
        if fits and len(" ".join(lines[first:end])) > SHORTEST:
            out.append(Section(str(page.relative_to(folder)), first, end, topic))
    return out


def count_answers(kb: ragstone.Knowledge, sections: list[Section]) -> Counter[str]:
    """How the search and the answers do."""
    counts: Counter[str] = Counter()
    for number, one in enumerate(sections):
        topic = one.topic if number % 2 else one.topic.lower()
        question = FORMS[number % len(FORMS)].format(topic=topic)
        hits, answer = kb.search(question, top_k=1).hits, kb.ask(question)
        counts["asked"] += 1
        counts["page first"] += bool(hits) and hits[0].chunk.document.path == one.path
        counts["declined"] += answer.abstained
        if not answer.abstained and answer.citations[0].document.path == one.path:
            counts["right page"] += 1
            counts["from the section"] += one.first <= answer.citations[0].spans[0].line_start < one.end
    return counts


if __name__ == "__main__":
    main()
