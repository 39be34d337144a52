"""HyDE: passages that a model imagines as answers, embedded in place of the question (Gao et al., ACL 2023)."""

from collections.abc import Sequence
from itertools import cycle, islice

import numpy as np

from ragstone.core.ports import Message, Prompt, Vectors
from ragstone.core.types import Hyde
from ragstone.retrieval.llm_assistant import Assistant
from ragstone.retrieval.prompts import read_parts

TOKENS = 200  # of one document: an embedder reads a few hundred
WARM = 0.7  # as in the paper, so that several documents by one prompt differ; one by its own prompt is always the same
FEWEST_KINDS = 3  # documents that make several kinds of them worth while


def choose_count(hyde: Hyde, documents: int | None) -> int:
    """How many documents are written: one, of several kinds three, unless it is said."""
    return documents or (FEWEST_KINDS if hyde == "multi" else 1)


async def imagine_documents(question: str, hyde: Hyde, count: int, assistant: Assistant) -> tuple[str, ...]:
    """Documents that answer a question, written in parallel: of the five kinds in turn for `multi`, else all of the
    first; () where the model fails."""
    kinds = list(read_parts("hyde").values())
    told = list(islice(cycle(kinds), count)) if hyde == "multi" else [kinds[0]] * count
    prompts = [
        Prompt((Message("system", one), Message("user", question)), TOKENS, WARM if told.count(one) > 1 else 0.0)
        for one in told
    ]
    made = await assistant.ask_all("hyde", prompts)
    if made is None:
        return ()
    texts = tuple(text for one in made if one is not None and one.ended != "refused" and (text := one.text.strip()))
    assistant.record_step("hyde", made, texts)
    if not texts:
        assistant.trace.note("hyde_failed", "hyde failed and was left out: the model wrote nothing")
    return texts


def average_vectors(vectors: Vectors | Sequence[Vectors]) -> Vectors | None:
    """The mean of vectors brought to length 1, itself of length 1; None where they cancel out.

    >>> average_vectors([np.array([2.0, 0.0]), np.array([0.0, 0.5])])
    array([0.70710677, 0.70710677], dtype=float32)
    """
    rows = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    middle = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0).mean(axis=0)
    length = float(np.linalg.norm(middle))
    return (middle / length).astype(np.float32) if length > 1e-9 else None
