"""How to fuse two legs: nDCG@10 of each way over BEIR folders, with the built-in model.

    python benchmarks/retrieval/fusion.py FOLDER [FOLDER ...] --stores DIR

Each folder is ingested into a store of its own below DIR (kept, so that a second run only asks).
`minmax` scales each leg's own candidates and counts a missing one 0; `filled` scales what every
candidate really scores in both legs. Documents rank by their best chunk; 50 candidates a leg.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.retrieval.beir_rows import print_rows

import ragstone
from ragstone.core.trace import Trace
from ragstone.core.types import Candidate
from ragstone.engine import Engine
from ragstone.evaluation import BeirSource, load_cases
from ragstone.evaluation.metrics import parse_metric
from ragstone.retrieval.candidates import retrieve_candidates
from ragstone.retrieval.fusion_formulas import minmax, rrf
from ragstone.retrieval.query_vectors import embed_question
from ragstone.retrieval.ranking import fuse_candidates

WEIGHTS = (0.4, 0.5, 0.6, 0.7)
NDCG = parse_metric("nDCG@10")


def orders(
    question: ragstone.Question, legs: dict[str, list[Candidate]], signals: dict[str, dict[str, float]]
) -> dict[str, list[Candidate]]:
    """Each way's ranking of the same candidates."""
    out = {**legs, "rrf": rrf(legs), "minmax .5": minmax(legs)}
    for weight in WEIGHTS:
        asked = ragstone.Question(question.text, fusion="minmax", cosine_weight=weight, bm25_weight=1 - weight)
        out[f"filled {weight}"] = fuse_candidates(asked, legs, signals)
    return out


async def measure(folder: Path, stores: Path) -> dict[str, float]:
    """Mean nDCG@10 of each way over a folder's questions."""
    source = BeirSource(folder)
    values: dict[str, list[float]] = {}
    async with Engine(ragstone.load(store=f"embedded:{stores / folder.name}")) as engine:
        await engine.ingest_source(source)
        context = engine.search_context
        for case in load_cases(folder):
            if not case.answerable:
                continue
            question = engine.question(case.question)
            trace = Trace()
            vector = (await embed_question(context, question, trace)).first
            async with engine.store.reader(engine.scope) as reader:
                legs = await retrieve_candidates(reader, question, vector, trace, limit=50)
                ids = list(dict.fromkeys(c.id for found in legs.values() for c in found))
                signals = await reader.rate(ids, vector=vector, query=question.text)
            for way, found in orders(question, legs, signals).items():
                ranking = list(dict.fromkeys(source.id_of(candidate.place[0]) for candidate in found))
                values.setdefault(way, []).append(NDCG(ranking, case.relevance))
    return {way: float(np.mean(scores)) for way, scores in values.items()}


if __name__ == "__main__":
    print_rows(__doc__, measure)
