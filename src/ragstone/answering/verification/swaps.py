"""Where a name or a figure of a sentence stands in the place of another one of the passage."""

from collections.abc import Iterator, Sequence, Set

from ragstone.answering.verification.alignment import Alignment
from ragstone.answering.verification.contradictions import Disagreement
from ragstone.core.comparable_words import Word

REACH = 5  # words to each side that say what a name or a figure is about
# By how much another's surroundings must fit better than its own: set by hand on the training articles.
BETTER = {"name": 0.45, "figure": 0.45}
LIGHT = 0.35  # what a light word counts beside a content word

Span = tuple[int, int]
About = dict[tuple[int, str], float]


def find_swaps(found: Alignment, settled: Set[str] = frozenset()) -> Iterator[Disagreement]:
    """Names and figures whose surroundings in the passage are those of another one; not those whose keys are `settled`.

    Where one side says "by" and the other does not, the order of subject and object may have been turned: then
    the side on which a word stands is not looked at.
    """
    directed = _has_by(found.claim) == _has_by(found.passage)
    sure = {word.key for word in (*found.claim, *found.passage) if word.kind == "name" and word.sure}
    there = {kind: _find_spans(found.passage, kind, sure, found.piece) for kind in BETTER}
    about: dict[Span, About] = {}
    for kind, margin in BETTER.items():
        for span in _find_spans(found.claim, kind, sure, None):
            keys = _word_keys(found.claim, span)
            if keys & settled:
                continue
            own = [other for other in there[kind] if keys & _word_keys(found.passage, other)]
            rivals = [other for other in there[kind] if not keys & _word_keys(found.passage, other)]
            if not own or not rivals or (kind == "name" and _is_in_order(found, span)):
                continue
            here = _weigh_surroundings(found.claim, span, None, directed)
            for other in (*own, *rivals):
                about.setdefault(other, _weigh_surroundings(found.passage, other, found.piece, directed))
            best = max(rivals, key=lambda other: _surroundings_overlap(here, about[other]))
            if (
                _surroundings_overlap(here, about[best])
                > max(_surroundings_overlap(here, about[other]) for other in own) + margin
            ):
                yield Disagreement("swapped", _span_text(found.claim, span), _span_text(found.passage, best))
                break


def _find_spans(text: Sequence[Word], kind: str, sure: Set[str], piece: Sequence[int] | None) -> list[Span]:
    """Names of several words, and dates, as one."""
    out: list[Span] = []
    for i, word in enumerate(text):
        if _span_kind(word, sure) != kind:
            continue
        last = out[-1] if out else None
        together = last is not None and last[1] == i and word.start - text[i - 1].end <= (1 if kind == "name" else 2)
        dated = kind == "name" or (last is not None and any(text[k].kind == "month" for k in range(last[0], i + 1)))
        if last is not None and together and dated and (piece is None or piece[i] == piece[i - 1]):
            out[-1] = (last[0], i + 1)
        else:
            out.append((i, i + 1))
    return out


def _span_kind(word: Word, sure: Set[str]) -> str:
    if word.kind in ("number", "month"):
        return "figure"
    return "name" if word.kind == "code" or (word.kind == "name" and word.key in sure) else ""


def _word_keys(text: Sequence[Word], span: Span) -> set[str]:
    return {word.key for word in text[slice(*span)]}


def _span_text(text: Sequence[Word], span: Span) -> str:
    return " ".join(word.lower for word in text[slice(*span)])


def _has_by(text: Sequence[Word]) -> bool:
    return any(word.lower == "by" for word in text)


def _is_in_order(found: Alignment, span: Span) -> bool:
    """Whether the content words around a name stand on the same sides of it in the passage."""
    at = found.to[span[0]]
    if at is None:
        return True
    for step, begin in ((-1, span[0] - 1), (1, span[1])):
        seen = 0
        k = begin
        while 0 <= k < len(found.claim) and seen < 3:
            other = found.to[k]
            if other is not None and found.claim[k].kind != "light" and found.piece[other] == found.piece[at]:
                seen += 1
                if (other - at) * step < 0:
                    return False
            k += step
    return True


def _weigh_surroundings(text: Sequence[Word], span: Span, piece: Sequence[int] | None, directed: bool) -> About:
    """The words around a place and what they weigh, nearer ones more; names and figures are passed over."""
    out: About = {}
    for step, begin in ((-1, span[0] - 1), (1, span[1])):
        for distance in range(REACH):
            k = begin + step * distance
            if not 0 <= k < len(text) or (piece is not None and piece[k] != piece[span[0]]):
                break
            if text[k].kind in ("word", "light"):
                key = (step if directed else 0, text[k].key)
                weight = (LIGHT if text[k].kind == "light" else 1.0) / (1 + 0.5 * distance)
                out[key] = max(out.get(key, 0.0), weight)
    return out


def _surroundings_overlap(one: About, other: About) -> float:
    return sum(min(weight, other[key]) for key, weight in one.items() if key in other)
