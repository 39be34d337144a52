"""The best global alignment of two runs of words (Needleman and Wunsch 1970)."""

from collections.abc import Callable, Sequence

GAP = -0.3  # a word without a pair
Pairs = list[tuple[int, int]]


def pair_words(
    left: Sequence[int], right: Sequence[int], score: Callable[[int, int], float], *, head: float = GAP
) -> Pairs:
    """The pairs of words, in order; `score` rates one pair, `head` each first word of the left run without a pair."""
    scores = [[score(j, k) for k in right] for j in left]
    best = [[GAP * c for c in range(len(right) + 1)]]
    for r, scored in enumerate(scores, 1):
        above, row = best[-1], [head * r]
        for c, own in enumerate(scored):
            row.append(max(above[c] + own, above[c + 1] + GAP, row[c] + GAP))
        best.append(row)
    pairs: Pairs = []
    r, c = len(left), len(right)
    while r and c:
        if best[r][c] == best[r - 1][c - 1] + scores[r - 1][c - 1]:
            r, c = r - 1, c - 1
            pairs.append((left[r], right[c]))
        elif best[r][c] == best[r - 1][c] + GAP:
            r -= 1
        else:
            c -= 1
    return pairs[::-1]
