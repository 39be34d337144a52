"""How long an extraction takes to be masked, beside how long it takes to be read.

    python benchmarks/guard/extraction.py DATA [--messages 10000]

An export of a chat in JSON, whose messages are paragraphs of the trees in DATA/kb: one document of many short blocks.
`ragstone extract` and `convert` read and mask once each; the least of three rounds on one core.
"""

import argparse
import json
import random
import time
from collections.abc import Callable
from pathlib import Path

from texts import parts

from ragstone.extraction import extract
from ragstone.ingestion.artifacts import mask_extraction

ROUNDS = 3
SHORTEST, LONGEST = 20, 600  # characters of a message


def main() -> None:
    """Print both times and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--messages", type=int, default=10_000)
    args = parser.parse_args()
    content = write_export(args.data / "kb", args.messages)
    read = time_least(lambda: extract(content, path="result.json"))
    extraction = extract(content, path="result.json")
    masked = time_least(lambda: mask_extraction(extraction))
    print(f"{len(content) / 1e6:.1f} MB: read {read:.2f} s, masked {masked:.2f} s, {masked / read:.2f} times as long")


def write_export(folder: Path, count: int) -> bytes:
    """As Telegram writes it."""
    chance = random.Random(1)
    paragraphs = [text for _, text in parts(folder, whole=False) if SHORTEST < len(text) < LONGEST]
    messages = [
        {
            "id": i,
            "type": "message",
            "date": f"2024-05-{i % 28 + 1:02}T10:{i % 60:02}:00",
            "from": chance.choice(("Ann", "Bob", "Cyd")),
            "from_id": f"user{chance.randrange(10**9)}",
            "text": chance.choice(paragraphs),
        }
        for i in range(count)
    ]
    return json.dumps({"name": "Zoo", "type": "private_group", "id": 1, "messages": messages}, indent=1).encode()


def time_least(work: Callable[[], object]) -> float:
    """The least time of the processor of some rounds."""
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


if __name__ == "__main__":
    main()
