"""Passages of two documents that contradict each other in answer to one question."""

from collections.abc import Sequence, Set
from dataclasses import dataclass

from ragstone.answering.extractive.compared_text import text_above
from ragstone.answering.extractive.passages import Passage
from ragstone.answering.extractive.question_analysis import QuestionAnalysis
from ragstone.answering.extractive.scored_passages import ScoredPassage
from ragstone.core.analyzer import extract_terms
from ragstone.core.comparable_words import Word, parse_words_once
from ragstone.core.contrary_words import is_opposite
from ragstone.core.passage_difference import is_turning

MOST = 2  # rivals that an answer shows
LOOKED_AT = 40  # passages, best first
ASKED = 0.5  # share of the question's mass that both passages are about
APART = 0.2  # share of it that one of them may be about alone
ALIKE = 0.6  # Jaccard similarity of what both say beside the difference, for figures
NEARLY_EQUAL = 0.75  # the same for names, denials and opposites, which part two facts as often as two versions of one
FEWEST = 2  # content words that both say


@dataclass(frozen=True, slots=True)
class Rivals:
    """Two passages that contradict each other, the one of the answer first, and in what: the words of each."""

    ours: ScoredPassage
    theirs: ScoredPassage
    said: str
    stands: str


def find_rivals(
    question: QuestionAnalysis, chosen: Sequence[ScoredPassage], ranked: Sequence[ScoredPassage]
) -> list[Rivals]:
    """The passages that contradict one of the answer, best first.

    Both are sentences or list items of different documents, are about the same part of the question and say the same
    but for one figure, name, denial or opposite.
    """
    out: list[Rivals] = []
    places = {(one.passage.hit, one.passage.index) for one in chosen}
    taken = [one for one in ranked if (one.passage.hit, one.passage.index) in places]
    for other in [*taken, *(one for one in ranked[:LOOKED_AT] if one not in taken)]:
        for ours in taken[: taken.index(other)] if other in taken else taken:
            if found := _compare(question, ours, other):
                out.append(found)
                break
        if len(out) == MOST:
            break
    return out


def _compare(question: QuestionAnalysis, ours: ScoredPassage, theirs: ScoredPassage) -> Rivals | None:
    one, other = ours.passage, theirs.passage
    if one.chunk.document.id == other.chunk.document.id or not (one.is_prose and other.is_prose):
        return None
    difference = find_contradiction(one.text, other.text)
    if difference is None or not _are_about_the_same(question, ours, theirs, difference):
        return None
    return Rivals(ours, theirs, *difference)


def _are_about_the_same(
    question: QuestionAnalysis, ours: ScoredPassage, theirs: ScoredPassage, difference: tuple[str, str]
) -> bool:
    """Whether two passages are about one part of the question, by their words and those above them."""
    differing = {term for text in difference for term in extract_terms(text)}
    asked = question.weights.keys() - differing
    one, other = (
        asked & (one.passage.terms | frozenset(extract_terms(_text_above(one.passage)))) for one in (ours, theirs)
    )
    mass = _weigh(question, asked) or 1.0
    return (
        bool(asked & ours.passage.terms & theirs.passage.terms)
        and _weigh(question, one & other) >= ASKED * mass
        and _weigh(question, one ^ other) <= APART * mass
    )


def _text_above(passage: Passage) -> str:
    return " ".join((text_above(passage.chunk, passage.closed), *passage.sections))


def _weigh(question: QuestionAnalysis, terms: Set[str]) -> float:
    return sum(question.weights[term] for term in sorted(terms))


def find_contradiction(one: str, other: str) -> tuple[str, str] | None:
    """The words in which two sentences contradict each other; None where they agree, or say other things.

    >>> find_contradiction("The notice period is 15 days.", "The notice period is 30 days for all.")
    ('15 days', '30 days')
    >>> find_contradiction("Adults pay 15 euros.", "Children pay 10 euros.")
    """
    first, second = parse_words_once(one), parse_words_once(other)
    left, right = list_figures(first, one), list_figures(second, other)
    mine, theirs = ([name for key, name in a.items() if key not in b] for a, b in ((left, right), (right, left)))
    own = _list_own_words(first, second), _list_own_words(second, first)
    names = [[word for word in side if word.kind in ("name", "code")] for side in own]
    if mine or theirs:  # one figure in place of another; two are two things, such as a year and its sales
        alone = len(mine) == len(theirs) == 1 and not any(word.sure for side in names for word in side)
        return (mine[0], theirs[0]) if alone and _are_alike(first, second, (), ALIKE) else None
    if all(len(side) == 1 for side in names):
        [a], [b] = names
        return _pair(a, b, one, other) if _are_alike(first, second, (a, b), NEARLY_EQUAL) else None
    if any(names):
        return None
    for a in own[0]:
        for b in own[1]:
            if is_opposite(a, b) and _are_alike(first, second, (a, b), NEARLY_EQUAL):
                return _pair(a, b, one, other)
    denials = [[word for word in words if is_turning(word)] for words in (first, second)]
    if len(denials[0]) % 2 != len(denials[1]) % 2 and _are_alike(first, second, (), NEARLY_EQUAL):
        said, stands = (", ".join(word.lower for word in side) for side in denials)
        return said or "no denial", stands or "no denial"
    return None


def list_figures(words: Sequence[Word], text: str) -> dict[tuple[str, ...], str]:
    """The figures of a sentence, as they are written: a number with its unit, a date whole."""
    out: dict[tuple[str, ...], str] = {}
    run: list[Word] = []
    for word in (*words, None):
        near = word is not None and bool(run) and word.start - run[-1].end <= 2
        if word is not None and word.kind in ("number", "month") and (not run or near):
            run.append(word)
            continue
        if run:
            end = word.end if word is not None and near and run[-1].unit else run[-1].end
            out[tuple(f"{one.key} {one.unit}" for one in run)] = " ".join(text[run[0].start : end].split())
        run = [word] if word is not None and word.kind in ("number", "month") else []
    return out


def _list_own_words(words: Sequence[Word], others: Sequence[Word]) -> list[Word]:
    """The words that only one of two sentences has, but figures and denials."""
    there = {word.key for word in others}
    return [w for w in words if w.key not in there and w.kind not in ("number", "month") and not is_turning(w)]


def _are_alike(first: Sequence[Word], second: Sequence[Word], without: Sequence[Word], least: float) -> bool:
    """Whether two sentences say the same beside their figures, denials and the words `without`."""
    left, right = (
        {w.key for w in words if w.kind not in ("light", "number", "month") and w not in without and not is_turning(w)}
        for words in (first, second)
    )
    return len(left & right) >= max(FEWEST, least * len(left | right))


def _pair(a: Word, b: Word, one: str, other: str) -> tuple[str, str]:
    return one[a.start : a.end], other[b.start : b.end]
