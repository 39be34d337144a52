"""How often a sentence that its chunks do not support is caught, how often one that they support is doubted, and the
cost.

    python benchmarks/answers/support.py DATA [--vectors] [--most N] [--held-out] [--show KIND]

DATA holds `qa/` (squad_near, clapnq, chunking_evaluation) and `kb/` (prometheus_docs, rust_book). The sentences are the
passages' own, lightly paraphrased or corrupted by script (`corrupt.py`), each beside 12 chunks of context; "written by
people" are the sentences of CLAP NQ's answers. Caught: unverified. For a marker that points to the wrong chunk while
the right
one is in the context, the right verdict is `repaired`, to the right chunk; these count neither as caught nor as false
alarms.
Half of the articles were never looked at while rules and numbers were made: they decide.
"""

import argparse
import asyncio
import os
import random
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from corrupt import Case, articles, cases, written
from fit_support import cosines

from ragstone.answering.verification.support import GroundingContext, SupportFinding
from ragstone.core.comparable_words import parse_words
from ragstone.core.contrary_words import is_opposite
from ragstone.core.ports import Embedder
from ragstone.providers import make_embedder

PEOPLE = "written by people"


def main() -> None:
    """Print a line for each kind of the training articles, then of the held-out ones."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--most", type=int, default=400, help="cases of a kind")
    parser.add_argument(
        "--vectors", action="store_true", help="let the built-in model's cosines decide where words do not"
    )
    parser.add_argument("--held-out", action="store_true", help="leave the training articles out")
    parser.add_argument("--show", help="show ten mistakes of a kind")
    args = parser.parse_args()
    found = [*cases(articles(args.data), most=30), *written(args.data)]
    random.Random(0).shuffle(found)
    embedder = make_embedder("minilm") if args.vectors else None
    for held_out in (True,) if args.held_out else (False, True):
        taken: dict[str, list[Case]] = defaultdict(list)
        for case in found:
            kind = _kind(case)
            if case.held_out == held_out and len(taken[kind]) < args.most:
                taken[kind].append(case)
        print(f"\n{'HELD OUT' if held_out else 'training'} articles{', with cosines' if embedder else ''}")
        asyncio.run(_report(taken, embedder, args.show if held_out else None))
    _cost([case for case in found if case.held_out])


def _kind(case: Case) -> str:
    """Opposites that the checker's own lists hold apart from others."""
    if case.kind != "opposite":
        return case.kind
    said = parse_words(case.sentence)
    stand = [word for chunk in (case.context[n] for n in case.cited) for word in parse_words(chunk.text)]
    keys = {word.key for word in stand}
    listed = any(is_opposite(one, other) for one in said if one.key not in keys for other in stand)
    return "opposite, listed" if listed else "opposite, not listed"


async def _report(taken: dict[str, list[Case]], embedder: Embedder | None, show: str | None) -> None:
    caught: list[float] = []
    alarms: list[float] = []
    total = Counter[str]()
    for kind in sorted(taken, key=lambda kind: (taken[kind][0].right, kind)):
        right = taken[kind][0].right
        findings = [await _checked(case, embedder) for case in taken[kind]]
        n = len(findings)
        doubted = sum(finding.status == "unverified" for finding in findings)
        mended = sum(_mended(case, finding) for case, finding in zip(taken[kind], findings, strict=True))
        why = Counter(finding.why for finding in findings).most_common(4)
        print(
            f"{right:12}{kind:30}{n:5} unverified {doubted / n:.3f} "
            f"repaired to the right chunk {mended / n:.3f} {dict(why)}"
        )
        total[f"{right} n"] += n
        total[right] += doubted
        if right == "unsupported":
            caught.append(doubted / n)
        elif right == "supported" and kind != PEOPLE:
            alarms.append(doubted / n)
        if show == kind:
            _show(taken[kind], findings)
    people = total["supported"]
    print(
        f"caught {total['unsupported'] / total['unsupported n']:.3f} of {total['unsupported n']} (mean of kinds "
        f"{sum(caught) / len(caught):.3f}) · doubted {people / total['supported n']:.3f} of {total['supported n']} "
        f"supported ones (mean of kinds {sum(alarms) / len(alarms):.3f})"
    )


async def _checked(case: Case, embedder: Embedder | None) -> SupportFinding:
    grounds = GroundingContext(case.context)
    finding = grounds.check(case.sentence, case.cited)
    if embedder is None or not finding.pairs:
        return finding
    return grounds.check(case.sentence, case.cited, similar=await cosines(embedder, finding.pairs))


def _mended(case: Case, finding: SupportFinding) -> bool:
    """Whether a false marker was moved to a chunk that was not cited."""
    wrong = {case.context[n].id for n in case.cited}
    return finding.status == "repaired" and any(quote.chunk.id not in wrong for quote in finding.quotes)


def _show(taken: Sequence[Case], findings: Sequence[SupportFinding]) -> None:
    shown = 0
    for case, finding in zip(taken, findings, strict=True):
        if (finding.status == "unverified") != (case.right == "unsupported") and shown < 10:
            shown += 1
            print(f"    {finding.why} {[(a.code, a.said, a.stands) for a in finding.about]}")
            print(f"      {case.sentence}\n      {[quote.text for quote in finding.quotes][:2]}")


def _cost(found: Sequence[Case]) -> None:
    """Processor time of a sentence where an answer has five, its 12 chunks read once."""
    answers: dict[tuple[str, ...], list[Case]] = defaultdict(list)
    for case in found:
        if case.kind != "verbatim":
            answers[tuple(chunk.id for chunk in case.context)].append(case)
    some = [group[:5] for group in answers.values() if len(group) >= 5][:200]
    start = time.process_time()
    for group in some:
        grounds = GroundingContext(group[0].context)
        for case in group:
            grounds.check(case.sentence, case.cited)
    each = 1000 * (time.process_time() - start) / (5 * len(some))
    length = sum(len(chunk.text) for group in some for chunk in group[0].context) / len(some)
    print(
        f"\n{each:.2f} ms of processor time a sentence, 12 chunks of {length / 12:.0f} characters read for five; "
        f"load {os.getloadavg()[0]:.1f}"
    )


if __name__ == "__main__":
    main()
