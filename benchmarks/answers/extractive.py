"""How often the first quoted sentence holds the answer, when the right paragraph is the only hit.

    python benchmarks/answers/extractive.py DATA/qa/squad_near [--half 0|1]

SQuAD 2.0 dev, answerable questions; IDF over all paragraphs; no retrieval. No
embeddings.
"""

import argparse
import json
import math
from collections import Counter
from pathlib import Path

from ragstone.answer.extractive import choose, rank
from ragstone.answer.question import asked
from ragstone.types import Chunk, Document, Hit, Span
from ragstone.words import terms


def main() -> None:
    """Print shares over the questions asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--half", type=int, choices=(0, 1))
    parser.add_argument("--show", type=int, default=0)
    args = parser.parse_args()
    texts = {
        row["_id"]: row
        for row in map(json.loads, (args.data / "corpus.jsonl").read_text(encoding="utf-8").splitlines())
    }
    df = Counter(term for row in texts.values() for term in set(terms(row["text"])))
    questions = list(map(json.loads, (args.data / "queries.jsonl").read_text(encoding="utf-8").splitlines()))
    questions = [q for q in questions if q["metadata"]["answerable"]]
    if args.half is not None:
        questions = questions[args.half :: 2]
    first = best = any_ = length = 0
    kinds: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for question in questions:
        text = question["text"]
        idf = {t: math.log(1 + (len(texts) - df[t] + 0.5) / (df[t] + 0.5)) for t in terms(text)}
        subject = asked(text, idf)
        hit = Hit(chunk_of(texts[question["metadata"]["source_paragraph"]]), 1.0)
        scored = rank(subject, [hit])
        chosen = choose(subject, scored, [hit])
        answers = question["metadata"]["answers"]
        holds = [any(answer in one.passage.text for answer in answers) for one in chosen]
        top = bool(scored) and any(answer in scored[0].passage.text for answer in answers)
        kinds[subject.kind] += 1
        right[subject.kind] += top
        best += top
        first += bool(holds) and holds[0]
        any_ += any(holds)
        length += sum(len(one.passage.text) for one in chosen)
        if not top and args.show:
            args.show -= 1
            print(f"- {text} {answers[:2]}\n    {[s.passage.text for s in scored[:2]]}")
    n = len(questions)
    print(
        f"{n} questions: best sentence {best / n:.3f} · first quoted {first / n:.3f} · any quoted {any_ / n:.3f}"
        f" · {length / n:.0f} characters"
    )
    print({kind: f"{right[kind]}/{count}" for kind, count in sorted(kinds.items())})


def chunk_of(row: dict[str, str]) -> Chunk:
    """A paragraph as one chunk."""
    document = Document(row["_id"], "squad", row["_id"], 1, "0", "r", title=row["title"])
    text = row["text"]
    return Chunk(
        row["_id"], document, 0, text, (Span(0, len(text), 1, 1 + text.count("\n")),), heading_path=(row["title"],)
    )


if __name__ == "__main__":
    main()
