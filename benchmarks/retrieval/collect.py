"""Ingest BEIR folders once and keep what ranking needs in one file each: texts, terms and vectors.

    python benchmarks/retrieval/collect.py FOLDER [FOLDER ...] --into DIR [--precision int8]

DIR stands outside the repository. `methods.py` reads the files and evaluates rankers in seconds.
"""

import argparse
import asyncio
import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import ragstone
from ragstone.core.types import Chunk
from ragstone.engine import Engine
from ragstone.evaluation import BeirSource, load_cases

PAGE = 500


@dataclass(frozen=True)
class Collected:
    """A collection as rankers see it: one row a chunk, one row a question."""

    name: str
    chunks: list[Chunk]
    documents: list[str]  # the BEIR id of each chunk
    vectors: Any
    questions: list[str]
    relevance: list[dict[str, int]]
    asked: Any  # vectors of the questions


async def collect(folder: Path, stores: Path, precision: str) -> Collected:
    """What ranking needs of one folder."""
    source = BeirSource(folder)
    settings = ragstone.load(store=f"embedded:{stores / f'{folder.name}.{precision}'}", embed={"precision": precision})
    async with Engine(settings) as engine:
        await engine.ingest_source(source)
        async with engine.store.reader(engine.scope) as reader:
            chunks: list[Chunk] = []
            after = None
            while rows := await reader.list_revisions_after(after, limit=PAGE):
                after = rows[-1].document.id, rows[-1].document.revision
                revisions = await reader.revisions([row.document for row in rows if row.status == "active"])
                chunks += [chunk for revision in revisions for chunk in revision.chunks]
            chunks.sort(key=lambda c: (c.document.path, c.ordinal))
            keys = [c.vector_key for c in chunks]
            found = await reader.vectors(keys)
            vectors = np.array([found[key] for key in keys], dtype=np.float32)
        cases = [case for case in load_cases(folder) if case.answerable]
        asked = await engine.search_context.sources[0].embedder.embed([c.question for c in cases], kind="query")
    return Collected(
        folder.name,
        chunks,
        [source.id_of(c.document.path) for c in chunks],
        vectors,
        [c.question for c in cases],
        [dict(c.relevance) for c in cases],
        np.asarray(asked),
    )


def main() -> None:
    """Collect every folder that is not there yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--into", required=True, type=Path)
    parser.add_argument("--precision", default="fp32", choices=["fp32", "int8"])
    given = parser.parse_args()
    given.into.mkdir(parents=True, exist_ok=True)
    for folder in given.folders:
        out = given.into / f"{folder.name}.{given.precision}.pickle"
        if not out.exists():
            found = asyncio.run(collect(folder, given.into / "stores", given.precision))
            out.write_bytes(pickle.dumps(found))
            print(folder.name, len(found.chunks), "chunks", flush=True)


if __name__ == "__main__":
    main()
