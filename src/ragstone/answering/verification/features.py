"""How well a sentence is found in a passage, in figures, and the fitted model that weighs them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ragstone.answering.verification.alignment import WEIGHTS, Alignment, SourceText
from ragstone.answering.verification.contradictions import count_unsaid_extremes


@dataclass(frozen=True, slots=True)
class SupportSigns:
    """How well a sentence's words are found, as shares of their weight: `aligned` in the closest sentences or above
    them in heading and title, `near` elsewhere in the chunks, `longest` in one run. `pieces`: how many sentences it
    took beyond one, `runs`: for each content word; `extremes`: "first", "only" … that are not said; `similar`: the
    cosine of the sentence and the closest passage, None if it was not computed."""

    aligned: float = 0.0
    near: float = 0.0
    longest: float = 0.0
    runs: float = 0.0
    pieces: float = 0.0
    extremes: float = 0.0
    similar: float | None = None


def measure_support(found: Alignment, sources: Sequence[SourceText], cosines: Sequence[float]) -> SupportSigns:
    """The signs of an alignment; `cosines` are those of the sentence with its passages, as far as they are known."""
    weights = [WEIGHTS[word.kind] for word in found.claim]
    total = sum(weights) or 1.0
    content = sum(weight > 0 for weight in weights) or 1
    above = {word.key for word in found.claim for source in sources if word.key in source.heading_words}
    held = [j is not None or word.key in above for word, j in zip(found.claim, found.to, strict=True)]
    aligned = sum(weight for weight, one in zip(weights, held, strict=True) if one)
    said = {word.key for word in found.passage}
    near = sum(
        weight
        for word, weight, one in zip(found.claim, weights, held, strict=True)
        if not one and (word.key in said or any(word.key in source.pieces_by_word for source in sources))
    )
    return SupportSigns(
        aligned=round(aligned / total, 6),
        near=round(near / total, 6),
        longest=round(min(1.0, found.longest / total), 6),
        runs=round(found.runs / content, 6),
        pieces=float(len(found.pieces) - 1),
        extremes=float(count_unsaid_extremes(found)),
        similar=max(cosines, default=None),
    )


@dataclass(frozen=True, slots=True)
class SupportModel:
    """Logistic regression over the signs: log-odds that the passage supports the sentence, and from which on it
    does."""

    base: float
    verified_from: float
    doubtful_from: float
    word_from: float
    weights: Mapping[str, float]

    def odds(self, signs: SupportSigns) -> float:
        """The log-odds of support."""
        return round(self.base + sum(w * (getattr(signs, name) or 0.0) for name, w in self.weights.items()), 6)


@cache
def load_support_models() -> Mapping[str, SupportModel]:
    """The fitted models: `words` without, `vectors` with cosines. Their numbers stand in `support.json` with the
    command
    that fitted them and on what."""
    data = json.loads(Path(__file__).with_name("support.json").read_text("utf-8"))
    return {
        name: SupportModel(one["base"], one["verified_from"], one["doubtful_from"], one["word_from"], one["weights"])
        for name, one in data["models"].items()
    }
