"""The words that a coordinated clause takes over from the one before it."""

from collections.abc import Sequence

from ragstone.answering.verification.fact_words import (
    ARTICLES,
    AUXILIARIES,
    PREPOSITIONS,
    PRONOUNS,
    SIDES,
    VERBS,
    is_content,
    kind_of,
    next_noun,
    previous_function,
)
from ragstone.answering.verification.word_similarity import compare_words
from ragstone.core.comparable_words import Word
from ragstone.core.contrary_words import is_denial

RIVAL = 0.45  # similarity from which two words compete for one place, as "adults" and "children" do
IRREGULAR = frozenset("won led ran took made kept fell rose sold lost then".split())
# How surely a word is taken over: whole, in a clause behind a semicolon, by a pronoun, beside a shared subject.
WHOLE, APART, MEANT, BESIDE = 1.0, 0.7, 0.6, 0.4
LONGEST_SUBJECT = 4  # content words

Clause = Sequence[int]  # places of words
Carried = dict[int, float]


def carry_words(words: Sequence[Word], before: Clause, carried: Carried, own: Clause, joint: str) -> Carried:
    """Words that a clause takes over from `before`, with those that it took over itself.

    All that it has no word of its own for where it has no verb, the subject where it begins with its verb, the verb
    where it ends with an auxiliary or a denial, and the nouns where it has a pronoun.
    """
    lows = [words[i].lower for i in own]
    source = [i for i in (*before, *carried) if is_content(words[i])]
    free = [i for i in source if not _has_rival(words, before, own, i)]
    subject = _list_subject(words, before, carried)
    begins = lows[0] in AUXILIARIES or is_denial(words[own[0]])
    if begins or (joint == "joint" and _begins_with_verb(words, own)):
        return {**dict.fromkeys(free, BESIDE), **dict.fromkeys(subject, WHOLE)}
    if lows[-1] in AUXILIARIES or is_denial(words[own[-1]]):
        return {i: WHOLE for i in free if i not in subject}
    if not any(low in AUXILIARIES or low in VERBS for low in lows):
        return dict.fromkeys(free, WHOLE if joint != "semicolon" else APART)
    if any(low in PRONOUNS for low in lows):
        return {i: MEANT for i in free if kind_of(words[i]) in ("word", "name")}
    return {}


def carry_pronoun(words: Sequence[Word], before: Clause, carried: Carried, own: Clause) -> Carried:
    """Nouns that a pronoun near the beginning of a new sentence may stand for."""
    if not any(words[i].lower in PRONOUNS for i in own[:6]):
        return {}
    return {i: 0.5 for i in (*before, *carried) if is_content(words[i]) and kind_of(words[i]) in ("word", "name")}


def _begins_with_verb(words: Sequence[Word], own: Clause) -> bool:
    """Whether a clause begins with a verb, as far as its first two words tell."""
    if len(own) < 2 or words[own[0]].kind != "word":
        return False
    low, after = words[own[0]].lower, words[own[1]]
    form = low.endswith(("s", "ed")) or low in IRREGULAR
    return form and (after.lower in ARTICLES | PREPOSITIONS | PRONOUNS or after.kind in ("number", "word"))


def _list_subject(words: Sequence[Word], clause: Clause, carried: Carried) -> list[int]:
    """The first content words of a clause, up to its verb or a preposition."""
    out: list[int] = []
    for i in clause:
        low = words[i].lower
        if out and (low in AUXILIARIES or low in VERBS or words[i].unit):
            break
        if out and low in PREPOSITIONS and low not in ("of", "over", "under"):
            break
        if is_content(words[i]):
            out.append(i)
        if len(out) >= LONGEST_SUBJECT:
            break
    return out or [i for i, sure in carried.items() if sure == WHOLE][:LONGEST_SUBJECT]


def _has_rival(words: Sequence[Word], before: Clause, own: Clause, i: int) -> bool:
    """Whether a clause has a word of its own in the place of word i of the clause before it."""
    word, kind = words[i], kind_of(words[i])
    if word.key in {words[k].key for k in own}:
        return False
    mine = previous_function(words, before, i) if i in before else ""
    if mine in PREPOSITIONS and any(words[k].lower == mine for k in own):
        return True
    if kind not in ("word", "unit"):
        return any(kind_of(words[k]) == kind for k in own)
    if word.lower in SIDES:
        return any(words[k].lower in SIDES for k in own)
    behind = next_noun(words, before, i)
    seen = {words[k].key for k in before}
    for k in own:
        other = words[k]
        if kind_of(other) != "word" or not is_content(other) or other.key in seen:
            continue
        if compare_words(word, other) >= RIVAL or (behind and next_noun(words, own, k) == behind):
            return True
        if mine and previous_function(words, own, k) == mine and mine not in ("aux", "#"):
            return True
    return False
