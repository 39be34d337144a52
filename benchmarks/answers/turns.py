"""Follow-up questions without a language model: does the answer fit the last turn and keep the topic?

    python benchmarks/answers/turns.py DATA [--code FOLDER] [--questions second_hour.jsonl]

Two questions about one document are asked as two turns. The words that the second shares with the first are `it` in the
second, as people say it: "How many days of leave are there?", then "How many it may be carried over?". Seconds without
such words are left out. Folders and counts are those of `first_hour.py`.
"""

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from first_hour import SHOWN, collect_folder, holds

import ragstone
from ragstone.answering.extractive.question_analysis import SHAPE_TERMS
from ragstone.core.analyzer import extract_terms

Asked = Mapping[str, str]


def main() -> None:
    """Print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--code", type=Path, help="folder with the sources of code")
    parser.add_argument("--questions", type=Path, default=Path("everyday.jsonl"), help="file of questions")
    args = parser.parse_args()
    lines = (Path(__file__).parent / args.questions).read_text(encoding="utf-8").splitlines()
    questions = [one for one in map(json.loads, lines) if one["document"]]
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as work:
        for name in dict.fromkeys(one["folder"] for one in questions):
            folder = collect_folder(args.data, name, Path(work), args.code)
            if folder is None:
                continue
            with ragstone.open(Path(work) / f"{name}.store") as kb:
                kb.ingest(folder)
                for first, second, expected in _pair_turns([one for one in questions if one["folder"] == name]):
                    answer = kb.ask(second, history=[{"role": "user", "content": first}])
                    useful = holds(answer.text[:SHOWN], expected)
                    counts["declined" if answer.abstained else "useful" if useful else "wrong"] += 1
    print(json.dumps(counts))


def _pair_turns(questions: Sequence[Asked]) -> Iterator[tuple[str, str, Sequence[str]]]:
    """Two questions about one document, the second as a follow-up, and the words expected of its answer."""
    before: dict[str, str] = {}
    for one in questions:
        first, before[one["document"]] = before.get(one["document"]), one["question"]
        if first is not None and (second := _lean_on(first, one["question"])) is not None:
            yield first, second, one["expected"]


def _lean_on(first: str, second: str) -> str | None:
    said = frozenset(extract_terms(first)) - SHAPE_TERMS
    words = [("it" if said.intersection(extract_terms(word)) else word) for word in second.rstrip("?").split()]
    words = [word for word, previous in zip(words, ["", *words], strict=False) if (word, previous) != ("it", "it")]
    own = frozenset(extract_terms(" ".join(words))) - SHAPE_TERMS
    return " ".join(words) + "?" if "it" in words and own else None


if __name__ == "__main__":
    main()
