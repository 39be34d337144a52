"""What an answer costs beside its language model: a warm process, milliseconds by stage.

    python benchmarks/answers/overhead.py STORE [--collection NAME] [--questions N]

STORE was filled by `ragstone ingest` with the built-in model. Questions are made of the headings of stored documents,
drawn with a fixed seed; those that are declined count apart, for they cost less. A model that takes no time writes five
sentences out of the passages that it is shown, one of them with another word. Prints, for answers that are written and
that are quoted, with vectors and by words alone, the median and the 95th percentile of the wall clock, the processor's
time, and the wall clock of every stage.
"""

import argparse
import json
import os
import random
import re
import statistics
import time
from collections.abc import AsyncGenerator
from typing import Any

import ragstone
from ragstone.core.answers import Answer
from ragstone.core.ports import CompletionResult, Prompt, Tokenizer
from ragstone.core.sentences import split_sentences

PASSAGE = re.compile(r"^<<([0-9a-f]{8}) \[(\d+)\][^\n]*\n(.*?)\n\1>>", re.MULTILINE | re.DOTALL)
WARM = 10


class Instant:
    """Quotes what it is shown, at once; see `ragstone.core.ports.Completion`."""

    vendor, model = "instant", "quoter"
    context: int | None = None
    tokenizer: Tokenizer | None = None

    async def complete(self, prompt: Prompt) -> CompletionResult:
        return CompletionResult(_said(prompt))

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | CompletionResult]:
        text = _said(prompt)
        for start in range(0, len(text), 5):  # as tokens come
            yield text[start : start + 5]
        yield CompletionResult(text)

    async def check(self) -> list[str]:
        return []

    async def close(self) -> None:
        return None


def _said(prompt: Prompt) -> str:
    out = []
    for _, n, text in PASSAGE.findall(prompt.messages[-1].text)[:5]:
        whole = [text[a:b] for a, b in split_sentences(text) if len(text[a:b].split()) > 5 and text[a].isalpha()]
        out += [f"{' '.join(whole[0].split()).rstrip('.')} [{n}]."] if whole else []
    if out:
        first, *more = out[-1].split(" ")
        out[-1] = " ".join([first, *more[:2], "certainly", *more[3:]])
    return " ".join(out) or "Nothing is said of it."


def main() -> None:
    """Ask, print one object of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store")
    parser.add_argument("--collection")
    parser.add_argument("--questions", type=int, default=100)
    args = parser.parse_args()
    out: dict[str, Any] = {}
    for name, options in {
        "written": {"completion": Instant()},
        "written, by words alone": {"completion": Instant(), "embed__model": "none"},
        "quoted": {},
        "quoted, by words alone": {"embed__model": "none"},
    }.items():
        completion = options.pop("completion", None)
        settings = ragstone.load(store=args.store, collection=args.collection, **options)
        with ragstone.open(settings=settings, completion=completion) as kb:
            out["chunks"] = kb.info().chunks
            out[name] = _measured(kb, args.questions)
    print(json.dumps({**out, "load": os.getloadavg()[0]}, indent=1))


def _measured(kb: ragstone.Knowledge, count: int) -> dict[str, Any]:
    known = sorted({f"{d.title or d.path}" for d in kb.documents()})
    asked = [f"How does {title} work?" for title in random.Random(7).sample(known, min(count + WARM, len(known)))]
    stages: dict[str, list[float]] = {}
    declined = 0
    for number, question in enumerate(asked):
        start, before = time.perf_counter(), time.process_time()
        answer: Answer = kb.ask(question)
        wall, own = time.perf_counter() - start, time.process_time() - before
        if number < WARM:
            continue
        if answer.abstained and answer.reason != "unsupported":
            declined += 1
            continue
        for stage, seconds in {"wall": wall, "processor": own, **answer.timings}.items():
            stages.setdefault(stage, []).append(1000 * seconds)
    figures = {stage: _figures(times) for stage, times in stages.items()}
    return {"answered": len(asked) - WARM - declined, "declined": declined, **figures}


def _figures(times: list[float]) -> dict[str, float]:
    return {"p50": round(statistics.median(times), 2), "p95": round(sorted(times)[int(0.95 * len(times))], 2)}


if __name__ == "__main__":
    main()
