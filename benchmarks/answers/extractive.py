"""How often what an answer would quote holds the known answer, and what comparing by vectors costs and brings.

    python benchmarks/answers/extractive.py STORE demo/golden.jsonl [--sentences N ...] [--every N]
    python benchmarks/answers/extractive.py STORE DATA/qa/squad_near/queries.jsonl

STORE was filled by `ragstone ingest demo/docs`, or by `features.py` (WORK/store_squad_near). Abstention is left
out: what would be quoted is looked at for every answerable question. A golden question wants all of its
`answer_contains`, a BEIR question one of its `answers`.
"""

import argparse
import asyncio
import json
import statistics
import time
from pathlib import Path
from typing import Any

import ragstone
from ragstone.answering import passage_choice
from ragstone.answering.passage_choice import AnswerInput, choose_passages
from ragstone.core.trace import Trace
from ragstone.retrieval.query_vectors import embed_question


def main() -> None:
    """Print a line for each number of compared sentences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store")
    parser.add_argument("questions", type=Path)
    parser.add_argument("--sentences", type=int, nargs="*", default=[0, 4, passage_choice.SENTENCES, 16])
    parser.add_argument("--every", type=int, default=1, help="ask only every so many questions")
    args = parser.parse_args()
    rows = [_read(row) for row in map(json.loads, args.questions.read_text("utf-8").splitlines())]
    wanted = [(text, answers, every) for text, answers, every in rows if answers][:: args.every]
    for count in args.sentences:
        passage_choice.SENTENCES = count
        print(f"{count} sentences compared: {asyncio.run(_measured(args.store, wanted))}", flush=True)


def _read(row: dict[str, Any]) -> tuple[str, list[str], bool]:
    """The question, its answers, whether all of them are wanted."""
    if "question" in row:
        return row["question"], row.get("answer_contains", []), True
    about = row["metadata"]
    return row["text"], about["answers"] if about["answerable"] else [], False


async def _measured(store: str, wanted: list[tuple[str, list[str], bool]]) -> str:
    first = some = quoted = length = 0
    seconds = []
    async with ragstone.Engine(ragstone.load(store=store)) as kb, kb.store.reader(kb.scope) as reader:
        for text, answers, every in wanted:
            question = kb.question(text)
            context = kb.search_context
            vector = (await embed_question(context, question, Trace())).first
            hits = (await kb.search(text)).hits
            start = time.perf_counter()
            embedder = context.sources[0].embedder
            made = await choose_passages(AnswerInput(question, hits, reader, Trace(), embedder, vector))
            chosen = made.passages
            seconds.append(time.perf_counter() - start)
            texts = [" ".join(one.passage.text.split()) for one in chosen]
            held = [" ".join(answer.split()) in " ".join(texts) for answer in answers]
            some += all(held) if every else any(held)
            first += bool(texts) and any(" ".join(answer.split()) in texts[0] for answer in answers)
            quoted += len(texts)
            length += sum(map(len, texts))
    n = len(wanted)
    return (
        f"{n} questions · quoted text holds the answer {some / n:.3f} · the first passage alone {first / n:.3f}"
        f" · {quoted / n:.2f} passages, {length / n:.0f} characters · median {1000 * statistics.median(seconds):.0f} ms"
    )


if __name__ == "__main__":
    main()
