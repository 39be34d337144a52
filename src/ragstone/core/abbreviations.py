"""Full stops that end no sentence: those of abbreviations, of numbers in order ("31. März") and of initials.

A text's language is not asked for, so a word stands here only if it ends no sentence in another language; one that may
("art", "max") is an abbreviation before a number or a small letter alone.
"""

import re
from collections.abc import Mapping

from ragstone.core.late_pattern import compile_late

ALWAYS: Mapping[str, str] = {
    "english": "mr mrs ms dr prof sr jr st vs etc e.g i.e cf al fig figs eq no nos vol pp p ed eds inc ltd co corp "
    "dept est approx jan feb mar apr jun jul aug sep sept oct nov dec u.s u.k u.n a.m p.m ph.d",
    "german": "nr bzw ca vgl ggf evtl hrn frl tel dipl sog zzgl inkl exkl einschl bspw gegr geb",
    "french": "mme mlle mgr av bd réf tél",
    "spanish": "sra srta dña dra núm pág tfno avda ud uds",
    "italian": "dott dott.ssa prof.ssa sig sig.ra sigg ing avv geom pag",
    "portuguese": "eng exmo exma arq",
    "dutch": "dhr mevr mw drs bijv blz",
    "polish": "inż mgr ul godz np tzn tzw zob płk",
    "swedish": "kl t.ex bl.a dvs s.k fr.o.m t.o.m",
}
BEFORE_SMALL: Mapping[str, str] = {
    "german": "abs abt art kap pos bd max min mio mrd std stk usw lt gem sen hr fr evt",
    "french": "ex env art chap max min hab",
    "spanish": "ext art cap máx mín aprox",
    "italian": "n art cap es ecc tel circ",
    "portuguese": "cap ext",
    "dutch": "excl incl resp max min evt art",
    "polish": "itd itp pkt ust al woj",
    "swedish": "osv resp inkl exkl st",
}
ENGLISH = frozenset(ALWAYS["english"].split())
ABBREVIATIONS = frozenset(word for words in ALWAYS.values() for word in words.split())
NEAR_SMALL = frozenset(word for words in BEFORE_SMALL.values() for word in words.split())
# Months behind a day in languages that write "31." for the 31st, and what stands before such a number there.
MONTHS = (
    "jänner januar februar märz april mai juni juli august september oktober november dezember marts maj december mars "
    "desember ledna února března dubna května června července srpna září října listopadu prosince"
)
MONTHS_OF_FINNISH = "tammi helmi maalis huhti touko kesä heinä elo syys loka marras joulu"
NAMES_MONTH = compile_late(
    rf"\s{{1,3}}(?:(?:{'|'.join(MONTHS.split())})\b|(?:{'|'.join(MONTHS_OF_FINNISH.split())})kuu)", re.IGNORECASE
)
ARTICLE = compile_late(r"\b(?:vom|zum|beim|dem|den|der|des|zur|jede[mnrs]?)\s\d{1,2}\Z", re.IGNORECASE)
DAY = re.compile(r"(?:0?[1-9]|[12]\d|3[01])(?:\.(?:0?[1-9]|1[0-2]))?")
SMALL_NEXT = re.compile(r"\s{1,3}[\d§a-zà-öø-ÿ]")
NUMBER_NEXT = re.compile(r"[ \u00a0]\d")
WORD_NEXT = re.compile(r"\s{1,3}[^\W\d_]")
# "am 15. des Monats", "bis 31.12. ist"; "PowerShell 5.1." is a version.
ON_A_DAY = re.compile(r"\b(?:(?:am|im)\s|(?:ab|am|bis|den|der|dem|vom|zum)\s\d{1,2}\.)\d{1,2}\Z", re.IGNORECASE)
# "z. B.", "i. d. R.", "z.B.": letters with a stop each, of which the first is small.
NEXT_LETTER = compile_late(r"[ \t\u00a0][^\W\d_]\.")
LETTERS = compile_late(r"(?<![^\W_])[a-zà-öø-ÿ]\.(?:[ \u00a0]?[^\W\d_]{1,2}\.){0,3}[ \u00a0]?[^\W\d_]\Z")
LAST_WORD = re.compile(r"[\w.]+\Z")
LONGEST = 24  # characters before a stop that are looked at


def is_inside_sentence(text: str, stop: int) -> bool:
    """Whether the full stop at a place ends an abbreviation, an initial or a number in order, and no sentence.

    >>> text = "Bis zum 31. März, z. B. in der Hauptstr. 5, ggf. später."
    >>> [is_inside_sentence(text, place) for place, sign in enumerate(text) if sign == "."]
    [True, True, True, True, True, False]
    """
    before = text[max(0, stop - LONGEST) : stop]
    found = LAST_WORD.search(before)
    if found is None:
        return False
    written, word = found[0], found[0].lower()
    if word[-1].isdigit():
        return _is_ordinal(text, stop, before, word)
    one = len(word) == 1 and word.isalpha()
    if word in ENGLISH or (one and written.isupper()):
        return True
    if word.endswith("str"):  # "Hauptstr. 5", Polish "str. 5"; a function that takes a "str." ends its sentence
        return (SMALL_NEXT if written[0].isupper() else NUMBER_NEXT).match(text, stop + 1) is not None
    if not written.isupper() and (word in ABBREVIATIONS or word in NEAR_SMALL):
        return word in ABBREVIATIONS or SMALL_NEXT.match(text, stop + 1) is not None
    return (one and NEXT_LETTER.match(text, stop + 1) is not None) or LETTERS.search(before) is not None


def _is_ordinal(text: str, stop: int, before: str, number: str) -> bool:
    """Whether a number with a stop is a day before a month, stands behind an article, or is a day in a small letter's
    sentence."""
    if not DAY.fullmatch(number):
        return False
    if number.isdigit() and (NAMES_MONTH.match(text, stop + 1) or ARTICLE.search(before)):
        return WORD_NEXT.match(text, stop + 1) is not None
    following = WORD_NEXT.match(text, stop + 1)
    return following is not None and following[0][-1].islower() and ON_A_DAY.search(before) is not None
