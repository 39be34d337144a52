"""How many secrets are found among the examples that a scanner publishes with its rules.

    pip download --no-deps -d DIR kingfisher-bin==1.112.0 && unzip DIR/kingfisher_bin-*.whl -d DIR
    chmod +x DIR/kingfisher/bin/kingfisher
    DIR/kingfisher/bin/kingfisher rules list --format json --no-update-check > RULES
    python benchmarks/guard/published_secrets.py RULES [--show 40]

Halves are by vendor; `--show` prints misses of the fitted half. Rules that describe no secret (an address, the name of
an account) are left out by their names. `made up` are examples that count up or repeat ("abcdef", "12345", "xxxx"): the
guard takes them for placeholders. An example is found when any part of it is masked.
"""

import argparse
import json
import random
import re
from pathlib import Path

from texts import in_fit

from ragstone.guard import find_secrets

NO_SECRET = re.compile(
    r"(?i)\b(?:ids?|ur[li]|host|hostname|domain|endpoint|account|region|user ?name|email|address|server|subdomain"
    r"|organization|tenant|project|application|version|identifier|path|publishable|public|bucket|port|realm|slug|name"
    r"|number|sid|prefix)\b"
)
SECRET = re.compile(r"(?i)secret|token|password|private key|api key|connection string")
MADE_UP = re.compile(r"(?i)abcdef|bcdefg|ghijk|opqrst|12345|a1b2c3|x{4}|your|example(?!\.)|0{6}|whiteduke")


def main() -> None:
    """Print a line for each half, with and without what is made up."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rules", type=Path)
    parser.add_argument("--show", type=int, default=0)
    args = parser.parse_args()
    rules = [rule for rule in json.loads(args.rules.read_text("utf-8")) if rule["visible"] and is_secret(rule["name"])]
    rows = [(rule["id"], text) for rule in rules for text in rule["examples"]]
    found = {row: bool(find_secrets(row[1])) for row in rows}
    for half in (True, False):
        for name, wanted in (("all", True), ("not made up", False)):
            own = [
                row for row in rows if in_fit(row[0].split(".")[1]) == half and (wanted or not MADE_UP.search(row[1]))
            ]
            rate = sum(found[row] for row in own) / len(own)
            print(f"{'fitted' if half else 'other'} half, {name}: {rate:.3f} of {len(own)}")
            missed = [row for row in own if half and not wanted and not found[row]]
            for rule, text in random.Random(1).sample(missed, min(args.show, len(missed))):
                print(f"    {rule}: {text[:160]!r}")


def is_secret(name: str) -> bool:
    return NO_SECRET.search(name) is None or SECRET.search(name) is not None


if __name__ == "__main__":
    main()
