"""How many secrets are found among published fixtures, and how many look-alikes are masked.

    python benchmarks/guard/secrets.py DATA [--show]

DATA holds `safety/secrets/gitleaks_literals.jsonl.gz` (string literals of gitleaks' own tests, MIT). Halves are by
rule, so that no rule's fixtures are in both; `--show` prints the mistakes of the fitted half. A fixture is found when
any part of it is masked.
"""

import argparse
import gzip
import json
from pathlib import Path

from texts import in_fit

from ragstone.guard import find_secrets


def main() -> None:
    """Print a line for each half and label."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--show", action="store_true")
    args = parser.parse_args()
    with gzip.open(args.data / "safety/secrets/gitleaks_literals.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    for half in (True, False):
        for label, name in ((1, "found"), (0, "false alarms")):
            these = [row for row in rows if in_fit(row["rule"]) == half and row["label"] == label]
            masked = [bool(find_secrets(row["text"])) for row in these]
            print(f"{'fitted' if half else 'other'} half, {name}: {sum(masked) / len(these):.3f} of {len(these)}")
            for row, hit in zip(these, masked, strict=True):
                if args.show and half and hit != bool(label):
                    print(f"    {row['rule']}: {row['text'][:200]!r}")


if __name__ == "__main__":
    main()
