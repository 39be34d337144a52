"""Plain questions over the tables of quarterly reports, answered without a language model: right, declined or wrong.

    python benchmarks/answers/tables.py DATA [--held-out] [--show]

DATA holds `qa/docugami_sec10q`. Each line of `tables_fit.jsonl` (three companies) and `tables_held_out.jsonl` (two
others: no rule was made for their filings) is a question with the values that a table of the filing gives for it; a
question without values has no answer there. An answer is right when its first quoted passage holds all values, and
`among` when a later one does; a question without values is right when it is declined.
"""

import argparse
import json
import re
import tempfile
from collections import Counter
from pathlib import Path

import ragstone
from ragstone.core.answers import Answer

HERE = Path(__file__).parent
FILINGS = {
    "fit": ("2023 Q2 AAPL", "2022 Q3 MSFT", "2023 Q2 NVDA"),
    "held_out": ("2023 Q1 AMZN", "2023 Q1 INTC"),
}
NUMBER = re.compile(r"\d[\d,.]*\d|\d")


def main() -> None:
    """Print the counts, and with `--show` each question with what was answered."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--store", help="a store that holds the filings already")
    args = parser.parse_args()
    part = "held_out" if args.held_out else "fit"
    with tempfile.TemporaryDirectory() as place, ragstone.open(args.store or place) as kb:
        if not args.store:
            for name in FILINGS[part]:
                kb.ingest(args.data / "qa/docugami_sec10q/data/v1/docs" / f"{name}.pdf")
        count: Counter[str] = Counter()
        quoted = 0
        for line in (HERE / f"tables_{part}.jsonl").read_text("utf-8").splitlines():
            row = json.loads(line)
            answer = kb.ask(row["question"])
            verdict = judge(answer, row["values"])
            count[verdict] += 1
            quoted += len(answer.sentences)
            if args.show:
                print(f"{verdict:9} {row['question']} {row['values']}\n    " + answer.text.replace("\n", "\n    "))
    print(f"{part}: {sum(count.values())} questions, {dict(sorted(count.items()))}, {quoted} passages quoted")


def judge(answer: Answer, values: list[str]) -> str:
    """right, among, declined or wrong."""
    if answer.abstained or not answer.sentences:
        return "declined" if values else "right"
    held = [set(values) <= set(NUMBER.findall(sentence.text)) for sentence in answer.sentences]
    return "right" if values and held[0] else "among" if values and any(held) else "wrong"


if __name__ == "__main__":
    main()
