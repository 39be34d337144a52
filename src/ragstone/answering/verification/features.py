"""How well a sentence is found in a passage, in figures, and the fitted model that weighs them."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ragstone.answering.verification.alignment import WEIGHTS, Alignment, SourceText
from ragstone.answering.verification.contradictions import count_unsaid_extremes, find_replacements
from ragstone.answering.verification.contrast import Contrast
from ragstone.answering.verification.fact_evidence import FactEvidence
from ragstone.answering.verification.rule_findings import RuleFindings
from ragstone.answering.verification.sides import SideFindings
from ragstone.answering.verification.word_similarity import compare_words, is_known

Signs = Mapping[str, float]
# What rules find. A rule errs where a sentence is said in other words: what it counts depends on the other signs.
RULES = tuple("bound condition date figure mixed name negation number only opposite order swapped unit".split())
STRANGE = 0.5  # similarity below which a word in another one's place is strange


def measure_alignment(found: Alignment, sources: Sequence[SourceText]) -> Signs:
    """How well a sentence's words are found, as shares of their weight: `aligned` in the closest sentences or above
    them in heading and title, `soft` also in words of near meaning, `longest` in one
    run. `pieces`: how many sentences it took beyond one, `runs`: for each content word; `extremes`: "first", "only" …
    that are not said."""
    weights = [WEIGHTS[word.kind] for word in found.claim]
    total = sum(weights) or 1.0
    above = {word.key for word in found.claim for source in sources if word.key in source.heading_words}
    held = [j is not None or word.key in above for word, j in zip(found.claim, found.to, strict=True)]
    aligned = sum(weight for weight, one in zip(weights, held, strict=True) if one)
    others = list({word.key: word for word in found.passage if word.kind != "light"}.values())
    soft = sum(
        weight * max(0.0, *(compare_words(word, other) for other in others))
        for word, weight, one in zip(found.claim, weights, held, strict=True)
        if others and weight and not one
    )
    return {
        "aligned": aligned / total,
        "soft": (aligned + soft) / total,
        "longest": measure_longest(found),
        "runs": found.runs / (sum(weight > 0 for weight in weights) or 1),
        "pieces": float(len(found.pieces) - 1),
        "extremes": float(count_unsaid_extremes(found)),
    }


def measure_agreement(
    found: Alignment, facts: FactEvidence, rules: RuleFindings, contrast: Contrast, sides: SideFindings
) -> Signs:
    """Whether the words are said as they stand: the evidence of the sentence's facts, how it chooses between facts of
    one frame, the sides of its limits, what rules found, and `strange`: a word in the place of one of another sense."""
    return {
        "strange": _measure_strangeness(found),
        **asdict(facts),
        **asdict(contrast),
        **{f"side_{name}": value for name, value in asdict(sides).items()},
        **_weigh_rules(found, facts, rules),
    }


def _weigh_rules(found: Alignment, facts: FactEvidence, rules: RuleFindings) -> dict[str, float]:
    """What the rules found; how sure a turned condition or a swap is depends on how the facts agree besides."""
    exchanged = rules.exchanges({word.lower for word in found.claim})
    found_rules = {name: float(name in rules.signs) for name in RULES}
    return {
        **{f"rule_{name}": value for name, value in found_rules.items()},
        "exchanged": float(exchanged),
        "condition": facts.covered**2 * found_rules["condition"],
        "swapped": max(facts.rival, min(1.0, 2 * facts.stolen)) * (found_rules["swapped"] and not exchanged),
    }


def measure_longest(found: Alignment) -> float:
    """How much of a sentence's weight the longest run of its words has."""
    total = sum(WEIGHTS[word.kind] for word in found.claim) or 1.0
    return min(1.0, found.longest / total)


def _measure_strangeness(found: Alignment) -> float:
    words = {word.lower: word for word in (*found.claim, *found.passage)}
    pairs = [(words[one], words[other]) for one, other in find_replacements(found)]
    near = [compare_words(one, other) for one, other in pairs if is_known(one) and is_known(other)]
    return max(0.0, STRANGE - min(near, default=STRANGE))


@dataclass(frozen=True, slots=True)
class WeighedSigns:
    """Log-odds as `base` plus a number for each sign, plus what the hidden `units` of a small net add; a sentence needs
    `verified_from`. A unit is what it counts, its base, and a number for each sign in the order of `weights`."""

    base: float
    verified_from: float
    weights: Mapping[str, float]
    units: Sequence[Sequence[float]] = ()

    def margin(self, signs: Signs) -> float:
        """The log-odds above those that are needed."""
        values = [signs.get(name, 0.0) for name in self.weights]
        given = [(n, value) for n, value in enumerate(values, 2) if value]
        bent = sum(unit[0] * math.tanh(unit[1] + sum(unit[n] * value for n, value in given)) for unit in self.units)
        straight = sum(w * value for w, value in zip(self.weights.values(), values, strict=True))
        return self.base - self.verified_from + straight + bent


@dataclass(frozen=True, slots=True)
class SupportModel:
    """Numbers fitted by `benchmarks/answers/fit_support.py`: whether a sentence is `found` at all, and whether
    it `agrees`. A word in the place of another is held to be another below the cosine `word_from`."""

    found: WeighedSigns
    agrees: WeighedSigns
    word_from: float

    def odds(self, signs: Signs) -> float:
        """The log-odds of support above those that are needed: of the two the lower."""
        return round(min(self.found.margin(signs), self.agrees.margin(signs)), 6)


@cache
def load_support_models() -> Mapping[str, SupportModel]:
    """The fitted models: `words` without, `vectors` with cosines. Their numbers stand in `support.json` with the
    command that fitted them and on what."""
    data = json.loads(Path(__file__).with_name("support.json").read_text("utf-8"))
    return {
        name: SupportModel(_read_weighed(one["found"]), _read_weighed(one["agrees"]), one["word_from"])
        for name, one in data["models"].items()
    }


def _read_weighed(one: Mapping[str, Any]) -> WeighedSigns:
    return WeighedSigns(one["base"], one["verified_from"], one["weights"], one.get("units", ()))
