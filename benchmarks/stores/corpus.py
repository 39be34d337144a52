"""A corpus of any size for the benchmarks of stores: passages of real files, vectors in clusters of their own."""

import hashlib
import random
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from ragstone.core.ports import Reader, Vectors
from ragstone.core.types import Candidate, Chunk, Document, Revision, Scope, Span
from ragstone.retrieval.candidates import list_ids
from ragstone.retrieval.question import Question
from ragstone.retrieval.ranking import fuse_candidates

MODEL, VARIANT = "clustered", "seeded"
LENGTH = 600  # characters of a passage, about 100 words
CHUNKS = 20  # of a document
SYLLABLES = "ka lo mi tur sen ve da rin po gal".split()


class Clusters:
    """Vectors as models give them: topics, and passages around them; the same for the same number."""

    def __init__(self, dimension: int = 384, topics: int = 500, spread: float = 0.7) -> None:
        chance = np.random.default_rng(7)
        self.dimension = dimension
        self._centres = chance.standard_normal((topics, dimension))
        self._centres /= np.linalg.norm(self._centres, axis=1, keepdims=True)
        self._spread = spread

    def of(self, number: int) -> Vectors:
        """The unit vector of a passage or question."""
        chance = np.random.default_rng(number)
        noise = chance.standard_normal(self.dimension)
        vector = self._centres[number % len(self._centres)] + self._spread * noise / np.linalg.norm(noise)
        made: Vectors = (vector / np.linalg.norm(vector)).astype(np.float32)
        return made


def passages(folder: Path | None) -> Iterator[str]:
    """Passages without end: of the Markdown below a folder, again and again with a word that tells the rounds
    apart; invented ones without a folder."""
    files = sorted(folder.rglob("*.md")) if folder is not None else []
    round_ = 0
    while True:
        made = 0
        for path in files:
            text = path.read_text(encoding="utf-8", errors="replace").replace("\0", " ")
            for start in range(0, len(text), LENGTH):
                if passage := text[start : start + LENGTH].strip():
                    made += 1
                    yield passage if not round_ else f"{passage} round{round_}"
        if not made:
            yield from (_invented(number) for number in range(1_000_000))
        round_ += 1


def _invented(number: int) -> str:
    chance = random.Random(number)
    words = ["".join(chance.choices(SYLLABLES, k=chance.randint(1, 3))) for _ in range(90)]
    return " ".join(words)


def revisions(scope: Scope, texts: Iterator[str], chunks: int, *, first: int = 0) -> Iterator[Revision]:
    """Documents of `CHUNKS` passages until there are `chunks`; passage `first + i` has vector number `first + i`."""
    for number in range(0, chunks, CHUNKS):
        own = [next(texts) for _ in range(min(CHUNKS, chunks - number))]
        yield revision(scope, f"docs/{number // CHUNKS:06d}.md", own, first=first + number)


def revision(
    scope: Scope, path: str, texts: list[str], *, first: int, state: int = 1, keys: Sequence[str] | None = None
) -> Revision:
    """One document; its key of vector number n is `key(n)`, or stands in `keys`."""
    record = "\n".join(texts)
    version = hashlib.sha256(record.encode()).hexdigest()
    identity = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{scope.tenant}\n{scope.collection}\n{path}"))
    number = first // CHUNKS
    meta = {
        "tags": [f"t{number % 100}", f"u{number % 2}"],
        "category": ["api", "guide", "note"][number % 3],
        "date": f"20{10 + number % 15}-05-01",
        "level": number % 10,
    }
    document = Document(identity, "docs", path, state, version, "bench-1", bytes=len(record), meta=meta)
    made, start = [], 0
    for ordinal, text in enumerate(texts):
        span = Span(start, start + len(text), ordinal + 1, ordinal + 1)
        chunk = str(uuid.uuid5(uuid.UUID(identity), f"{version}/{ordinal}"))
        own = key(first + ordinal) if keys is None else keys[first + ordinal]
        made.append(Chunk(chunk, document, ordinal, text, (span,), tokens=len(text.split()), vector_key=own))
        start += len(text) + 1
    return Revision(document, tuple(made), record)


def key(number: int) -> str:
    """The address of vector number n."""
    return hashlib.sha256(f"{MODEL}/{number}".encode()).hexdigest()


async def rank_found(
    reader: Reader, question: Question, vector: Vectors, found: Mapping[str, Sequence[Candidate]]
) -> list[Chunk]:
    """The chunks of both retrievers in fused order, as a search reads them."""
    signals = await reader.rate(list_ids(found), vector=vector, query=question.text)
    return await reader.chunks([one.id for one in fuse_candidates(question, found, signals)])
