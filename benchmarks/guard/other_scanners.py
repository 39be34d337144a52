"""How many secrets are found among the test fixtures of scanners that no rule was made with, tool by tool.

    python benchmarks/guard/other_scanners.py FOLDER [--fit TOOL …] [--show 40]

FOLDER holds a file `TOOL.jsonl` for each scanner, one line a fixture: `{"text": "token: …", "secret": true}`. Take the
lines from the tool's own tests, with false ones where it has them; they stay outside, because their licences differ.
Tools named by `--fit` may be looked at (`--show` prints their mistakes), the others judge. A fixture is found when any
part of it is masked.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from ragstone.guard import find_secrets

Row = dict[str, object]


def main() -> None:
    """Print a line for each tool, and one for those that fit and those that judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--fit", nargs="*", default=[])
    parser.add_argument("--show", type=int, default=0)
    args = parser.parse_args()
    tools = {path.stem: read_rows(path) for path in sorted(args.folder.glob("*.jsonl"))}
    for name, rows in tools.items():
        print(f"{name}{' (fitted)' if name in args.fit else ''}: {describe_rates(rows)}")
        wrong = [row for row in rows if name in args.fit and is_found(row) != row["secret"]]
        for row in wrong[: args.show]:
            print(f"    {'missed' if row['secret'] else 'masked'}: {str(row['text'])[:160]!r}")
    for name, fitted in (("fitted", True), ("judging", False)):
        print(
            f"{name}: {describe_rates([row for tool in tools if (tool in args.fit) == fitted for row in tools[tool]])}"
        )


def read_rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


def is_found(row: Row) -> bool:
    return bool(find_secrets(str(row["text"])))


def describe_rates(rows: Sequence[Row]) -> str:
    """The share found of the secrets, and of what is none."""
    parts = []
    for name, secret in (("found", True), ("false alarms", False)):
        own = [row for row in rows if row["secret"] == secret]
        if own:
            parts.append(f"{name} {sum(map(is_found, own)) / len(own):.3f} of {len(own)}")
    return ", ".join(parts) or "nothing"


if __name__ == "__main__":
    main()
