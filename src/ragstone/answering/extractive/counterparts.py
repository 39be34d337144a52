"""Sentences of other documents that say the same of another subject, where a question does not say which it means: of
two contracts with a deposit, both."""

from collections.abc import Sequence

from ragstone.answering.extractive.compared_text import text_above
from ragstone.answering.extractive.passages import Passage
from ragstone.answering.extractive.question_analysis import QuestionAnalysis
from ragstone.answering.extractive.scored_passages import ScoredPassage, passage_order, sort_for_reading
from ragstone.core.analyzer import extract_terms
from ragstone.core.comparable_words import parse_words_once
from ragstone.core.document_names import list_name_words

MOST = 2  # counterparts that an answer shows
LOOKED_AT = 24  # passages, best first
ASKED = 0.75  # of a question's mass that the best sentence and the names above it say
SHARED, FEWEST = 0.6, 2  # of the words of the shorter sentence beside its names and figures
UNASKED = ("why", "how_to")  # kinds of questions with longer answers


def add_counterparts(
    question: QuestionAnalysis, chosen: Sequence[ScoredPassage], ranked: Sequence[ScoredPassage]
) -> list[ScoredPassage]:
    """The chosen passages, and the counterparts of the best one in reading order, one of each other document."""
    best = min(chosen, key=passage_order, default=None)
    if best is None or question.kind in UNASKED or not best.passage.is_prose:
        return list(chosen)
    said = _list_said(question, best)
    mass = question.total_weight or 1.0
    if sum(question.weights[term] for term in sorted(said)) < ASKED * mass:
        return list(chosen)
    out = list(chosen)
    known = {one.passage.chunk.document.id for one in chosen}
    for one in ranked[:LOOKED_AT]:
        document = one.passage.chunk.document.id
        if len(out) == len(chosen) + MOST:
            break
        if document not in known and _is_counterpart(best, one) and said <= _list_said(question, one):
            out.append(one)
            known.add(document)
    return sort_for_reading(out) if len(out) > len(chosen) else out


def _list_said(question: QuestionAnalysis, one: ScoredPassage) -> frozenset[str]:
    """The terms of a question in a passage and in the names above it."""
    document = one.passage.chunk.document
    names = list_name_words(document.path, document.title, document.meta)
    above = " ".join((text_above(one.passage.chunk, one.passage.closed), *one.passage.sections, *names))
    return (one.covered | question.find_terms(frozenset(extract_terms(above)), above)) & question.weights.keys()


def _is_counterpart(best: ScoredPassage, other: ScoredPassage) -> bool:
    """Whether a sentence says nearly the same as the best one of other names or figures, and as much as is asked."""
    mine, its = best.passage, other.passage
    if not its.is_prose or not best.covered or not best.covered <= other.covered or best.typed > other.typed:
        return False
    if mine.terms <= its.terms or its.terms <= mine.terms:
        return False
    one, another = (_list_words(passage) for passage in (mine, its))
    return len(one & another) >= max(FEWEST, SHARED * min(len(one), len(another)))


def _list_words(passage: Passage) -> set[str]:
    """The words of a sentence but names and figures; the first one may be either."""
    words = parse_words_once(passage.text)
    return {word.key for word in words if word.kind == "word" or (word.kind == "name" and not word.sure)}
