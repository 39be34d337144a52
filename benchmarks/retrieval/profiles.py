"""Which profile shall be the default: nDCG@10 of each built-in one over BEIR folders, with the built-in model.

    python benchmarks/retrieval/profiles.py FOLDER [FOLDER ...] --stores DIR

Each folder is ingested into a store of its own below DIR (kept, so that a second run only asks). Documents rank by
their best chunk, as `ragstone eval --beir FOLDER --profile NAME` does; these collections have no dates and no labels.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.retrieval.beir_rows import print_rows

import ragstone
from ragstone.config.profiles import PROFILES
from ragstone.engine import Engine
from ragstone.evaluation import BeirSource, load_cases
from ragstone.evaluation.engine_evaluation import make_beir_search
from ragstone.evaluation.run import evaluate


async def measure(folder: Path, stores: Path) -> dict[str, float]:
    """Mean nDCG@10 of each profile over a folder's questions."""
    source = BeirSource(folder)
    cases = [case for case in load_cases(folder) if case.answerable]
    found = {}
    async with Engine(ragstone.load(store=f"embedded:{stores / folder.name}")) as engine:
        await engine.ingest_source(source)
        for name in PROFILES:
            search = make_beir_search(engine, source, profile=name, per_document=1, fold=False, top_k=10)
            report = await evaluate(search, cases, metrics=("nDCG@10",))
            found[name] = report.metrics["nDCG@10"]
    return found


if __name__ == "__main__":
    print_rows(__doc__, measure)
