"""When the evidence is too weak to answer: a small fitted model over the signs, its threshold, the reason."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ragstone.answer.evidence import Evidence

ABSTENTION = "I don't have enough information in the current documents to answer that."

# The signs behind each reason. The group that weighs most against an answer names the abstention.
REASONS: Mapping[str, tuple[str, ...]] = {
    "weak_evidence": ("cosine", "ahead", "bm25"),
    "no_supporting_sentence": ("similar", "sentence", "denied", "opposed", "extremes"),
    "missing_terms": ("section", "numbers", "other_number"),
}
MESSAGES: Mapping[str, str] = {
    "weak_evidence": "What was found is only loosely related to the question.",
    "no_supporting_sentence": "No sentence of the documents supports an answer.",
    "missing_terms": "The passages found do not speak of all that the question names.",
}
NAMED = 5  # missing terms that a message names


@dataclass(frozen=True, slots=True)
class Sign:
    """What one sign weighs per deviation from its mean, both over the questions that the model was fitted on."""

    weight: float
    mean: float
    deviation: float


@dataclass(frozen=True, slots=True)
class Model:
    """Logistic regression: the log-odds of an answer are `base` and each sign's part. From `answer_from` on
    there is one."""

    base: float
    answer_from: float
    signs: Mapping[str, Sign]

    def parts(self, found: Evidence) -> dict[str, float]:
        """What each sign adds to the log-odds; one that is not known adds nothing."""
        values = {name: getattr(found, name) for name in self.signs}
        return {
            name: sign.weight * (values[name] - sign.mean) / sign.deviation if values[name] is not None else 0.0
            for name, sign in self.signs.items()
        }

    def odds(self, found: Evidence) -> float:
        """The log-odds of an answer."""
        return self.base + sum(self.parts(found).values())


@dataclass(frozen=True, slots=True)
class Policy:
    """From which log-odds on an answer is given; None takes the fitted threshold, -inf answers always."""

    answer_from: float | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether to abstain; the reason is a stable code, the message one sentence for people."""

    abstain: bool
    reason: str | None = None
    message: str = ""


@cache
def models() -> Mapping[str, Model]:
    """The fitted models: `vectors` where the passages were compared with the question, `words` where not.

    Their numbers stand in `abstain.json` with the command that fitted them and on what.
    """
    data = json.loads(Path(__file__).with_name("abstain.json").read_text("utf-8"))
    return {
        name: Model(
            float(model["base"]),
            float(model["answer_from"]),
            {sign: Sign(*map(float, numbers)) for sign, numbers in model["signs"].items()},
        )
        for name, model in data["models"].items()
    }


def decide(found: Evidence, policy: Policy | None = None) -> Decision:
    """Abstain, and why. Reasons: no_hits, weak_evidence, no_supporting_sentence, missing_terms."""
    if not found.hits:
        return Decision(True, "no_hits", "Nothing in the documents matches the question.")
    model = models()["words" if found.cosine is None else "vectors"]
    wanted = (policy or Policy()).answer_from
    if model.odds(found) >= (model.answer_from if wanted is None else wanted):
        return Decision(False)
    reason = _reason(model.parts(found))
    named = ", ".join(found.missing[:NAMED])
    if reason == "missing_terms" and named:
        return Decision(True, reason, f"The passages found do not mention: {named}.")
    return Decision(True, reason, MESSAGES[reason])


def _reason(parts: Mapping[str, float]) -> str:
    return min(REASONS, key=lambda reason: sum(parts.get(sign, 0.0) for sign in REASONS[reason]))
