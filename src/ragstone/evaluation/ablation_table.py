"""The effects of stages for programs (JSON, CSV) and for a person at a terminal."""

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict
from typing import TextIO

from ragstone.core.types import Json
from ragstone.evaluation.report import display_name, print_table
from ragstone.evaluation.stage_effects import StageEffect

# In the terminal; JSON and CSV have every measure.
SHOWN = ("nDCG@10", "Recall@10", "MRR")
SHOWN_OF_ANSWERS = ("AbstainAccuracy", "answered_sentence_hit", "answer_f1")


def ablation_json(effects: Sequence[StageEffect]) -> list[Json]:
    """The effects as plain data."""
    return [{**asdict(effect), "options": dict(effect.options)} for effect in effects]


def ablation_csv(effects: Sequence[StageEffect], depth: int | None) -> str:
    """A line for each stage and measure."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        "stage metric questions with without gain low high p milliseconds milliseconds_without".split(),
    )
    for effect in effects:
        for one in effect.gains:
            figures = [one.with_stage, one.without, one.gain.mean, one.gain.low, one.gain.high, one.gain.p]
            times = [effect.milliseconds, effect.milliseconds_without]
            row = [effect.stage, display_name(one.metric, depth), one.questions]
            writer.writerow([*row, *(f"{number:.6g}" for number in (*figures, *times))])
    return out.getvalue()


def print_ablation(
    effects: Sequence[StageEffect], file: TextIO, depth: int | None, *, title: str = "gain of each stage"
) -> None:
    """Print a row for each stage: its gain in the main measures, the interval of the first, the added milliseconds."""
    if not effects:
        print("no stage of this search can be left out", file=file)
        return
    names = [one.metric for effect in effects for one in effect.gains]
    first, *more = [name for name in (*SHOWN, *SHOWN_OF_ANSWERS) if name in names] or names[:1]
    rows = []
    for effect in effects:
        gains = {one.metric: one.gain for one in effect.gains}
        main = gains.get(first)
        figures = [f"{main.mean:+.3f}", f"{main.low:+.3f} – {main.high:+.3f}"] if main else ["–", "–"]
        others = [f"{gains[name].mean:+.3f}" if name in gains else "–" for name in more]
        added = f"{effect.milliseconds - effect.milliseconds_without:+.1f}"
        rows.append([effect.stage, *figures, *others, added])
    headings = ["stage", display_name(first, depth), "95 % interval", *(display_name(one, depth) for one in more), "ms"]
    print_table(file, headings, rows, title=f"{title}: with less without")
