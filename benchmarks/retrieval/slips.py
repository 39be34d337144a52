"""How often misspelt words are put right, and right words that a collection does not have are changed.

    python benchmarks/retrieval/slips.py DICTIONARY FOLDER FOLDER [...] --stores DIR

DICTIONARY has a line `wrong->right` for each misspelt word: `codespell_lib/data/dictionary.txt` of the package
codespell has 65,000 that people wrote. Of those whose right word is in a BEIR folder and whose wrong word is not, 1,000
by chance are asked for, each in a sentence; so are all words of five letters or more that three documents of the other
folders have, none of this one has and the dictionary of common English words does not know. A word is right if it has
the stem of the right one.
"""

import argparse
import asyncio
import json
import random
import re
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import ragstone
from ragstone.core.analyzer import stem_words
from ragstone.core.trace import Trace
from ragstone.engine import Engine
from ragstone.evaluation import BeirSource
from ragstone.retrieval.question import Question
from ragstone.retrieval.readers import SourceView
from ragstone.retrieval.spelling import is_common
from ragstone.retrieval.spelling_correction import find_corrections

WORD = re.compile(r"[a-z]{5,}")
ASKED = 1000  # misspelt words for each folder
ASK = "What does it say about {}?"
LEAST = 3  # documents of other folders that have a word


def count_words(folder: Path) -> "Counter[str]":
    """In how many documents of a BEIR folder each word is."""
    found: Counter[str] = Counter()
    for line in (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        found.update(set(WORD.findall(f"{row.get('title', '')} {row['text']}".lower())))
    return found


def stem(word: str) -> str:
    return stem_words([word])[0]


async def measure(folder: Path, store: Path, pairs: list[tuple[str, str]], others: "Counter[str]") -> str:
    """The shares of a folder, as a line."""
    known = {stem(word) for word in count_words(folder)}
    wanted = [
        pair for pair in pairs if stem(pair[1]) in known and stem(pair[0]) not in known and not is_common(pair[0])
    ]
    unseen = [word for word, count in others.items() if count >= LEAST and stem(word) not in known]
    unseen = sorted(word for word in unseen if not is_common(word))
    async with Engine(ragstone.load(store=f"embedded:{store}")) as engine:
        await engine.ingest_source(BeirSource(folder))
        async with engine.store.reader(engine.scope) as reader:
            view = SourceView(engine.search_context.sources[0], reader, await reader.info())

            async def ask(word: str) -> str | None:
                found = await find_corrections([view], Question(ASK.format(word)), Trace(), seconds=60)
                return found.get(word)

            made = [(await ask(wrong), right) for wrong, right in wanted[:ASKED]]
            right = sum(one is not None and stem(one) == stem(right) for one, right in made)
            wrong = sum(one is not None for one, _ in made) - right
            changed = sum([await ask(word) is not None for word in unseen])
    return (
        f"{folder.name}: of {len(made)} misspelt {right / len(made):.3f} right, {wrong / len(made):.3f} wrong; "
        f"of {len(unseen)} right words {changed / len(unseen):.3f} changed"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dictionary", type=Path)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--stores", type=Path, required=True)
    args = parser.parse_args()
    lines = (line.split("->") for line in args.dictionary.read_text(encoding="utf-8").splitlines())
    pairs = [(wrong, right) for wrong, right in lines if WORD.fullmatch(wrong) and right.isascii() and right.isalpha()]
    random.Random(5).shuffle(pairs)
    counted = {folder: count_words(folder) for folder in args.folders}
    for folder in args.folders:
        others: Counter[str] = Counter()
        for other, words in counted.items():
            if other != folder:
                others |= words
        print(asyncio.run(measure(folder, args.stores / folder.name, pairs, others)), flush=True)


if __name__ == "__main__":
    main()
