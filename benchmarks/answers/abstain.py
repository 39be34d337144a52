"""Answered or abstained, with BM25 alone, on CLAP NQ and on near misses of SQuAD 2.0.

    python benchmarks/answers/abstain.py DATA/qa

For each question: BM25 (k1 1.2, b 0.75) over all passages, the best ten, the extractive answer, then
the default policy without a cosine. Precision and recall are those of abstaining on questions that
have no answer. Each set is cut in halves by question number, to show how far the figures
move; the policy was chosen with both in sight, so that neither is held out.
"""

import argparse
import json
import math
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from ragstone.answer.abstain import Evidence, Policy, decide, evidence
from ragstone.answer.extractive import choose, rank
from ragstone.answer.question import asked
from ragstone.types import Chunk, Document, Hit, Span
from ragstone.words import terms

K1, B = 1.2, 0.75


class Index:
    """Paragraphs and their BM25 statistics."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.chunks = [_chunk(row) for row in rows]
        bags = [Counter(terms(f"{row['title']} {row['text']}")) for row in rows]
        self.lengths = [sum(bag.values()) for bag in bags]
        self.mean = sum(self.lengths) / len(self.lengths)
        self.postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for i, bag in enumerate(bags):
            for term, n in bag.items():
                self.postings[term].append((i, n))

    def idf(self, query: str) -> dict[str, float]:
        """After Lucene."""
        counts = {term: len(self.postings.get(term, ())) for term in terms(query)}
        return {t: math.log(1 + (len(self.chunks) - n + 0.5) / (n + 0.5)) for t, n in counts.items()}

    def search(self, query: str, limit: int = 10) -> list[Hit]:
        """The best hits with their BM25."""
        scores: dict[int, float] = defaultdict(float)
        for term, idf in self.idf(query).items():
            for i, n in self.postings.get(term, ()):
                scores[i] += idf * n / (n + K1 * (1 - B + B * self.lengths[i] / self.mean))
        best = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:limit]
        return [Hit(self.chunks[i], score, {"bm25": score}) for i, score in best]


def _chunk(row: dict[str, Any]) -> Chunk:
    document = Document(row["_id"], "qa", row["_id"], 1, "0", "r", title=row["title"])
    text = row["text"]
    return Chunk(row["_id"], document, 0, text, (Span(0, len(text), 1, 1 + text.count("\n")),), (row["title"],))


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def main() -> None:
    """Print one line a set and half."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    args = parser.parse_args()
    for name in ("clapnq", "squad_near"):
        index = Index(_rows(args.data / name / "corpus.jsonl"))
        seen = [_seen(index, row) for row in _rows(args.data / name / "queries.jsonl")]
        for half in (0, 1):
            _report(f"{name} half {half}", seen[half::2])


def _seen(index: Index, row: dict[str, Any]) -> tuple[bool, Evidence]:
    idf = index.idf(row["text"])
    question = asked(row["text"], idf)
    hits = index.search(row["text"])
    chosen = choose(question, rank(question, hits), hits)
    return row["metadata"]["answerable"], evidence(question, hits, chosen, idf=idf)


def _report(name: str, seen: list[tuple[bool, Evidence]]) -> None:
    decisions = [(answerable, decide(found, Policy())) for answerable, found in seen]
    right = sum(d.abstain for answerable, d in decisions if not answerable)
    abstained = sum(d.abstain for _, d in decisions)
    wanted = sum(not answerable for answerable, _ in decisions)
    answered = sum(not d.abstain for answerable, d in decisions if answerable)
    print(
        f"{name}: abstention precision {right / max(1, abstained):.3f} recall {right / wanted:.3f}"
        f" · answerable answered {answered / (len(seen) - wanted):.3f}"
    )
    for reason in sorted({d.reason for _, d in decisions if d.reason}):
        of = [answerable for answerable, d in decisions if d.reason == reason]
        print(f"    {reason}: {len(of) - sum(of)} right, {sum(of)} wrong")
    for sign in ("bm25", "best", "union", "heaviest_missing", "gap", "typed"):
        print(f"    AUROC {sign} {_auroc([(float(getattr(e, sign)), a) for a, e in seen]):.3f}", end="")
    print()


def _auroc(pairs: list[tuple[float, bool]]) -> float:
    """How often an answerable question has the larger value."""
    good = [v for v, a in pairs if a]
    bad = [v for v, a in pairs if not a]
    return sum((g > b) + (g == b) / 2 for g in good for b in bad) / (len(good) * len(bad))


if __name__ == "__main__":
    main()
