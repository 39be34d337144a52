"""The best partition of a row of atoms into pieces: balanced, near the wanted size, at strong boundaries."""

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

# Below this share of the target a piece costs up to TINY_COST more: it says too little to be found.
TINY, TINY_COST = 0.2, 0.5
# Pieces longer than this many atoms are not looked at, which keeps the work linear.
WINDOW = 64


class Atom(NamedTuple):
    """A piece that is not split any further.

    `cut` is the cost of beginning a piece here, `join` that of running a piece through here. A piece
    does not run into a heading (`opens`) of a smaller `depth` than the one it began with: that would
    be the end of one section with the whole of another. `repeat` is the size of a table header that a
    piece beginning here shows again.
    """

    size: float
    cut: float = 0.0
    join: float = 0.0
    depth: int = 0
    opens: bool = False
    repeat: float = 0.0


def partition_atoms(atoms: Sequence[Atom], *, target: float, cap: float) -> list[int]:
    """Where pieces begin, so that the sum of costs is least; only an atom alone is ever over `cap`.

    A piece of size s costs (1 - s/target)² below the target, and more when it is tiny;
    ((s - target)/(cap - target))² above, at most 1.
    """
    n = len(atoms)
    best = [0.0] * (n + 1)
    after = [n] * (n + 1)
    for i in range(n - 1, -1, -1):
        least, size, joins = inf, atoms[i].repeat, 0.0
        for j in range(i, min(n, i + WINDOW)):
            atom = atoms[j]
            size += atom.size
            if j > i:
                joins += atom.join
                if size > cap or (atom.opens and atom.depth < atoms[i].depth):
                    break
            cost = _size_cost(size, target, cap) + joins + best[j + 1]
            if cost < least:
                least, after[i] = cost, j + 1
        best[i] = least + (atoms[i].cut if i else 0.0)
    starts = [0] if n else []
    while starts and after[starts[-1]] < n:
        starts.append(after[starts[-1]])
    return starts


def _size_cost(size: float, target: float, cap: float) -> float:
    if size > target:
        return min(1.0, ((size - target) / (cap - target)) ** 2) if cap > target else 1.0
    share = size / target
    return (1 - share) ** 2 + max(0.0, 1 - share / TINY) * TINY_COST
