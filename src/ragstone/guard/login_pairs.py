"""A user and a password beside it, without a name for either: "Log in with admin / …"."""

import re
from collections.abc import Iterator

from ragstone.core.late_pattern import compile_late
from ragstone.guard.bare_values import is_random
from ragstone.guard.password_words import UNSPACED, holds_any
from ragstone.guard.plausible import is_strong
from ragstone.guard.secret_places import Places

# Words that lead to a pair, by how they begin.
ASCII_LEADS = (
    *("log in", "login", "logon", "logged in", "sign in", "signin", "sign on", "credential", "user/pass", "name/pass"),
    *("wi-fi", "wifi", "anmeld", "einlogg", "zugangsdaten", "connexion", "connecte", "identifiants", "inicia"),
    *("credencia", "accesso", "accede", "credenzial", "inlogg", "aanmeld", "zaloguj", "logowani", "prihlas"),
)
OTHER_LEADS = (
    "войти",
    "войдите",
    "вход",
    "учетные данные",
    "учётные данные",
    "giriş",
    "登录",
    "登入",
    "ログイン",
    "로그인",
)
OTHER_LEAD = compile_late("|".join(OTHER_LEADS), re.IGNORECASE)
FOLDED = tuple(word.casefold() for word in OTHER_LEADS)
# The name may be behind up to sixty characters: " to the console with ", ": ", " (default: ".
CORE = (
    r"(?<![\w/.:@$%{=-])[`\"'*]{0,2}(?!https?:|mailto:|arn:|urn:|npm:|git:)"
    r"(?P<user>[a-z][\w.+-]{1,40}(?:@[\w.-]{3,60})?)[`\"'*]{0,2}"
    r"(?P<between>[ ]/[ ]|/|:|[ ]:[ ]|,?[ ](?:and|und|et|y|en|ve|и|with|mit|avec|con)[ ]|,[ ]|[ ]\|[ ])"
    r"[`\"'*]{0,2}(?P<value>[^\s`\"'<>|/:][^\s`\"'<>|]{5,63})"
)
PAIR = compile_late(rf"(?i)[^\n]{{0,60}}?{CORE}")
PAIR_BEFORE = compile_late(rf"(?i){CORE}[`\"'*)]{{0,2}}[ ](?:in order )?to[ ]\Z")
# Scripts that write a password straight behind its word.
UNSPACED_PAIR = compile_late(
    rf"(?:{UNSPACED})[^\x00-\x7f]{{0,12}}[ ]?[:：]?[ ]?[「『“\"'`]?(?P<value>[!-&(-_a-~]{{6,64}})"
)
BEFORE = 120  # characters before a lead that may hold the pair
SURE = frozenset((" / ", " : ", " | "))  # any other joins words too, or parts of paths and addresses
TAIL = ".,;:)]*"


def find_pairs(text: str, places: Places) -> Iterator[tuple[str, int, int]]:
    """The kind and the place of each password of a pair."""
    done = 0
    for at in sorted((*places.find(ASCII_LEADS), *find_other_leads(text))):
        before = PAIR_BEFORE.search(text, max(0, at - BEFORE), at) if places.lower.endswith("to ", 0, at) else None
        if at >= done and (match := before or PAIR.match(text, at)):
            value = match["value"].rstrip(TAIL)
            end = match.start("value") + len(value)
            if is_strong(value) and (match["between"] in SURE or is_random(value)):
                done = end
                yield "password", match.start("value"), end
    for match in UNSPACED_PAIR.finditer(text) if not text.isascii() else ():
        if is_strong(match["value"].rstrip(TAIL)):
            yield "password", match.start("value"), match.start("value") + len(match["value"].rstrip(TAIL))


def find_other_leads(text: str) -> list[int]:
    """Where such words of other scripts stand."""
    if text.isascii():
        return []
    return [match.start() for match in OTHER_LEAD.finditer(text)] if holds_any(text.casefold(), FOLDED) else []
