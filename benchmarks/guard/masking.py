"""What it costs to look for secrets in a chunk of documentation.

    python benchmarks/guard/masking.py DATA [--chunks 1000] [--profile 12]

Chunks as an ingestion with default settings cuts them, drawn from the trees in DATA/kb; the least of five rounds on
one core. `--profile` lists the functions that take most of it.
"""

import argparse
import cProfile
import pstats
import random
import time
from pathlib import Path

from texts import parts

from ragstone.guard import find_secrets, mask_patterns

ROUNDS = 5


def main() -> None:
    """Print the time a chunk, and how many secrets were found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--chunks", type=int, default=1000)
    parser.add_argument("--profile", type=int, default=0)
    args = parser.parse_args()
    texts = random.Random(2).sample([text for _, text in parts(args.data / "kb", whole=False)], args.chunks)
    least = min(_time_round(texts) for _ in range(ROUNDS))
    size = sum(map(len, texts)) / len(texts)
    found = sum(len(find_secrets(text)) for text in texts)
    print(f"{least / len(texts) * 1e6:.0f} µs a chunk of {size:.0f} characters, {found} secrets")
    if args.profile:
        with cProfile.Profile() as profile:
            _time_round(texts)
        pstats.Stats(profile).sort_stats("tottime").print_stats(args.profile)


def _time_round(texts: list[str]) -> float:
    start = time.process_time()
    for text in texts:
        mask_patterns(text)
    return time.process_time() - start


if __name__ == "__main__":
    main()
