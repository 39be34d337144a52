"""Late interaction with the vectors of single tokens, which the network has before it pools them (ColBERT, Khattab and
Zaharia 2020)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragstone.core.ports import TokenMatches, Vectors
from ragstone.providers.minilm.wordpiece import FIRST, LAST, WordPiece

READS = 254  # tokens of a text; trained on 256, two of which are [CLS] and [SEP]
INPUT, OUTPUT, TOKENS = "ids", "vector", "tokens"  # of the network

Words = list[Vectors]
Match = tuple[Any, Any, Any]


def embed_words(session: Any, tokenizer: WordPiece, question: str, words: Sequence[tuple[int, int]]) -> Words:
    """The unit vectors of each word's tokens, in the context of the question; of a word that is not read, none."""
    ids, places = tokenizer.place(question)
    tokens = _run(session, ids)[1]
    return [tokens[[i for i, (a, b) in enumerate(places[:READS]) if a < end and start < b]] for start, end in words]


def match_text(session: Any, tokenizer: WordPiece, asked: Words, above: str, said: str) -> Match:
    """The vector of a text, and how near it comes to each word, with the headings above and without. A text whose
    headings leave no room is not read: nothing is near."""
    import numpy as np

    text = f"{above}\n{said}" if above else said
    ids, places = tokenizer.place(text)
    vector, tokens = _run(session, ids)
    start = len(above) + 1 if above else 0
    first = next((i for i, (_, end) in enumerate(places[:READS]) if end > start), len(tokens))
    near, own = [], []
    for word in asked:
        cosines = word @ tokens.T
        near.append(cosines.max(axis=1).mean() if cosines.size else 0.0)
        cosines = cosines[:, first:]
        own.append(cosines.max(axis=1).mean() if cosines.size else 0.0)
    return vector, np.array(near, dtype=np.float32), np.array(own, dtype=np.float32)


def gather_matches(rows: Sequence[Match]) -> TokenMatches:
    """The rows of texts as arrays."""
    import numpy as np

    vectors, near, own = (np.array([row[i] for row in rows], dtype=np.float32) for i in range(3))
    return TokenMatches(vectors, near, own)


def _run(session: Any, ids: Sequence[int]) -> tuple[Vectors, Vectors]:
    """The text's vector, and those of its tokens without [CLS] and [SEP]."""
    import numpy as np

    [vector], [tokens] = session.run([OUTPUT, TOKENS], {INPUT: np.array([[FIRST, *ids[:READS], LAST]], dtype=np.int64)})
    return vector, tokens[1:-1]
