"""When the evidence is too weak to answer: signs from raw signals, thresholds, the reason."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragstone.answer.extractive import Scored
from ragstone.answer.question import Asked, answers_kind
from ragstone.types import Hit
from ragstone.words import terms

ABSTENTION = "I don't have enough information in the current documents to answer that."


# A name that stands in most chunks (the product's own) may be left unsaid in one.
TELLING = 0.15


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for an answer, on scales that do not depend on the number of hits or legs.

    cosine: of the best hit, None without embeddings. bm25: the best hit's share of the sum of the
    question's IDFs, which BM25 without its constant factor never exceeds. best, union: the share
    of the question's mass in the best passage (with its heading) and in all chosen ones with their
    chunks' headings. missing: the terms of the question that no chosen chunk holds. gap: how far the
    best hit's cosine, else BM25 share, is ahead of the mean of the others. typed: a chosen passage
    holds something of the kind asked for.
    """

    hits: int
    cosine: float | None = None
    bm25: float = 0.0
    best: float = 0.0
    union: float = 0.0
    missing: tuple[str, ...] = ()
    missing_names: tuple[str, ...] = ()
    missing_numbers: tuple[str, ...] = ()
    heaviest_missing: float = 0.0
    gap: float = 0.0
    typed: bool = False


@dataclass(frozen=True, slots=True)
class Policy:
    """From where on an answer is given. None switches a threshold off.

    `min_bm25` and `heaviest` are the best of four pairs tried on CLAP NQ and SQuAD 2.0 with BM25
    alone, with both halves in sight (`benchmarks/answers/abstain.py`); the others were set by hand.
    The cosine was not measured.
    """

    min_cosine: float | None = 0.30
    min_bm25: float | None = 0.22
    min_best: float | None = 0.35
    min_union: float | None = 0.50
    names: bool = True
    numbers: bool = True
    heaviest: float | None = 0.5


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether to abstain; the reason is a stable code, the message one sentence for people."""

    abstain: bool
    reason: str | None = None
    message: str = ""


def evidence(
    question: Asked, hits: Sequence[Hit], chosen: Sequence[Scored], *, idf: Mapping[str, float] | None = None
) -> Evidence:
    """The signs of a question, its hits in order and the passages chosen from them.

    `idf` is what BM25 was computed with; without it the question's own weights stand in.
    """
    if not hits:
        return Evidence(0)
    possible = sum((idf or question.weights).values()) or 1.0
    cosines = [hit.signals["cosine"] for hit in hits if "cosine" in hit.signals]
    shares = [hit.signals.get("bm25", 0.0) / possible for hit in hits]
    near = [terms(_above(one) + one.passage.text) for one in chosen]
    held = {term for one in chosen for term in terms(_above(one) + one.passage.chunk.text)}
    missing = [term for term in question.weights if term not in held]
    mass = question.mass or 1.0
    return Evidence(
        hits=len(hits),
        cosine=max(cosines) if cosines else None,
        bm25=round(max(shares), 6),
        best=max((_share(question, found) for found in near), default=0.0),
        union=_share(question, [term for found in near for term in found]),
        missing=tuple(missing),
        missing_names=tuple(t for t in missing if t in question.names and question.weights[t] >= TELLING * mass),
        missing_numbers=tuple(term for term in missing if term in question.numbers),
        heaviest_missing=round(max((question.weights[term] for term in missing), default=0.0) / mass, 6),
        gap=_gap(cosines or shares),
        typed=any(one.typed or answers_kind(question, one.passage.text, one.passage.terms) for one in chosen),
    )


def _above(one: Scored) -> str:
    chunk = one.passage.chunk
    return " ".join((*chunk.heading_path, chunk.document.title or "", chunk.document.path, chunk.header, ""))


def _share(question: Asked, found: Sequence[str]) -> float:
    return round(
        sum(question.weights[t] for t in sorted(question.weights.keys() & set(found))) / (question.mass or 1.0), 6
    )


def _gap(signals: Sequence[float]) -> float:
    rest = sorted(signals)[:-1]
    return round(max(signals) - sum(rest) / len(rest), 6) if rest else 0.0


def decide(found: Evidence, policy: Policy | None = None) -> Decision:
    """Abstain, and why. Reasons: no_hits, weak_evidence, no_supporting_sentence, missing_terms.

    Weak evidence means that every leg that answered stays below its threshold: either one may carry
    an answer alone, since a paraphrase has no words in common and an identifier no meaning.
    """
    policy = policy or Policy()
    if not found.hits:
        return Decision(True, "no_hits", "Nothing in the documents matches the question.")
    if _weak(found, policy):
        return Decision(True, "weak_evidence", "What was found is only loosely related to the question.")
    if found.best < (policy.min_best or 0.0):
        return Decision(True, "no_supporting_sentence", "No sentence of the documents supports an answer.")
    if lacking := _lacking(found, policy):
        return Decision(True, "missing_terms", f"The passages found do not mention: {', '.join(lacking)}.")
    return Decision(False)


def _weak(found: Evidence, policy: Policy) -> bool:
    below = []
    if policy.min_cosine is not None and found.cosine is not None:
        below.append(found.cosine < policy.min_cosine)
    if policy.min_bm25 is not None:
        below.append(found.bm25 < policy.min_bm25)
    return bool(below) and all(below)


def _lacking(found: Evidence, policy: Policy) -> tuple[str, ...]:
    if policy.names and found.missing_names:
        return found.missing_names
    if policy.numbers and found.missing_numbers:
        return found.missing_numbers
    heavy = policy.heaviest is not None and found.heaviest_missing > policy.heaviest
    thin = policy.min_union is not None and found.union < policy.min_union
    return (found.missing or ("the question's subject",)) if heavy or thin else ()
