"""When the evidence is too weak to answer: a small fitted model over the signs, its threshold, the reason."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from ragstone.answering.abstention.calibration import NUMBERS, SHIPPED, AbstentionPolicy, SignSet
from ragstone.answering.abstention.evidence import Evidence
from ragstone.core.types import Hit

RETRIEVERS, BEST_RANK = 2, 61  # what RRF's best possible score is made of: a first rank in each retriever, k = 60
ABSTENTION = "I don't have enough information in the current documents to answer that."

# The signs behind each reason. The group that weighs most against an answer names the abstention.
REASONS: Mapping[str, tuple[str, ...]] = {
    "weak_evidence": ("cosine", "ahead", "bm25"),
    "no_supporting_sentence": ("similar", "sentence", "covered", "matched", "matched_ahead"),
    "missing_terms": ("section", "unsaid", "numbers", "unmatched"),
    "contradicted": ("denied", "opposed", "extremes"),
    "something_else": ("other_number", "replaced", "replaced_weight", "replaced_number"),
    "wrong_kind": ("typed",),
}
MESSAGES: Mapping[str, str] = {
    "weak_evidence": "The passages found are only loosely related to the question.",
    "no_supporting_sentence": "No sentence of the documents supports an answer.",
    "missing_terms": "The passages found do not mention everything that the question names.",
    "contradicted": "The closest passage says the opposite of what the question takes for granted.",
    "something_else": "The closest passage says this of another name or number than the question's.",
    "wrong_kind": "The closest passage holds nothing of the kind that is asked for.",
}
CLARIFY: Mapping[str, str] = {
    "no_hits": "Try other words, or fewer filters.",
    "weak_evidence": "Try a question that names the document or the topic.",
    "no_supporting_sentence": "Try the words that the documents use.",
    "missing_terms": "Try another name for it.",
    "contradicted": "Check whether the question is meant the other way round.",
    "something_else": "Check the name or the number in the question.",
    "wrong_kind": "Try asking for the person, the time, the number or the step itself.",
}
MOST_NAMED = 5  # missing terms that a message names
SIMILARITY_MARGIN = 0.25  # how far a passage's cosine lies from its best chunk's at most, but for 3 in 100 (sparing.py)
# Between what a passage's signs of single words are taken to lie: 8 in 1,000 decisions fall otherwise (sparing.py).
MATCHES = {"matched": (0.5, 0.8), "matched_ahead": (0.1, 0.28), "unmatched": (0.0, 0.45)}

# What speaks for an answer in a language that the model hardly knows, whose cosines say little: the passage below its
# headings has this share of the question, or its words match better than those of the others by this much, which leaves
# out how near all words of such a language lie to each other (`benchmarks/answers/README.md`, "Other languages").
SAID, AHEAD, SAYS_IT = 0.65, 0.25, 1.5


@dataclass(frozen=True, slots=True)
class Sign:
    """The weight of one sign per deviation from its mean, both over the questions that the model was fitted on."""

    weight: float
    mean: float
    deviation: float


@dataclass(frozen=True, slots=True)
class AbstentionModel:
    """Logistic regression: the log-odds of an answer are `base` and each sign's part. From `answer_from` on
    there is one."""

    base: float
    answer_from: float
    signs: Mapping[str, Sign]

    def contributions(self, found: Evidence) -> dict[str, float]:
        """The share of each sign in the log-odds; one that is not known adds nothing."""
        values = {name: getattr(found, name) for name in self.signs}
        return {
            name: sign.weight * (values[name] - sign.mean) / sign.deviation if values[name] is not None else 0.0
            for name, sign in self.signs.items()
        }

    def odds(self, found: Evidence) -> float:
        """The log-odds of an answer."""
        return self.base + sum(self.contributions(found).values()) + SAYS_IT * _says_what_is_asked(found)


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether to abstain; the reason is a stable code, the message one sentence for people. `answerability` is how
    likely there is an answer, from 0 to 1, and `clarify` is a sentence on what to try."""

    abstain: bool
    reason: str | None = None
    message: str = ""
    answerability: float = 0.0

    @property
    def clarify(self) -> str:
        return CLARIFY.get(self.reason or "", "")


@cache
def load_abstention_models() -> Mapping[str, AbstentionModel]:
    """The fitted models: `tokens` where the embedding model compares single words of passages with the question's,
    `vectors` where it compares whole passages alone, `words` where nothing is compared.

    Their numbers stand in `abstain.json` with the command that fitted them and on what.
    """
    data = json.loads(Path(__file__).with_name(NUMBERS).read_text("utf-8"))
    return {
        name: AbstentionModel(
            float(model["base"]),
            float(model["answer_from"]),
            {sign: Sign(*map(float, numbers)) for sign, numbers in model["signs"].items()},
        )
        for name, model in data["models"].items()
    }


def _says_what_is_asked(found: Evidence) -> bool:
    if found.floor is None or found.numbers:
        return False
    return found.headed >= SAID or (found.matched_ahead or 0.0) >= AHEAD


def decide_abstention(found: Evidence, policy: AbstentionPolicy | None = None) -> Decision:
    """Abstain, and why. Reasons: no_hits and those of `REASONS`."""
    if not found.hits:
        return Decision(True, "no_hits", "Nothing in the documents matches the question.")
    policy = policy or AbstentionPolicy()
    model = choose_model(found)
    own = policy.calibration if policy.calibration and policy.calibration.signs == choose_signs(found) else None
    odds = max(model.odds(found), model.answer_from) if found.is_answer else model.odds(found)
    likely = (own or SHIPPED).chance(odds)
    if found.unidentified and policy.rule != "never":  # a ticket or a bill beside the one that is asked for
        return Decision(True, "missing_terms", _name_unmentioned(found.unidentified), likely)
    if found.unnamed and policy.rule != "never" and not found.is_answer:  # a row is of another thing
        return Decision(True, "missing_terms", _name_unmentioned(found.unnamed), likely)
    wanted = own.answer_from if own else model.answer_from
    if (
        policy.rule == "never"
        or found.is_answer
        or odds >= (wanted if policy.answer_from is None else policy.answer_from)
    ):
        return Decision(False, answerability=likely)
    return replace(_explain_refusal(model, found), answerability=likely)


def is_settled(found: Evidence, policy: AbstentionPolicy | None = None) -> bool:
    """Whether the decision stands before the passages are compared with the question by vectors, which takes most of
    its time: wherever within `SIMILARITY_MARGIN` of the best hit's cosine `similar`, which is guessed as that, may
    lie, and wherever within `MATCHES` the signs of single words."""
    policy = policy or AbstentionPolicy()
    if found.cosine is None or policy.rule != "fitted":
        return True
    unknown = {"similar": (found.cosine - SIMILARITY_MARGIN, found.cosine + SIMILARITY_MARGIN)}
    unknown |= MATCHES if found.compares_words else {}
    signs = choose_model(found).signs
    for_it = {name: signs[name].weight > 0 for name in unknown.keys() & signs.keys()}
    decisions = set()
    for against in (True, False):
        end: dict[str, Any] = {name: unknown[name][good != against] for name, good in for_it.items()}
        if found.floor is not None:
            end["matched_ahead"] = 0.0 if against else AHEAD
        decisions.add(decide_abstention(replace(found, **end), policy).abstain)
    return len(decisions) == 1


def choose_signs(found: Evidence) -> SignSet:
    """The signs that a calibration must be of to decide: `words` where the passages were not compared with the
    question by vectors."""
    return "words" if found.cosine is None else "vectors"


def choose_model(found: Evidence) -> AbstentionModel:
    """The fitted model that decides."""
    name = "tokens" if found.compares_words and found.cosine is not None else choose_signs(found)
    return load_abstention_models()[name]


def _explain_refusal(model: AbstentionModel, found: Evidence) -> Decision:
    reason = "something_else" if found.gives_way else _main_reason(model.contributions(found))
    if reason == "missing_terms" and found.missing:
        return Decision(True, reason, _name_unmentioned(found.missing))
    return Decision(True, reason, MESSAGES[reason])


def _name_unmentioned(names: Sequence[str]) -> str:
    return f"The passages found do not mention: {', '.join(names[:MOST_NAMED])}."


def _main_reason(parts: Mapping[str, float]) -> str:
    return min(REASONS, key=lambda reason: sum(parts.get(sign, 0.0) for sign in REASONS[reason]))


def decide_by_thresholds(
    hits: Sequence[Hit], *, weights: Mapping[str, float], policy: AbstentionPolicy | None = None
) -> Decision:
    """Abstain where the best hit stays below: of a reranker, if one scored; else of RRF, as a share of the best
    possible score of the retrievers that answered, so that one retriever less, or other weights, change nothing. One
    retriever alone ranks something first for any question: then the rule refuses nothing.

    RRF's score is the sum over retrievers of weight / (60 + rank) (Cormack, Clarke and Büttcher 2009), at best the sum
    of the weights / 61. Where a question was searched for in several variants, or by several models, it is the best
    that one of these gave (the signal `rrf`): the score that they are ordered by is a sum over them, which grows with
    their number, and something comes first in each of them for any question.

    `weights` are those of the retrievers that answered; the scores are those of RRF, the client's or the store's own.
    """
    policy = policy or AbstentionPolicy()
    if not hits:
        return Decision(True, "no_hits", "Nothing in the documents matches the question.")
    reranked = [hit.signals["rerank"] for hit in hits if "rerank" in hit.signals]
    if reranked:
        best, least = max(reranked), policy.rerank_threshold
    elif len(weights) >= RETRIEVERS:
        scores = [hit.signals["rrf"] for hit in hits if "rrf" in hit.signals] or [hit.score for hit in hits]
        best, least = max(scores) * BEST_RANK / sum(weights.values()), policy.rrf_threshold * BEST_RANK / RETRIEVERS
    else:
        return Decision(False, answerability=1.0)
    likely = round(min(1.0, max(0.0, best)), 6)
    if best >= least:
        return Decision(False, answerability=likely)
    return Decision(True, "weak_evidence", MESSAGES["weak_evidence"], likely)
