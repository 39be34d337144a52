"""Logistic regression by Newton's method, as both models of this folder are fitted."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
FREE = 1e-3  # the penalty of a base, so that the curve can be turned round


def logistic(signs: Floats, answers: Floats, weights: Floats, *, penalised: int, penalty: float) -> Floats:
    """One number a column: the first `penalised` under an L2 penalty, the others are bases."""
    found = np.zeros(signs.shape[1])
    costs = np.diag([penalty] * penalised + [FREE] * (signs.shape[1] - penalised))
    for _ in range(100):
        chance = 1 / (1 + np.exp(-signs @ found))
        slope = signs.T @ (weights * (chance - answers)) + costs @ found
        curve = (signs * (weights * chance * (1 - chance))[:, None]).T @ signs + costs
        step = np.linalg.solve(curve, slope)
        found -= step
        if np.abs(step).max() < 1e-9:
            break
    return found
