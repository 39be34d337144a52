"""Which hits stay: thresholds on raw signals, near-duplicates folded, caps."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain
from math import ceil

from ragstone.core.analyzer import extract_terms
from ragstone.core.passage_difference import differ_in_facts
from ragstone.core.types import Hit
from ragstone.retrieval.retriever_weights import score_by

# Sections of the same page in two versions of a documentation reach this in .956 of 10,248 pairs,
# sections of different pages in .0005 of 21,000; .951 of the alike pairs agree in their facts as well
# (PowerShell docs, `benchmarks/answers/alike.py`).
ALIKE = 0.9
# Shorter texts were not measured, and there one word ("enable", "disable") is all the difference.
LEAST_TERMS = 20


def keep_above(hits: Sequence[Hit], minimums: Mapping[str, float]) -> list[Hit]:
    """The hits whose scores by each retriever reach every minimum (`{"cosine": 0.5}`).

    A hit without the signal does not reach it. A signal that no hit carries is not asked for: its
    retriever did not run, and leaving everything out would hide that.
    """
    asked = {name: low for name, low in minimums.items() if any(name in hit.signals for hit in hits)}
    return [hit for hit in hits if all(_reaches(hit, name, low) for name, low in asked.items())]


def _reaches(hit: Hit, name: str, low: float) -> bool:
    score = score_by(name, hit.signals)
    return score is not None and score >= low


class TermSets(dict[str, frozenset[str]]):
    """The terms of texts, made once for each: hits are looked at again with the ones below them."""

    def __missing__(self, text: str) -> frozenset[str]:
        found = self[text] = frozenset(extract_terms(text))
        return found


def deduplicate_first(hits: Sequence[Hit], most: int, terms: TermSets | None = None) -> list[Hit]:
    """The first `most` hits after near-duplicates were folded: no further hits are read than these need.

    Only duplicates among the hits that were read are named. `terms` are those that are known already.
    """
    size, terms = 2 * most, TermSets() if terms is None else terms
    while len(kept := deduplicate(hits[:size], terms)) < most and size < len(hits):
        size *= 2
    return kept[:most]


def deduplicate(hits: Sequence[Hit], terms: TermSets | None = None, *, alike: float = ALIKE) -> list[Hit]:
    """Near-duplicates folded into the first of them, which names their places in `duplicates`.

    Alike are texts that are equal but for case and white space, or (from 20 terms on) whose sets of
    terms have a Jaccard similarity of at least `alike` and that agree in all numbers, units, dates, names, denials
    and opposites: two policies that differ in 15 and 30 days both stay. A later hit is compared with kept ones only.
    """
    terms = TermSets() if terms is None else terms
    sets = [terms[hit.chunk.text] for hit in hits]
    heads = _choose_heads(sets, alike)
    kept: list[int] = []
    folded: dict[int, list[int]] = defaultdict(list)
    seen: dict[str, list[int]] = defaultdict(list)
    exact: dict[str, int] = {}
    for i, hit in enumerate(hits):
        plain = " ".join(hit.chunk.text.casefold().split())
        twin = exact.get(plain)
        if twin is None:
            near = sorted({j for term in heads[i] for j in seen[term]})
            close = (j for j in near if jaccard(sets[i], sets[j]) >= alike)
            twin = next((j for j in close if not differ_in_facts(hit.chunk.text, hits[j].chunk.text)), None)
        if twin is not None:
            folded[twin].append(i)
            continue
        kept.append(i)
        exact[plain] = i
        for term in heads[i]:
            seen[term].append(i)
    return [_add_duplicates(hits[i], [hits[j] for j in folded[i]]) for i in kept]


def _choose_heads(sets: Sequence[Set[str]], alike: float) -> list[list[str]]:
    """So many of the rarest terms of each set that two sets which are alike share one of them; none for short texts,
    and none where the set has more terms of its own than one that is alike to another can have."""
    count = Counter(chain.from_iterable(sets))
    once = {term for term, number in count.items() if number == 1}
    heads: list[list[str]] = []
    for terms in sets:
        others = len(terms) - ceil(alike * len(terms) - 1e-9)  # at most, beside those that it shares
        own = len(terms & once)
        wanted = len(terms) >= LEAST_TERMS and own <= others
        heads.append(sorted(sorted(terms), key=count.__getitem__)[: others + 1] if wanted else [])
    return heads


def jaccard(a: Set[str], b: Set[str]) -> float:
    """Shared terms among all terms of two texts, 0 to 1; two empty texts are not alike."""
    shared = len(a & b)
    return shared / (len(a) + len(b) - shared) if a or b else 0.0


def _add_duplicates(hit: Hit, others: Sequence[Hit]) -> Hit:
    places = [_chunk_position(other) for other in others]
    places += [place for other in others for place in other.duplicates]
    return replace(hit, duplicates=(*hit.duplicates, *places)) if places else hit


def _chunk_position(hit: Hit) -> tuple[str, str, int]:
    return (hit.chunk.document.source, hit.chunk.document.path, hit.chunk.ordinal)


def limit_per_document(hits: Sequence[Hit], *, per_document: int) -> list[Hit]:
    """The first hits of each document, at most `per_document`."""
    count: Counter[str] = Counter()
    out: list[Hit] = []
    for hit in hits:
        count[hit.chunk.document.id] += 1
        if count[hit.chunk.document.id] <= per_document:
            out.append(hit)
    return out
