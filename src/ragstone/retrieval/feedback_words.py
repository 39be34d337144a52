"""The words that the first passages of a search have most of, which its candidates are compared by a second time."""

from collections import Counter
from collections.abc import Sequence

from ragstone.core import analyzer
from ragstone.core.languages import SMALL_WORDS, detect_language

# Chosen on nine collections (`benchmarks/retrieval`): with 15 they gain the same, with 40 half of it. A query of more
# than 16 words has no stems of languages that it does not tell (`analyzer.FEW_WORDS`): they would be 200 terms.
MOST = 20


def choose_words(texts: Sequence[str], counts: Sequence[float]) -> str:
    """A query of the most frequent words of texts, at most 20, the most frequent first.

    A word counts in each text by its share of the words there, times what the text counts. Words of one stem
    count as one. Small words of a text's language count for nothing.

    >>> choose_words(["The herds graze. A herd of zebras grazes on grass."], [1.0])
    'graze herds grass zebras'
    """
    weights: dict[str, float] = {}
    words: dict[str, str] = {}
    for text, count in zip(texts, counts, strict=True):
        found = _count_stems(text, words)
        share = count / (sum(found.values()) or 1)
        for stem, repeats in found.items():
            weights[stem] = weights.get(stem, 0.0) + share * repeats
    best = sorted(weights, key=lambda stem: (-round(weights[stem], 9), stem))[:MOST]
    return " ".join(words[stem] for stem in best)


def _count_stems(text: str, words: dict[str, str]) -> dict[str, int]:
    """How often the words of each stem occur in a text; adds to `words` the first word of each. Of a run of Chinese or
    Japanese the pairs are words."""
    tokens = Counter(analyzer.extract_tokens(text.casefold()))
    small = SMALL_WORDS[detect_language(tokens) or "english"]
    found: dict[str, int] = {}
    for token, count in tokens.items():
        terms = () if token in small else analyzer.list_token_terms(token)
        is_run = len(terms) > 1 and analyzer.CJK_START.match(token)
        for term in terms if is_run else terms[:1]:
            words.setdefault(term, term if is_run else token)
            found[term] = found.get(term, 0) + count
    return found
