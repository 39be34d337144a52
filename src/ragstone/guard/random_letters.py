"""Whether letters stand beside each other as in words: a sign of chance that does not ask how often digits come."""

import re

# The 129 commonest pairs of letters in English words: 80 of 100 pairs in documentation, 19 in random letters.
COMMON = frozenset(
    "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic "
    "ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so rs un "
    "lo wa ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su id os iv ia am fi ci vi pl ig tu ev "
    "ld ry mp fe bl ab gh ty op wo sa ay ex ke fr".split()
)
RUN = re.compile("[a-z]{2,}")
LEAST = 4  # pairs; fewer tell nothing, because digits stand everywhere
SHARE = 0.45
LETTERS = re.compile("[a-z]{10,64}|[A-Z]{10,64}")
LETTERS_SHARE = 0.34  # ten random letters have more in one case of ten, words fewer in one of seventy


def is_unspoken(value: str) -> bool:
    """Whether most pairs of letters are rare in words.

    >>> [is_unspoken(one) for one in ("qpgv7z8amkp4ln55znaacezm9jy35wcayy6bya2r", "projectname2024q3report1final")]
    [True, False]
    """
    pairs = [run[i : i + 2] for run in RUN.findall(value.lower()) for i in range(len(run) - 1)]
    return len(pairs) < LEAST or sum(pair in COMMON for pair in pairs) <= SHARE * len(pairs)


def is_spelled_by_chance(value: str) -> bool:
    """Whether letters of one case, and nothing else, are none of a word.

    >>> [is_spelled_by_chance(one) for one in ("qjzmxncbvlasdfgh", "documentation", "mszwqkpvhd", "Rückgabewerte")]
    [True, False, True, False]
    """
    if LETTERS.fullmatch(value) is None:
        return False
    pairs = [value[i : i + 2].lower() for i in range(len(value) - 1)]
    return sum(pair in COMMON for pair in pairs) <= LETTERS_SHARE * len(pairs)
