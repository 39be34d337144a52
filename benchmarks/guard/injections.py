"""How often the guard flags attacks, how often it cries wolf on what is clean, and what a chunk costs.

    python benchmarks/guard/injections.py DATA [--more FOLDER] [--whole] [--show 5]

DATA, the sets and their halves: `texts.py`. `fitted` is the half that rules and weights were made with in sight,
`other` the one that counts; of deepset, `own` are the prompts of the other half that repeat none of the first.
`--more` adds what `collect.py` wrote.
`--whole` reads every file of the trees (a minute), else 400 of each; `--show` prints so many mistakes of the fitted
half of each set.
"""

import argparse
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from texts import Text, every

from ragstone.guard import assess_injection


def main() -> None:
    """Print one line a set and kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--more", type=Path)
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--show", type=int, default=0)
    args = parser.parse_args()
    texts = list(every(args.data, more=args.more, whole=args.whole))
    start = time.process_time()
    found = [assess_injection(text.text)[0] for text in texts]
    seconds = time.process_time() - start
    groups: dict[tuple[str, str], list[int]] = {}
    for n, text in enumerate(texts):
        for kind in dict.fromkeys(("", text.kind)):
            groups.setdefault((text.set + (", attacks" if text.attack else ""), kind), []).append(n)
    for (name, kind), these in groups.items():
        print(f"{'  ' + kind if kind else name}: {'   '.join(_rates(texts, found, these))}")
        if not kind:
            print(f"  flags {dict(sorted(Counter(flag for n in these for flag in found[n]).items()))}")
            for line in _mistakes(texts, found, these, args.show):
                print(line)
    size = sum(len(text.text) for text in texts)
    print(f"{seconds / len(texts) * 1e6:.0f} µs a text of {size / len(texts):.0f} characters, on one core")


def _rates(texts: Sequence[Text], found: Sequence[tuple[str, ...]], these: Sequence[int]) -> Iterator[str]:
    for name, half in (("fitted", True), ("other", False)):
        own = [n for n in these if texts[n].fit == half]
        if own:
            yield f"{name} {sum(bool(found[n]) for n in own) / len(own):.4f} of {len(own)}"


def _mistakes(texts: Sequence[Text], found: Sequence[tuple[str, ...]], these: Sequence[int], most: int) -> list[str]:
    wrong = [n for n in these if texts[n].fit and bool(found[n]) != bool(texts[n].attack)]
    chosen = random.Random(1).sample(wrong, min(most, len(wrong)))
    return [f"      {found[n]} {texts[n].attack or texts[n].text[-300:]!r}" for n in chosen]


if __name__ == "__main__":
    main()
