"""BM25 equals the formula written out in plain Python."""

import asyncio
import math
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.core import analyzer
from ragstone.core.chunk_enrichment import searchable_text
from ragstone.stores import bm25
from ragstone.stores.embedded import EmbeddedStore
from ragstone.testing.stores import EVERYTHING, SCOPE, make_revision, write_revisions

WORDS = st.sampled_from("red green blue apple pear plum house run running getUserName".split())
TEXTS = st.lists(st.lists(WORDS, min_size=1, max_size=12).map(" ".join), min_size=1, max_size=12)


def plain(texts: list[str], query: str) -> list[float]:
    """Lucene's BM25, with k3 = 1 for the words of the query, and nothing clever."""
    counted = [Counter(analyzer.extract_terms(text)) for text in texts]
    average = sum(sum(c.values()) for c in counted) / len(counted)
    scores = []
    for counts in counted:
        length, score = sum(counts.values()), 0.0
        for term, repeats in Counter(analyzer.extract_terms(query)).items():
            n = sum(term in other for other in counted)
            idf = math.log(1 + (len(counted) - n + 0.5) / (n + 0.5))
            tf = counts[term]
            score += 2 * repeats / (1 + repeats) * idf * tf / (tf + 1.2 * (1 - 0.75 + 0.75 * length / average))
        scores.append(score)
    return scores


@settings(max_examples=40, deadline=None)
@given(texts=TEXTS, query=st.lists(WORDS, max_size=4).map(" ".join))
def test_scores_equal_the_formula_written_out(texts: list[str], query: str) -> None:
    async def scored() -> dict[int, float]:
        with tempfile.TemporaryDirectory() as directory:
            store = EmbeddedStore(Path(directory) / "store")
            await write_revisions(
                store, *(make_revision(f"{i}.md", [text]) for i, text in enumerate(texts)), vectors=False
            )
            async with store.reader(SCOPE) as reader:
                found = await reader.matching(query, where=EVERYTHING, limit=100)
            await store.close()
        return {int(candidate.place[0].removesuffix(".md")): candidate.score for candidate in found}

    wanted = {i: score for i, score in enumerate(plain(texts, query)) if score > 0}
    assert asyncio.run(scored()) == pytest.approx(wanted, abs=1.1e-6)


def test_a_chunk_is_found_by_its_title_its_headings_and_its_table_header() -> None:
    [chunk] = make_revision(
        "a.md", ["text"], title="Title", chunks={"heading_path": ("Top", "Below"), "header": "| col |"}
    ).chunks
    assert searchable_text(chunk) == "Title\nTop > Below\n| col |\ntext"


def test_the_idf_is_lucenes() -> None:
    assert bm25.idf(2, 10) == pytest.approx(math.log(1 + 8.5 / 2.5))
    assert bm25.idf(0, 0) > 0


def test_a_weight_grows_with_the_count_and_shrinks_with_the_length() -> None:
    weights = bm25.term_weights(np.array([1, 2, 1]), bm25.length_norms(np.array([10, 10, 20]), 10.0), weight=1.0)
    assert weights[1] > weights[0] > weights[2]
    assert weights[0] == pytest.approx(1 / (1 + 1.2))


def test_a_count_stays_in_two_bytes() -> None:
    [chunk] = make_revision("a.md", ["pear " * 70_000]).chunks
    frequencies, length = bm25.term_frequencies(chunk)
    assert (frequencies, length) == ({"pear": 65_535}, 70_000)


def test_words_of_the_path_are_found_where_the_title_lacks_them() -> None:
    text = "Die Kosten der Miete sind gestiegen."
    [chunk] = make_revision("ACME/2023 Bericht.pdf", [text], title="Bericht").chunks
    [bare] = make_revision("0a1b2c3d4e5f60718293a4b5c6d7e8f9.pdf", [text], title="Bericht").chunks
    (found, length), (without, same) = bm25.term_frequencies(chunk), bm25.term_frequencies(bare)
    assert found == {**without, "acm": 1, "2023": 1, "german:acm": 1}
    assert length == same + 2


def test_the_name_of_a_folder_does_not_tell_the_language_of_a_text() -> None:
    [chunk] = make_revision("de/la/en/prices.md", ["Prices rose."]).chunks
    assert not any(":" in term for term in bm25.term_frequencies(chunk)[0])


def test_no_part_of_a_name_is_a_word_of_a_long_path() -> None:
    [chunk] = make_revision(f"encyclopedia/{'zoo/' * 48}a.md", ["Prices rose."]).chunks
    assert set(bm25.term_frequencies(chunk)[0]) == {"zoo", "price", "rose"}
