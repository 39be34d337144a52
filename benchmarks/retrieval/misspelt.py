"""Searching with a misspelt question: nDCG@10 of BEIR folders as asked and with one slip of the finger, with and
without `search.correct_spelling`.

    python benchmarks/retrieval/misspelt.py FOLDER [FOLDER ...] --stores DIR

In each question one word of five letters or more, by chance, gets one slip after its first letter: a letter left out,
doubled or put in, two changed places, or a neighbour on the keyboard. Chance follows the question's text, so that each
run has the same slips. Questions without such a word count as they are.
"""

import random
import re
import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.retrieval.beir_rows import print_rows

import ragstone
from ragstone.engine import Engine
from ragstone.evaluation import BeirSource, load_cases
from ragstone.evaluation.engine_evaluation import make_beir_search
from ragstone.evaluation.run import evaluate

WORD = re.compile(r"[A-Za-z]{5,}")
ROWS = "qwertyuiop", "asdfghjkl", "zxcvbnm"
LETTERS = "".join(ROWS)


def misspell(text: str) -> str:
    """The text with one slip."""
    words = list(WORD.finditer(text))
    if not words:
        return text
    chance = random.Random(text)
    word = chance.choice(words)
    wrong = word.group()
    while wrong == word.group():
        wrong = slip(word.group(), chance)
    wrong = wrong.upper() if word.group().isupper() else wrong
    return text[: word.start()] + wrong + text[word.end() :]


def slip(word: str, chance: random.Random) -> str:
    """One slip after the first letter of a word."""
    at = chance.randrange(1, len(word))
    match chance.randrange(5):
        case 0:
            return word[:at] + word[at + 1 :]
        case 1:
            return word[:at] + word[at] + word[at:]
        case 2:
            return word[:at] + chance.choice(LETTERS) + word[at:]
        case 3 if at + 1 < len(word):
            return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        case _:
            return word[:at] + _find_neighbour(word[at], chance) + word[at + 1 :]


def _find_neighbour(letter: str, chance: random.Random) -> str:
    row = next((row for row in ROWS if letter.lower() in row), LETTERS)
    place = row.index(letter.lower()) if letter.lower() in row else 0
    return chance.choice([row[at] for at in (place - 1, place + 1) if 0 <= at < len(row)])


async def measure(folder: Path, stores: Path) -> dict[str, float]:
    """Mean nDCG@10 over a folder's questions each way."""
    source = BeirSource(folder)
    cases = [case for case in load_cases(folder) if case.answerable]
    found = {}
    async with Engine(ragstone.load(store=f"embedded:{stores / folder.name}")) as engine:
        await engine.ingest_source(source)
        wrong = [replace(case, question=misspell(case.question)) for case in cases]
        for name, asked, corrected in (
            ("as asked", cases, False),
            ("as asked, corrected", cases, True),
            ("misspelt", wrong, False),
            ("misspelt, corrected", wrong, True),
        ):
            search = make_beir_search(engine, source, per_document=1, fold=False, top_k=10, correct_spelling=corrected)
            report = await evaluate(search, asked, metrics=("nDCG@10",))
            found[name] = report.metrics["nDCG@10"]
    return found


if __name__ == "__main__":
    print_rows(__doc__, measure)
