"""What a call that hands over documents costs in a store that grows: `python benchmarks/stores/calls.py`.

    python benchmarks/stores/calls.py [--store URL] [--batches 80] [--size 1000] [--single 20]
        [--embedder none|words|bundled]

Batches of texts one after the other, as `ragstone ingest -` sends them, then calls of one text each. Printed are
seconds of the first and the last ten batches, their ratio, and milliseconds of a call of one text, and of deleting it,
in a store of one batch and in the full one; each the median. `words` makes vectors that cost nothing. Without --store a
folder that is removed at the end.
"""

import argparse
import tempfile
import time
from statistics import median
from typing import Any

import ragstone
from ragstone.engine.blocking import Knowledge
from ragstone.testing.bag_of_words import BagOfWords

AT_AN_END = 10  # batches


def make_texts(batch: int, size: int) -> dict[str, str]:
    """Short Markdown documents, each different."""
    return {
        f"notes/{batch}/{n}.md": f"# Note {batch}-{n}\n\nWidget {n} of series {batch} weighs {n} kg, costs {n * batch}."
        for n in range(size)
    }


def time_call(kb: Knowledge, texts: dict[str, str]) -> float:
    """Seconds of one call."""
    begun = time.perf_counter()
    kb.ingest_texts(texts)
    return time.perf_counter() - begun


def time_single(kb: Knowledge, name: str, calls: int) -> float:
    """Milliseconds of a call of one text, the median."""
    return 1000 * median(time_call(kb, {f"single/{name}/{n}.md": f"Lamp {n} is lit."}) for n in range(calls))


def time_deletion(kb: Knowledge, name: str, calls: int) -> float:
    """Milliseconds of deleting one of these texts, the median."""
    seconds = []
    for n in range(calls):
        begun = time.perf_counter()
        kb.delete(f"single/{name}/{n}.md", source="texts")
        seconds.append(time.perf_counter() - begun)
    return 1000 * median(seconds)


def main() -> None:
    """Run it and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--store")
    parser.add_argument("--batches", type=int, default=80)
    parser.add_argument("--size", type=int, default=1000)
    parser.add_argument("--single", type=int, default=20)
    parser.add_argument("--embedder", default="none")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model: dict[str, Any] = {} if given.embedder == "bundled" else {"embed": {"model": given.embedder}}
        model = {"embedder": BagOfWords(64)} if given.embedder == "words" else model
        with ragstone.open(given.store or folder, **model) as kb:
            seconds = [time_call(kb, make_texts(0, given.size))]
            few, few_gone = time_single(kb, "few", given.single), time_deletion(kb, "few", given.single)
            seconds += [time_call(kb, make_texts(number, given.size)) for number in range(1, given.batches)]
            many, many_gone = time_single(kb, "many", given.single), time_deletion(kb, "many", given.single)
    first, last = median(seconds[1 : 1 + AT_AN_END]), median(seconds[-AT_AN_END:])
    print(f"{given.size * given.batches:,} documents in {sum(seconds):.0f} s")
    print(f"a batch of {given.size:,}: {first:.2f} s at first, {last:.2f} s at last, ratio {last / first:.2f}")
    print(f"one text: {few:.0f} ms beside one batch, {many:.0f} ms beside all, ratio {many / few:.2f}")
    print(f"its deletion: {few_gone:.0f} ms beside one batch, {many_gone:.0f} ms beside all")


if __name__ == "__main__":
    main()
