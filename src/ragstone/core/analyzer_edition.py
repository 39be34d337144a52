"""The edition of the analyser: a digest of its terms of fixed words, so that any change of it or its stemmer shows.

A version number of the stemmer would not do: only the terms count. Beginnings are joined with endings, which meets each
rule of English Snowball and the words that it excepts. PyStemmer 2.2 and 3.1 differ in 70 of these words.
"""

import hashlib
from functools import cache
from itertools import product

from ragstone.core import analyzer
from ragstone.core.compounds import read_parts
from ragstone.core.document_names import list_path_words
from ragstone.core.languages import SMALL_WORDS

PREFIXES = "a agre anim bak b cann compan conf defin flex hop lik m publ relat sens syst tri vi y".split()
ENDINGS = (
    ". e s es ed er ers ing ings ly y ies ied al ally als ial ical ic ically ics ize ized izes izing izer ization "
    "ise ised ation ations ational ator ate ated ates ating ant ance ancy ent ents ence ency ently entli able ability "
    "abli ible ibility ive ively iveness iviti ous ously ousness ful fully fulness less lessli ness ment ments ement "
    "ion sion tion tional ism ist ity iti or ors us val vals eed eedly edly ingly ogi ogist ue 's s' ' er's"
).split()
# Words that English Snowball excepts, or excepted once, with the endings that show it.
EXCEPTED = (
    "ad add arsen atla bias canning cosmo commun dy earl early effect emerg ev even exceed gener gentl herring how idl "
    "innin inter intern kin lat ly map news off only organ ord out outing ow past proceed sal sing singl sk sky skis "
    "succeed ti tan tast ugl ug univers us valu wit"
).split()
EXCEPTED_ENDINGS = ". e s es ed er ing ly y al ally ic ize ization ent ent-like".split()
TEXT = (
    "The Users' http_requests_total: getUserName, Get-ChildItem, C++ and node.js; it's O’Neill's x86-64, 3.14 of 1,000 "
    "É́tudes ﬁle ＡＢＣ Straße STRASSE İstanbul naïve 東京都の天気 データベース 검색엔진 имена данных البيانات "
    "pass\u200bword so\u00adft"
)
PATH, TITLE = "2024/ACME GmbH/Kündigung_v2-final 0a1b2c3d4e5f60718293a4b5c6d7e8f9.pdf", "Kündigung"


@cache
def analyzer_edition() -> str:
    """Eight hexadecimal digits: equal where the analyser makes the same terms of the fixed words and of a path, and
    knows the same parts of compounds."""
    pairs = [*product(PREFIXES, ENDINGS), *product(EXCEPTED, EXCEPTED_ENDINGS)]
    words = [beginning + ending.strip(".") for beginning, ending in pairs]
    terms = [*analyzer.stem_words(words), *analyzer.extract_terms(TEXT), *list_path_words(PATH, TITLE)]
    for language, small in SMALL_WORDS.items():
        terms += [language, *sorted(small), *analyzer.stem_words(sorted(small), language)]
    return hashlib.sha256("\n".join(terms).encode() + read_parts()).hexdigest()[:8]
