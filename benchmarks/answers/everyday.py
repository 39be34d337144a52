"""The signs of `ask` without a language model for all questions in everyday words that may be looked at, as JSON lines.

    python benchmarks/answers/everyday.py DATA WORK [--code FOLDER] [--tools FOLDER] [--questions FILE …]

Asks `everyday.jsonl`, `first_hour.jsonl` and `second_hour.jsonl` (`first_hour.py` says what DATA and the folders of
code hold), never abstaining, by the built-in model in whole numbers. WORK keeps the stores. Writes WORK/rows.jsonl, a
line a question: its set and folder, whether it can be answered, whether the answer is useful (as `first_hour.py`
counts), and the evidence.
"""

import argparse
import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from first_hour import SHOWN, collect_folder, holds

import ragstone
from ragstone.answering.passage_choice import AnswerInput, choose_passages
from ragstone.core.trace import Trace
from ragstone.retrieval.query_vectors import embed_question

SETS = ("everyday.jsonl", "first_hour.jsonl", "second_hour.jsonl")


def main() -> None:
    """Write the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--code", type=Path, help="folder of the code of first_hour.jsonl")
    parser.add_argument("--tools", type=Path, help="folder of the code of second_hour.jsonl")
    parser.add_argument("--questions", nargs="*", default=SETS)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    asyncio.run(_gather(args))


async def _gather(args: argparse.Namespace) -> None:
    with (args.work / "rows.jsonl").open("w", encoding="utf-8") as out:
        for name in args.questions:
            lines = (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines()
            questions = [json.loads(line) for line in lines]
            for folder in dict.fromkeys(one["folder"] for one in questions):
                code = args.tools if folder == "tools" else args.code
                files = collect_folder(args.data, folder, args.work / "folders", code)
                if files is None:
                    continue
                own = [one for one in questions if one["folder"] == folder]
                async for row in _ask(args.work / f"store_{folder}", files, own):
                    out.write(json.dumps({"set": Path(name).stem, "folder": folder, **row}) + "\n")
                print(name, folder, flush=True)


async def _ask(store: Path, files: Path, questions: Sequence[dict[str, Any]]) -> AsyncIterator[dict[str, Any]]:
    there = store.exists()  # noqa: ASYNC240  # once, before anything runs
    settings = ragstone.load(store=str(store), answer__abstain="never", embed__precision="int8")
    async with ragstone.Engine(settings) as kb:
        if not there:
            await kb.ingest(files)
        embedder = kb.search_context.sources[0].embedder
        async with kb.store.reader(kb.scope) as reader:
            for one in questions:
                question = kb.question(one["question"])
                vector = (await embed_question(kb.search_context, question, Trace())).first
                hits = (await kb.search(one["question"])).hits
                made = await choose_passages(AnswerInput(question, hits, reader, Trace(), embedder, vector))
                answer = await kb.ask(one["question"])
                yield {
                    "question": one["question"],
                    "answerable": bool(one["document"]),
                    "answered": not answer.abstained,
                    "useful": bool(one["document"]) and holds(answer.text[:SHOWN], one["expected"]),
                    "tokens": asdict(made.evidence),
                }


if __name__ == "__main__":
    main()
