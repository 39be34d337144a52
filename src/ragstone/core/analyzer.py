"""How text becomes terms: one analyser for every store, for ranking and for answers.

NFKC, case folded, without invisible characters in words; words and numbers; identifiers give themselves and their
parts (`getUserName`, `http_requests_total`, `Get-ChildItem`); Snowball stems; stop words; CJK runs as overlapping
pairs.

Texts searched by keywords have, where their language is known and is not English, the stems of that language beside
these, each with the language's name, so that texts in several languages share no stem by chance.
"""

import re
import threading
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain

import Stemmer

from ragstone.core.compounds import LINKS, SHORTEST_PART, split_compound
from ragstone.core.languages import SMALL_WORDS, detect_language, detect_languages
from ragstone.core.late_pattern import compile_late

# Lucene's English stop words, the set that the BM25 baselines are stated with.
STOP_WORDS = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they "
    "this to was will with".split()
)
CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0002ffff"
# Possessive where a shorter match could never help: nothing after it can fail.
TOKEN = compile_late(rf"[^\W_{CJK}][^\W{CJK}]*+(?:['’.\-+#][^\W{CJK}]++)*+[+#]{{0,2}}|[{CJK}]+")
ASCII_TOKEN = re.compile(r"[^\W_]\w*+(?:['.\-+#]\w++)*+[+#]{0,2}", re.ASCII)  # the same where no other letters are
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
SPLIT = re.compile(r"['’._\-+#]")
CJK_START = compile_late(f"[{CJK}]")
# Characters within words that nobody sees: soft hyphens, joiners of words, byte order marks, blanks without a width.
UNSEEN = "\u00ad\u2060\ufeff\u200b"
# Scripts of South East Asia part words by the last of these, so that it stays beside their letters.
PARTED = "\u0e00-\u109f\u1780-\u17ff\u1950-\u1aaf\u1b00-\u1b7f\ua980-\uaadf"
HIDING = compile_late(f"[{UNSEEN[:-1]}]|(?<![{PARTED}]){UNSEEN[-1]}(?![{PARTED}])")
LONGEST_TERM = 64
OWN_STEM = ":"  # between a language and a stem of it; no term has one
FEW_WORDS = 16  # of a question that does not tell its language and still has the stems of all
LONGEST_CACHED = 64  # characters; a longer token is hardly met twice, and a few of them would fill the memory
CACHE_SIZE = 200_000  # tokens

_local = threading.local()


def _stemmer(language: str) -> "Stemmer.Stemmer":
    stemmers: dict[str, Stemmer.Stemmer] = _local.__dict__.setdefault("stemmers", {})
    if language not in stemmers:
        stemmers[language] = Stemmer.Stemmer(language)
    return stemmers[language]


def stem_words(words: list[str], language: str = "english") -> list[str]:
    """The stems of words that are given in lower case."""
    stems: list[str] = _stemmer(language).stemWords(words)
    return stems


def _token_terms(token: str, language: str) -> tuple[str, ...]:
    """The terms of one raw token, case still as written."""
    if token.isascii() and token.isalpha() and (token.islower() or token.istitle()):  # most: one part, nothing to cut
        word = token.lower()
        return () if word in STOP_WORDS else (_stemmer(language).stemWord(word)[:LONGEST_TERM],)
    if CJK_START.match(token):
        return tuple(token[i : i + 2] for i in range(max(1, len(token) - 1)))
    token = token.replace("’", "'").removesuffix("'s")
    stem = _stemmer(language).stemWord
    whole = token.casefold()
    parts = [part for piece in SPLIT.split(token) for part in (PART.findall(piece) if piece.isascii() else [piece])]
    words = [whole] if len(parts) < 2 else [whole, *(part.casefold() for part in parts)]
    return tuple(stem(word)[:LONGEST_TERM] for word in words if word not in STOP_WORDS)


class _TermCache(dict[str, tuple[str, ...]]):
    """The terms of raw tokens of one language; forgets all when it is full, which no result depends on."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language

    def __missing__(self, token: str) -> tuple[str, ...]:
        if token.isdecimal() and token.isascii():  # there is no end of numbers, and they are quickly made
            return (token[:LONGEST_TERM],)
        found = _token_terms(token, self._language)
        if len(token) <= LONGEST_CACHED:
            if len(self) >= CACHE_SIZE:
                self.clear()
            self[token] = found
        return found


_terms_by_language = cache(_TermCache)  # by language


def extract_terms(text: str, language: str = "english") -> list[str]:
    """The terms of a text in order, repeats kept: what BM25 counts.

    >>> extract_terms("The Users' http_requests_total: 2 counters")
    ['user', 'http_requests_tot', 'http', 'request', 'total', '2', 'counter']
    """
    return list(chain.from_iterable(map(_terms_by_language(language).__getitem__, extract_tokens(text))))


def list_token_terms(token: str) -> tuple[str, ...]:
    """The terms of one raw token, as `extract_terms` gives those of a text."""
    return _terms_by_language("english")[token]


def extract_search_terms(text: str, *, asked: bool = False, beside: str = "") -> tuple[list[str], list[str]]:
    """The terms that keywords are compared by: those of `extract_terms`, and the stems of the text's own language,
    also those of the parts of its compounds. Words `beside` the text add terms and stems and do not tell its language.

    A question that does not tell its language, as a few keywords do not, has the stems of every language (`asked`).

    >>> extract_search_terms("Wie lange ist die Kündigungsfrist?")[1]
    ['german:lang', 'german:kundigungsfrist', 'german:kundig', 'german:frist']
    """
    tokens = list(extract_tokens(text))
    words = [token.replace("’", "'").casefold() for token in tokens]
    languages = _detect_languages(words, asked)
    if beside:
        tokens += extract_tokens(beside)
        words += list_lower_words(beside)
    terms = list(chain.from_iterable(map(_terms_by_language("english").__getitem__, tokens)))
    return terms, [stem for one in languages for stem in stem_searched(words, one)]


def detect_text_language(text: str) -> str | None:
    """The language of a text, English too; None where its words tell no single one."""
    return detect_language(list_lower_words(text))


def list_lower_words(text: str) -> list[str]:
    """The words of a text as small words of languages are written."""
    return [token.replace("’", "'").casefold() for token in extract_tokens(text)]


def find_languages(text: str, *, asked: bool = False) -> tuple[str, ...]:
    """The languages other than English that stems of a text are made in, as `extract_search_terms` does."""
    return _detect_languages(list_lower_words(text), asked)


def _detect_languages(words: list[str], asked: bool) -> tuple[str, ...]:
    languages = detect_languages(words)
    if not languages and asked and len(words) <= FEW_WORDS:
        return tuple(one for one in SMALL_WORDS if one != "english")
    return tuple(one for one in languages if one != "english")


def is_own_stem(term: str) -> bool:
    """Whether a term is the stem of another language than English, of `extract_search_terms`."""
    return OWN_STEM in term


def stem_own(words: list[str], language: str) -> list[str]:
    """The stems of words in lower case, each behind the name of the language; its small words, numbers and CJK runs
    have none."""
    small = SMALL_WORDS[language]
    kept = [word for word in words if word not in small and word[0].isalpha() and not CJK_START.match(word)]
    stems = stem_words(kept, language)
    return [f"{language}{OWN_STEM}{stem}"[:LONGEST_TERM] for stem in stems]


def stem_searched(words: Sequence[str], language: str) -> list[str]:
    """The stems of words in lower case, and then those of the parts of their compounds."""
    return stem_own([*words, *list_compound_parts(words, language)], language)


def list_compound_parts(words: Iterable[str], language: str) -> list[str]:
    """The parts of those words, in lower case, that are compounds of a language.

    >>> list_compound_parts(["die", "urlaubstage"], "german")
    ['urlaub', 'tage']
    """
    split = _parts_by_language(language)
    return [part for word in words if len(word) > SHORTEST_PART for part in split[word]] if language in LINKS else []


class _PartCache(dict[str, tuple[str, ...]]):
    """The parts of words of one language; forgets all when it is full, which no result depends on."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language

    def __missing__(self, word: str) -> tuple[str, ...]:
        found = () if len(word) > LONGEST_CACHED else split_compound(word, self._language, self._stem)
        if len(self) >= CACHE_SIZE:
            self.clear()
        self[word] = found
        return found

    def _stem(self, word: str) -> str:
        return stem_words([word], self._language)[0]


_parts_by_language = cache(_PartCache)  # by language


def extract_tokens(text: str) -> Iterator[str]:
    """Raw words, identifiers and CJK runs, case kept, without what nobody sees in them."""
    if text.isascii():
        return iter(ASCII_TOKEN.findall(text))
    return iter(TOKEN.findall(unicodedata.normalize("NFKC", leave_out_unseen(text))))


def leave_out_unseen(text: str) -> str:
    """The text without characters that hide its words from searches and are seen by nobody.

    >>> leave_out_unseen("pass\\u200bword, so\\u00adft")
    'password, soft'
    """
    return HIDING.sub("", text) if any(one in text for one in UNSEEN) else text
