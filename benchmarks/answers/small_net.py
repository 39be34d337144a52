"""A net of one hidden layer beside a straight part, fitted by Adam from fixed seeds."""

import numpy as np
from regression import Floats

SEEDS = 4  # nets whose mean is taken
UNITS = 16  # hidden units of each
STEPS, RATE = 250, 0.02
FIRST, SECOND, SMALL = 0.9, 0.99, 1e-8  # what Adam remembers of slopes and of their squares


def fit_net(signs: Floats, answers: Floats, weights: Floats, penalty: float) -> tuple[float, Floats, Floats]:
    """The base, a number for each sign, and the hidden units: what each counts, its base, a number for each sign."""
    middle, scale = signs.mean(axis=0), signs.std(axis=0)
    scale[scale == 0] = 1.0
    scaled = (signs - middle) / scale
    base, straight, units = 0.0, np.zeros(signs.shape[1]), []
    for seed in range(SEEDS):
        into, at, out, direct, start = _fit_one(scaled, answers, weights, penalty, seed)
        base += float(start[0]) / SEEDS
        straight += direct / SEEDS
        into = into / scale[:, None]
        units.append(np.hstack([out[:, None] / SEEDS, (at - middle @ into)[:, None], into.T]))
    straight = straight / scale
    return base - float(middle @ straight), straight, np.vstack(units)


def apply_net(signs: Floats, net: tuple[float, Floats, Floats]) -> Floats:
    """The log-odds of rows of signs."""
    base, straight, units = net
    bent: Floats = np.tanh(signs @ units[:, 2:].T + units[:, 1]) @ units[:, 0]
    return base + signs @ straight + bent


def _fit_one(signs: Floats, answers: Floats, weights: Floats, penalty: float, seed: int) -> list[Floats]:
    chance = np.random.default_rng(seed)
    size = signs.shape[1]
    into = chance.normal(0, 0.3 / size**0.25, (size, UNITS))
    parts = [into, np.zeros(UNITS), chance.normal(0, 0.3, UNITS), np.zeros(size), np.zeros(1)]
    mean, square = [0 * part for part in parts], [0 * part for part in parts]
    for step in range(1, STEPS + 1):
        for n, slope in enumerate(_find_slopes(signs, answers, weights, penalty, parts)):
            mean[n] = FIRST * mean[n] + (1 - FIRST) * slope
            square[n] = SECOND * square[n] + (1 - SECOND) * slope**2
            move = (mean[n] / (1 - FIRST**step)) / (np.sqrt(square[n] / (1 - SECOND**step)) + SMALL)
            parts[n] = parts[n] - RATE * move
    return parts


def _find_slopes(signs: Floats, answers: Floats, weights: Floats, penalty: float, parts: list[Floats]) -> list[Floats]:
    into, at, out, direct, start = parts
    hidden = np.tanh(signs @ into + at)
    wrong = weights * (1 / (1 + np.exp(-(hidden @ out + signs @ direct + start[0]))) - answers)
    back = np.outer(wrong, out) * (1 - hidden * hidden)
    return [
        signs.T @ back + penalty * into,
        back.sum(axis=0),
        hidden.T @ wrong + penalty * out,
        signs.T @ wrong + penalty * direct,
        np.array([wrong.sum()]),
    ]
