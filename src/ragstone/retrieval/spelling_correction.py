"""A question whose words are in no passage, though words one slip away from them are.

The words that a collection has are its dictionary, for names and terms of trade are in no other. A word that no passage
has and that is not a slip of one stays as it is, as each common English word does.
"""

import asyncio
import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, islice

from ragstone import guard
from ragstone.core import analyzer
from ragstone.core.trace import Trace
from ragstone.retrieval.passages_by_words import NO_CORRECTIONS, Corrections, read_best
from ragstone.retrieval.question import Question
from ragstone.retrieval.readers import SourceView
from ragstone.retrieval.spelling import (
    FIRM,
    LIKELY,
    SHORTEST,
    SPELLING,
    SURE,
    describe_correction,
    describe_written,
    find_common_word,
    find_small_word,
    is_common_english,
    is_english,
    list_slips,
    list_unusual_words,
    looks_misspelt,
    rank_word,
    replace_words,
)
from ragstone.retrieval.value_correction import find_written_values

NEVER = "qxzjvkwqxzjvk"  # no passage has it, so that it weighs as much as such words do
FORMS = 12  # of a word, that passages are searched for by
TRIED = 3  # words, the most frequent first
MOST = 4  # words of a question that are looked up
FOREIGN = 6  # letters of a word in another language than English that may have a wrong letter
FREQUENT = 5.5  # the weight of a word in one of 250 passages: rarer ones are what a word looks like by chance
CLOSE = 1e-6


async def find_corrections(
    views: Sequence[SourceView], question: Question, trace: Trace, *, seconds: float
) -> Corrections:
    """Each word of a question that no passage has, and how passages spell it, with a note; none where a language model
    reads the question first, and where this fails or takes longer than `seconds`."""
    if not question.correct_spelling or question.hyde != "off" or question.multi_query:
        return NO_CORRECTIONS
    found = await trace.attempt(SPELLING, _search_corrections(views, question), NO_CORRECTIONS, seconds=seconds)
    for wrong, right in found.items():
        trace.note(SPELLING, describe_correction(wrong, right))
    values = await trace.attempt(SPELLING, find_written_values(views, question), NO_CORRECTIONS, seconds=seconds)
    for asked, written in values.items():
        trace.note(SPELLING, describe_written(asked, written))
    return {**found, **values}


def correct_question(question: Question, corrections: Corrections) -> Question:
    """The question with its words corrected."""
    return replace(question, text=replace_words(question.text, corrections)) if corrections else question


async def _search_corrections(views: Sequence[SourceView], question: Question) -> Corrections:
    words = list_unusual_words(question.text)
    if not words:
        return NO_CORRECTIONS
    known = [await _list_known(view, question.text, words) for view in views]
    unknown = [word for word in words if not any(word in one for one in known)]
    found = {word: await _find_correction(views, question, word) for word in unknown[:MOST]}
    return {word: right for word, right in found.items() if right is not None}


async def _list_known(view: SourceView, text: str, words: Sequence[str]) -> set[str]:
    """The words of a question that a view surely has: they weigh less than words in no passage do."""
    weights = await view.reader.idf(text)
    info = await view.reader.info() if view.source.is_table else view.info  # whose rows are counted only now
    unseen = math.log(2 * info.chunks + 2)  # the idf of a word in none of them
    return {word for word in words if _weigh_word(weights, word.casefold()) < unseen - CLOSE}


def _weigh_word(weights: Mapping[str, float], word: str) -> float:
    """The weight of a word by its stem, or by itself in stores that have no stems; infinite where it has none."""
    terms = (*analyzer.list_token_terms(word)[:1], word)
    return min((weights[term] for term in terms if term in weights), default=math.inf)


async def _find_correction(views: Sequence[SourceView], question: Question, word: str) -> str | None:
    """The word that `word` is a slip of: a small word of the question's language, a word of the passages, the most
    frequent one, or where the slip is sure a common English word."""
    slips, lower = await asyncio.to_thread(list_slips, word.casefold()), word.casefold()
    languages = analyzer.find_languages(question.text)
    english = not languages and is_english(question.text)
    for language in languages or (("english",) if english else ()):
        if (small := find_small_word(slips, language)) is not None:
            return small
    if len(lower) > SHORTEST and (found := await _find_slip(views, question, lower, slips, english)) is not None:
        return found
    named = word.istitle() and not question.text.startswith(word)
    if named or not english or len(lower) < FIRM:
        return None
    return find_common_word({slip: kind for slip, kind in slips.items() if kind != LIKELY})


async def _find_slip(
    views: Sequence[SourceView], question: Question, word: str, slips: Mapping[str, int], english: bool
) -> str | None:
    """The word that most passages have of those that `word` may be a slip of. In other languages than English, whose
    words no dictionary knows here, short words and other forms of a word are left."""
    best: dict[str, float] = {}
    for view in views:
        for slip, weight in (await _weigh_slips(view, word, slips)).items():
            best[slip] = min(weight, best.get(slip, math.inf))
    languages = analyzer.find_languages(question.text, asked=not english)
    others = [slip for slip in best if not _is_same_word(slip, word, languages if slips[slip] != SURE else ())]
    if not (looks_misspelt(word) if english else len(word) >= FOREIGN):
        others = [slip for slip in others if slips[slip] != LIKELY or (english and best[slip] <= FREQUENT)]
    order = sorted(others, key=lambda slip: (round(best[slip], 6), slips[slip], rank_word(slip), slip))
    inflected = None
    for _, forms in islice(groupby(order, key=lambda slip: round(best[slip], 6)), TRIED):
        whole, form = await _find_in_passages(views, question, list(forms)[:FORMS])
        if whole is not None:
            return whole
        inflected = inflected or form
    return inflected if english else None


def _is_same_word(slip: str, word: str, languages: Sequence[str]) -> bool:
    """Whether a slip is another form of the word in a language of the question: both are found with each other."""
    return any(len(set(analyzer.stem_words([slip, word], language))) == 1 for language in ("english", *languages))


async def _weigh_slips(view: SourceView, word: str, slips: Collection[str]) -> dict[str, float]:
    """The slips that a view has, each with its weight; none where it has the word itself."""
    asked = " ".join((NEVER, word, *slips))
    weights = await view.reader.idf(asked)
    unseen = _weigh_word(weights, NEVER) - CLOSE
    if _weigh_word(weights, word) < unseen:
        return {}
    rated = {slip: max(_weigh_word(weights, part) for part in slip.split()) for slip in slips}
    return {slip: weight for slip, weight in rated.items() if weight < unseen}


async def _find_in_passages(
    views: Sequence[SourceView], question: Question, forms: Sequence[str]
) -> tuple[str | None, str | None]:
    """The form that most passages have of those that the caller may see, and the common English one of which most have
    another form; None where they have no such word."""
    seen: Counter[str] = Counter()
    for view in views:
        for chunk in await read_best(view, " ".join(forms), question.where):
            words = analyzer.list_lower_words(guard.mask_secrets(chunk.text, chunk.spans, chunk.secrets))
            text = f" {' '.join(words)} "
            seen.update(form for form in forms if f" {form} " in text)
            seen.update(set(words).difference(forms))
    whole = [form for form in forms if seen[form]]
    alike = {form: sum(seen[word] for word in seen if _is_inflection(word, form)) for form in forms}
    inflected = max(alike, key=alike.__getitem__, default=None)
    return max(whole, key=seen.__getitem__, default=None), inflected if inflected and alike[inflected] else None


def _is_inflection(word: str, form: str) -> bool:
    """Whether a word of the passages is another form of a slip that is a common English word: what is no word has a
    stem too."""
    return (
        word.isalpha()
        and is_common_english(form)
        and analyzer.list_token_terms(word) == analyzer.list_token_terms(form)
    )
