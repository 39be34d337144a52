"""The rule between answer and abstention, and its calibration on the user's own questions: the log-odds from which
to answer, and the probability of an answer."""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, Literal

from ragstone.core.errors import ConfigError

NUMBERS = "abstain.json"
SCHEMA = 1
RERANK_THRESHOLD = 0.15  # of the best hit, on the reranker's scale from 0 to 1
RRF_THRESHOLD = 0.030  # of the best hit where two retrievers answered: about rank 6 in both
NO_SCORES = (  # where there is neither
    "answer.abstain thresholds judges the scores of RRF or of a reranker: set search.fusion to rrf, or "
    "answer.abstain to fitted or never"
)
SignSet = Literal["vectors", "words"]
Rule = Literal["fitted", "thresholds", "never"]
REFIT_HINT = "fit it anew with `ragstone eval --calibrate`, or set answer.calibration to none"


@dataclass(frozen=True, slots=True)
class Calibration:
    """signs, model, edition, place: what it is of: the signs with or without vectors, the embedding model, the
    shipped numbers, store and collection (None in a file of an earlier version). An answer's chance is
    logistic(slope * log-odds + shift).

    wanted: the false-answer rate that was asked for, the share of the answers given that nothing supports. promised:
    what it was in cross-validation, with its 95 % interval `low` to `high`; answered: the share of questions.
    """

    signs: SignSet
    answer_from: float
    slope: float = 1.0
    shift: float = 0.0
    model: str | None = None
    edition: str = ""
    wanted: float = 0.0
    promised: float = 0.0
    low: float = 0.0
    high: float = 1.0
    answered: float = 1.0
    answerable: int = 0
    unanswerable: int = 0
    place: str | None = None

    def chance(self, odds: float) -> float:
        """How likely, from 0 to 1, a question with these log-odds can be answered."""
        x = max(-40.0, min(40.0, self.slope * odds + self.shift))
        return round(1 / (1 + math.exp(-x)), 6)


SHIPPED = Calibration("vectors", 0.0)


@dataclass(frozen=True, slots=True)
class AbstentionPolicy:
    """The rule that decides. rule: the fitted model, thresholds on rerank and RRF scores (see
    `abstain.decide_by_thresholds`), or nothing: every question with a passage is answered. answer_from: from which
    log-odds on, in place of the fitted ones. calibration: the rule fitted on the user's own questions. unfit: why the
    configured one does not decide here. The thresholds are those of the rule of this name."""

    rule: Rule = "fitted"
    answer_from: float | None = None
    calibration: Calibration | None = None
    unfit: str | None = None
    rerank_threshold: float = RERANK_THRESHOLD
    rrf_threshold: float = RRF_THRESHOLD


@cache
def model_edition() -> str:
    """Which shipped numbers these are: a calibration holds for those that it was fitted on."""
    return hashlib.sha256(Path(__file__).with_name(NUMBERS).read_bytes()).hexdigest()[:12]


def render_calibration(one: Calibration) -> str:
    """The calibration as its file holds it."""
    return json.dumps({"schema": SCHEMA, **asdict(one)}, indent=1) + "\n"


def read_calibration(path: str | Path, *, edition: str) -> Calibration:
    """The calibration in a file; raises `ConfigError` for one that is unreadable, or of another edition."""
    one = _parse_calibration(path)
    if one.edition != edition:
        raise ConfigError(f"calibration {path}: was made by another version of Ragstone; {REFIT_HINT}")
    return one


def check_model(one: Calibration, path: str | Path, *, model: str | None) -> None:
    """Raises `ConfigError` for a calibration of vectors of another model."""
    if one.signs == "vectors" and one.model != model:
        raise ConfigError(
            f"calibration {path}: was made for the embedding model {one.model}, but the model is {model}; {REFIT_HINT}"
        )


def _parse_calibration(path: str | Path) -> Calibration:
    try:
        data = json.loads(Path(path).expanduser().read_text("utf-8-sig"))
    except OSError as error:
        raise ConfigError(f"calibration {path}: cannot be read: {error.strerror or error}; {REFIT_HINT}") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"calibration {path}: is not JSON: {error}; {REFIT_HINT}") from error
    if not isinstance(data, dict) or data.pop("schema", None) != SCHEMA or not _is_complete(data):
        raise ConfigError(f"calibration {path}: is not a calibration of schema {SCHEMA}; {REFIT_HINT}")
    return Calibration(**data)


def _is_complete(data: Mapping[str, Any]) -> bool:
    text = {"signs", "model", "edition", "place"}
    named = data.keys() | {"place"} == {field.name for field in fields(Calibration)} and data["signs"] in (
        "vectors",
        "words",
    )
    return named and all(_is_text(data[name]) if name in text else _is_number(data[name]) for name in data)


def _is_text(value: object) -> bool:
    return value is None or isinstance(value, str)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
