"""Words of a question that may be misspelt, and the words that are one slip away from them.

Most misspelt words are one slip from the right one: a letter too many, too few or wrong, or two that changed places
(Damerau, CACM 7, 1964: over 80 %). Slips are those that people make at least three times as often as right words that
a collection does not have look like slips of its words (`benchmarks/retrieval/slips.py`): no wrong first letter.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from ragstone.core.analyzer import stem_words
from ragstone.core.answers import Note
from ragstone.core.languages import SMALL_WORDS
from ragstone.providers.minilm.wordpiece import WordPiece

SHORTEST = 3  # letters; shorter words are a slip away from many others
FIRM = 5  # letters; of shorter words only letters that are missing, changed places or were doubled are slips
LEAST_BASE = 4  # letters of a word that others are forms of
LONGEST = 32  # letters; longer words are names of code, or none
# Letters alone: a word with a digit, an underscore or a dot in it is a name that means what it says. Joined by hyphens
# each part is a word.
WORD = re.compile(r"(?<![\w.@#$/\\:])[^\W\d_]+(?:-[^\W\d_]+)*(?![\w@#$/\\]|[.:]\w)")
LETTERS = re.compile(r"[^\W\d_]+")
PART = re.compile(r"[^-]+")
SPELLING = "spelling"  # the code of the note on a word that was corrected
DESCRIBED = re.compile(r'searched for "(?P<right>[^"]+)"(?:: no passage has|, as passages write) "(?P<wrong>[^"]+)"')
QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|„[^“]*“|«[^»]*»|`[^`]*`")  # is meant as it is written
# By script: rows of the keyboard, vowels, and letters that sound alike or change places between keyboards.
KEYS = {
    "LATIN": ("qwertyuiop", "asdfghjkl", "zxcvbnm"),
    "CYRILLIC": ("йцукенгшщзхъ", "фывапролджэ", "ячсмитьбюё", "іїєґ"),
    "GREEK": (";ςερτυθιοπ", "ασδφγηξκλ", "ζχψωβνμάέήίόύώ"),
}
VOWELS = {"LATIN": "aeiouy", "CYRILLIC": "аеёиоуыэюяіїє", "GREEK": "αεηιουωάέήίόύώ"}
SOUNDS = {
    "LATIN": "scz sx ckq mn gj fv dt bp lr vw yz".split(),
    "CYRILLIC": "бп дт зс гкґ вф жшщ ьъ".split(),
    "GREEK": ["σς"],
}
ACCENTED = "àáâãäåāăąçćčďèéêëēęěğìíîïīñńňòóôõöőōřśšşťțţùúûüűůūýÿźżž"
PLAIN = {**{one: unicodedata.normalize("NFD", one)[0] for one in ACCENTED}, "ł": "l", "ø": "o", "đ": "d", "ı": "i"}
MARKED = {plain: [one for one, base in PLAIN.items() if base == plain] for plain in PLAIN.values()}
# As people type them who have no such keys.
SPELT_OUT = (("ae", "ä"), ("oe", "ö"), ("ue", "ü"), ("ss", "ß"), ("oe", "ø"), ("aa", "å"), ("oe", "œ"), ("ae", "æ"))
ACCENT, SURE, LIKELY = range(3)  # kinds of slips
# Who does, to whom it is done, and that it was done: endings that a slip would change into each other.
ENDINGS = frozenset(("er", "or", "ee", "ed", "es"))
FORMS = ("s", "es", "ed", "ing", "ly", "er", "ers", "or")  # of a common word
MOST = 100_000  # words of the dictionary
PIECES = 3  # that the built-in model cuts most misspelt words into, and few right ones

_dictionary = WordPiece()  # the words that are whole tokens of the built-in model: some 23,000 of English


def list_unusual_words(question: str) -> list[str]:
    """The words of a question that no dictionary vouches for: letters alone, no abbreviation in capitals, no name
    with capitals inside, nothing that is quoted.

    >>> list_unusual_words('How do I get reimbursd for `kubectl` and "Mayer" in v1.parkng?')
    ['reimbursd']
    """
    text = QUOTED.sub(" ", question)
    shouted = text.isupper()
    words = (part for whole in WORD.findall(text) for part in PART.findall(whole))
    return list(dict.fromkeys(word for word in words if _is_unusual(word, shouted=shouted)))


def _is_unusual(word: str, *, shouted: bool) -> bool:
    if not SHORTEST <= len(word) <= LONGEST or not (shouted or word.islower() or word.istitle()):
        return False
    lower = word.casefold()
    return _find_script(lower) is not None and not is_common(lower)


def is_common(word: str) -> bool:
    """Whether a word in lower case is a common English one or a form of one, or a small word of any language.

    >>> [is_common(word) for word in ("parking", "protons", "mapped", "tidied", "quale", "protns")]
    [True, True, True, True, True, False]
    """
    return is_common_english(word) or word in _list_small_words()


def is_common_english(word: str) -> bool:
    """Whether a word in lower case is a common English one or a form of one."""
    return in_dictionary(word) or any(map(in_dictionary, _list_bases(word)))


def in_dictionary(word: str) -> bool:
    """Whether a word in lower case is a common English one, as it is."""
    return _dictionary.find(word) is not None


def _list_bases(word: str) -> Iterator[str]:
    """What a word may be a form of."""
    for ending in FORMS:
        base = word.removesuffix(ending)
        if base != word and len(base) >= LEAST_BASE:
            yield base
            yield f"{base}e"
        if base != word and len(base) >= LEAST_BASE and base[-1] == base[-2]:
            yield base[:-1]
    if word.endswith(("ies", "ied")):
        yield f"{word[:-3]}y"


@cache
def _list_small_words() -> frozenset[str]:
    return frozenset[str]().union(*SMALL_WORDS.values())


def is_english(question: str) -> bool:
    """Whether a question may be in English: it has a common word, and at most one more that is none. Of short words the
    small ones of English count alone, for those of other languages look like them.

    >>> is_english("What is the most epxensive product?"), is_english("¿Cuántos días de vacaciones tengo al año?")
    (True, False)
    """
    words = LETTERS.findall(question.casefold())
    long = [word for word in words if len(word) >= LEAST_BASE]
    short = sum(1 < len(word) < LEAST_BASE and word in SMALL_WORDS["english"] for word in words)
    common = sum(map(is_common_english, long))
    return 0 < common + short >= len(long) - common - 1


def find_small_word(slips: Mapping[str, int], language: str) -> str | None:
    """The likeliest slip that is a small word of this language; of others than English the dictionary does not know all
    words, so that only sure slips count.

    >>> find_small_word(list_slips("whih"), "english"), find_small_word(list_slips("faut"), "french")
    ('which', None)
    """
    known = SMALL_WORDS[language]
    small = [slip for slip in slips if slip in known and (language == "english" or slips[slip] != LIKELY)]
    return min(small, key=lambda slip: (slips[slip], rank_word(slip), slip), default=None)


def find_common_word(slips: Mapping[str, int]) -> str | None:
    """The slip that is a common English word; None where there are several, not all of one stem.

    >>> find_common_word(list_slips("epxensive")), find_common_word(list_slips("brode"))
    ('expensive', None)
    """
    known = [slip for slip in slips if in_dictionary(slip)]
    least = min((slips[slip] for slip in known), default=ACCENT)
    likely = sorted((slip for slip in known if slips[slip] == least), key=rank_word)
    return likely[0] if len(set(stem_words(likely))) == 1 else None


def rank_word(word: str) -> int:
    """How rare a word is among the common English ones, as its place in the list; behind them all where it is none."""
    return _dictionary.find(word) or MOST


def looks_misspelt(word: str) -> bool:
    """Whether a word in lower case is made of more pieces than most words are that somebody spelt right."""
    return len(_dictionary.cut(word)) >= PIECES


def _find_script(word: str) -> str | None:
    """The script of all letters of a word; None where its letters are not known here."""
    if word.isascii():
        return "LATIN"
    scripts = {unicodedata.name(letter, "").split(" ")[0] for letter in set(word)}
    script = scripts.pop() if len(scripts) == 1 else None
    return script if script in KEYS else None


def list_slips(word: str) -> dict[str, int]:
    """All that a word in lower case may be a slip of, each with the kind of slip; also in two words or with a hyphen.
    Accents that are missing or too many are the likeliest, then letters that changed places or were doubled. Another
    ending of a word does not count: who leases is not who lets.

    >>> slips = list_slips("recieve")
    >>> slips["receive"] == SURE, slips["recive"] == LIKELY, "relieve" in slips, "lessee" in list_slips("lessor")
    (True, True, False, False)
    >>> [one in list_slips("timesheet") for one in ("time-sheet", "time sheet")]
    [True, True]
    >>> "kündigung" in list_slips("kuendigung")
    True
    """
    script = _find_script(word) or "LATIN"
    found = dict.fromkeys(_list_likely(word, script), LIKELY)
    found |= dict.fromkeys(_list_sure(word), SURE)
    found |= dict.fromkeys(_list_accents(word), ACCENT)
    found.pop(word, None)
    least = 0 if len(word) >= FIRM else len(word) + 1 if len(word) > SHORTEST else LONGEST  # letters of a likely one
    return {
        slip: kind
        for slip, kind in found.items()
        if (kind != LIKELY or len(slip) >= least) and not _is_other_ending(word, slip)
    }


def _is_other_ending(word: str, slip: str) -> bool:
    return word[:-1] == slip[:-1] and {word[-2:], slip[-2:]} <= ENDINGS


def _list_accents(word: str) -> Iterator[str]:
    for at, letter in enumerate(word):
        for other in (*MARKED.get(letter, ()), *PLAIN.get(letter, "")):
            yield word[:at] + other + word[at + 1 :]
    yield from (word.replace(spelt, letter) for spelt, letter in SPELT_OUT if spelt in word)


def _list_sure(word: str) -> Iterator[str]:
    """Two letters that changed places, and letters that are doubled or should be."""
    for at in range(1, len(word)):
        yield word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :] if at > 1 else word
        yield word[:at] + word[at + 1 :] if word[at] == word[at - 1] else word
        yield word[:at] + word[at] + word[at:]


def _list_likely(word: str, script: str) -> Iterator[str]:
    """The first two letters that changed places; a letter too many, too few, or in place of one that is near by or
    sounds alike; two words that are written as one."""
    letters, vowels = "".join(KEYS[script]), VOWELS[script]
    yield word[1] + word[0] + word[2:]
    for at in range(1, len(word)):
        before, after = word[:at], word[at + 1 :]
        for other in letters:
            yield before + other + word[at:]
        for other in _list_neighbours(word[at], script):
            if after or other not in vowels or {other, word[at]} == {"i", "y"}:
                yield before + other + after
        if after:
            yield before + after
        if 3 <= at <= len(word) - 3:
            yield f"{before}-{word[at:]}"
            yield f"{before} {word[at:]}"
    yield from (word + other for other in letters if other not in vowels)


@cache
def _list_neighbours(letter: str, script: str) -> str:
    """The letters that are typed or heard for another one."""
    found = [group for group in (VOWELS[script], *SOUNDS[script]) if letter in group]
    for number, row in enumerate(KEYS[script]):
        if letter in row:
            at = row.index(letter)
            beside = [row[max(at - 1, 0) : at + 2]]
            above = [KEYS[script][number - 1][at : at + 2]] if number else []
            below = [line[max(at - 1, 0) : at + 1] for line in KEYS[script][number + 1 : number + 2]]
            found += beside + above + below
    return "".join(dict.fromkeys("".join(found).replace(letter, "")))


def describe_correction(wrong: str, right: str) -> str:
    """The message of the note on a word."""
    return f'searched for "{right}": no passage has "{wrong}"'


def describe_written(asked: str, written: str) -> str:
    """The message of the note on a date or a number."""
    return f'searched for "{written}", as passages write "{asked}"'


def respell_question(question: str, notes: Iterable[Note]) -> str:
    """A question as it was searched for, by the notes on it."""
    found = (DESCRIBED.fullmatch(note.message) for note in notes if note.code == SPELLING)
    return replace_words(question, {match["wrong"]: match["right"] for match in found if match})


def replace_words(text: str, corrections: Mapping[str, str]) -> str:
    """The text with words replaced, capitals kept, and dates and numbers as they are.

    >>> replace_words("Recieve the Recieve-all on March 12, recieve!", {"recieve": "receive", "March 12": "2026-03-12"})
    'Receive the Receive-all on 2026-03-12, receive!'
    """
    values = {asked: written for asked, written in corrections.items() if any(map(str.isdigit, written))}
    if values:  # at once, for one may be a part of how another is written
        asked = "|".join(rf"\b{one}\b" if one.isalpha() else re.escape(one) for one in values)
        text = re.sub(asked, lambda match: values[match.group()], text)
    corrections = {wrong: right for wrong, right in corrections.items() if wrong not in values}
    lower = {wrong.casefold(): right for wrong, right in corrections.items()}

    def put(match: re.Match[str]) -> str:
        word = match.group()
        right = lower.get(word.casefold(), word)
        if right == word:
            return word
        return right.upper() if word.isupper() else right.title() if word.istitle() else right

    return WORD.sub(lambda whole: PART.sub(put, whole.group()), text)
