"""What the semantic cache would serve: pairs of questions that ask the same, and pairs that do not.

    python benchmarks/answers/cache.py DATA

DATA holds `qa/squad_near` and `qa/clapnq`. A pair is a hit where the cosine reaches the threshold and nothing parts the
questions (`ragstone.retrieval.question_identity`). Pairs by hand: `cache_pairs/first.tsv`, which the rules were
written with, `second.tsv`, written when they stood, and `third.tsv`, written after they had learnt from the second.
Pairs by script, from questions that others asked: each put in another way (`reframed`, which knows what the rules
know), and each with a number, a name, a negation or an opposite changed (`corrupt.py`, whose lists were written apart
from the rules), as written and in small letters; and different questions about one paragraph, most of which have
different answers.
"""

import argparse
import asyncio
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from pathlib import Path

import corrupt

from ragstone import providers
from ragstone.retrieval.question_identity import explain_difference

Pair = tuple[str, str, str]  # what it is, and two questions
PAIRS = Path(__file__).with_name("cache_pairs")
CHANGES: dict[str, Callable[[str, random.Random], str | None]] = {
    "number": corrupt.number,
    "year": corrupt.year,
    "date": corrupt.date,
    "spelled": corrupt.spelled,
    "unit": corrupt.unit,
    "negated": corrupt.negated,
    "opposite": corrupt.opposite,
    "quantifier": corrupt.quantifier,
    "swapped names": corrupt.swapped_names,
    "swapped numbers": corrupt.swapped_numbers,
    "synonym (asks the same)": corrupt.synonyms,
}


def by_hand(name: str) -> list[Pair]:
    """The pairs of one file."""
    rows = (line.split("\t") for line in (PAIRS / name).read_text("utf-8").splitlines())
    return [(kind, one, other) for kind, one, other in rows]


def questions(file: Path) -> list[tuple[str, str, frozenset[str]]]:
    """The questions of a BEIR folder, each with its paragraph and its answers, where it has some."""
    out = []
    for line in file.read_text("utf-8").splitlines():
        row = json.loads(line)
        about = row["metadata"]
        answers = frozenset(text.lower() for text in about.get("answers", ()))
        out.append((row["text"].strip(), str(about.get("source_paragraph", row["_id"])), answers))
    return out


def by_script(texts: Sequence[str], *, seed: int = 0) -> Iterator[Pair]:
    """Each question beside itself with one thing changed, as written and in small letters."""
    names = sorted({name for text in texts for name in corrupt.names_in(text)})
    for number, text in enumerate(texts):
        for kind, change in CHANGES.items():
            made = change(text, random.Random(f"{seed} {kind} {number}"))
            yield from _both(kind, text, made)
        yield from _both("same, reframed", text, reframed(text))
        yield from _both("renamed", text, corrupt.renamed(text, names, random.Random(f"{seed} name {number}")))


def reframed(text: str) -> str | None:
    """The question in another frame: asked for politely, `which` for `what`, its beginning at its end."""
    if found := re.fullmatch(r"(In|On|During|For|At) ([^,?]+), (\w.*?)\??", text):
        return f"{found[3][0].upper()}{found[3][1:]} {found[1].lower()} {found[2]}?"
    if found := re.fullmatch(r"(How) (?:do|can) (I|you|we) (.*)", text):
        return f"{found[1]} to {found[3]}"
    if found := re.fullmatch(r"(Which|What) ((?!is|are|was|were|do|does|did|can|has|have)\w+ .*)", text):
        return f"{'What' if found[1] == 'Which' else 'Which'} {found[2]}"
    if found := re.fullmatch(r"(What|Who|Where) is (.*)", text):
        return f"{found[1]}'s {found[2]}"
    return f"Please tell me {text[0].lower()}{text[1:]}" if text.startswith(("W", "H", "w", "h")) else None


def _both(kind: str, text: str, made: str | None) -> Iterator[Pair]:
    if made is not None and made.lower() != text.lower():
        yield kind, text, made
        yield f"{kind}, small letters", text.lower(), made.lower()


def beside(asked: Sequence[tuple[str, str, frozenset[str]]]) -> Iterator[Pair]:
    """Different questions about one paragraph, told apart by their answers where both have some."""
    of: dict[str, list[tuple[str, frozenset[str]]]] = defaultdict(list)
    for text, paragraph, answers in asked:
        of[paragraph].append((text, answers))
    for group in of.values():
        for (one, first), (other, second) in combinations(group, 2):
            if one.lower() != other.lower():
                yield ("one paragraph, same answer" if first & second else "one paragraph, another answer"), one, other


async def measured(pairs: Sequence[Pair], threshold: float, show: int) -> None:
    """Print, for each kind, how many pairs there are, how many are in the band, how many would be served."""
    embedder = providers.make_embedder("minilm", precision="fp32")
    texts = sorted({text for _, one, other in pairs for text in (one, other)})
    rows = {}
    for start in range(0, len(texts), 64):
        part = texts[start : start + 64]
        rows |= dict(zip(part, await embedder.embed(part, kind="query"), strict=True))
    await embedder.close()
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    shown: Counter[str] = Counter()
    for kind, one, other in pairs:
        near = float(rows[one] @ rows[other]) >= threshold
        hit = near and explain_difference(one, other) is None
        counts[kind].update(pairs=1, near=near, hits=hit)
        wrong = near and not hit if _same(kind) else hit
        if wrong and shown[kind] < show:
            shown[kind] += 1
            print(f"    {kind}: {one} | {other}")
    for kind, count in counts.items():
        share = count["hits"] / count["pairs"]
        print(f"{kind:36} {count['pairs']:6} pairs  {count['near']:6} in the band  {count['hits']:4} hits  {share:.3f}")
    false = sum(count["hits"] for kind, count in counts.items() if not _same(kind))
    print(f"false hits: {false} of {sum(count['pairs'] for kind, count in counts.items() if not _same(kind))}\n")


def _same(kind: str) -> bool:
    return kind.startswith(("same", "synonym")) or kind == "one paragraph, same answer"


def main() -> None:
    """Print the four sets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--threshold", type=float, default=0.9)
    parser.add_argument("--show", type=int, default=0, help="show so many mistakes of each kind")
    args = parser.parse_args()
    asked = questions(args.data / "qa/squad_near/queries.jsonl")
    others = questions(args.data / "qa/clapnq/queries.jsonl")
    sets: dict[str, list[Pair]] = {
        "by hand, with which the rules were written": by_hand("first.tsv"),
        "by hand, written when the rules stood": by_hand("second.tsv"),
        "by hand, written after the rules had learnt from the second": by_hand("third.tsv"),
        "by script": list(by_script([text for text, *_ in [*asked, *others]])),
        "of one paragraph": list(beside(asked)),
    }
    for name, pairs in sets.items():
        print(f"== {name}")
        asyncio.run(measured(pairs, args.threshold, args.show))


if __name__ == "__main__":
    main()
