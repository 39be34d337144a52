"""Where a question and a passage that shares its words still part: negation, opposites, numbers, extremes."""

import re
from collections.abc import Iterator, Sequence, Set

from ragstone.core.analyzer import extract_terms, extract_tokens

NEGATION = re.compile(
    r"\b(?:not|no|never|none|nor|without|cannot|neither|nobody|nothing|unable|\w{1,20}n['’]t|fail(?:s|ed)?"
    r"|lack(?:s|ed|ing)?|refus(?:e|es|ed)|rarely|hardly|except|exclud(?:e|es|ed|ing))\b",
    re.IGNORECASE,
)
NUMBER = re.compile(r"\d(?:[\d.,]*\d)?")
# "How can I … without …?" and "Why … not?" are answered by passages that deny nothing.
OF_MEANS = re.compile(r"\W*(?:how (?!many|much)|why|can|could|should|may|must)\b", re.IGNORECASE)
EXTREME = re.compile(
    r"(?:first|second|third|fourth|last|final|only|sole|always|never|best|worst|exactly|original(?:ly)?|\w{3,20}est)"
)
# Words in -est that are no superlatives.
NOT_EXTREME = frozenset(
    """
    west southwest northwest midwest forest afforest deforest interest disinterest request rest unrest arrest test
    contest protest attest detest pytest unittest backtest pretest retest guest quest conquest inquest bequest harvest
    digest ingest suggest congest nest latest invest divest manifest infest fest crest priest pest tempest vest wrest
    zest jest honest dishonest modest immodest earnest molest behest
    """.split()
)
NEGATING_PREFIX = re.compile(r"(?:un|in|im|ir|il|dis|non|anti|de)-?(\w{4,40})")
# Words that begin like a denial and deny nothing: what is left of them is another word, and not their opposite.
NOT_DENYING = re.compile(
    "(?:"
    + "|".join(
        """
        unless until import impart impact impos implant implement imprint impress impression improv impul income
        includ incoming increas inclin indebt indeed indent index inform ingest ingrain inhabit inherit inland inlet
        inlin inmate inroad inset inside insider insight insist inspir install instanc instant instep instead
        instruct insur
        intact intak intend intens intent intern intone invent invest invit involv inward inbound indoor induc inflam
        influenc display displac discover discount discharg discours discuss dispatch dispens dispos disposition distanc
        district distant distress distribut distil diseas disguis dismiss dissent distract debas debat debug decay deced
        decent decid declaim declar declin decreas deduct default defenc defens defend defer defin deform degree delay
        deliver delight demand demean demot denot depart department depend depict deploy deport depos deposit deposition
        depress depriv derail deriv descent describ deserv design designat desir desktop despit destin detail
        detain detect
        determin detour devic devot develop dedicat illuminat illustrat
        """.split()
    )
    + ")(?:e|s|es|d|ed|ing|er|ers|or|ors|ion|ions|ation|ations|e?ment|e?ments|ance|ly)?"
)
# Everyday pairs; words that are opposites in one sense only (right/left, light/heavy) are left out where
# the other sense is the more common one.
PAIRS = """
first/last first/second first/third second/third earlier/later early/late before/after beginning/end begin/end
began/ended begins/ends start/stop start/end starts/stops starts/ends started/stopped started/ended starting/stopping
open/close opens/closes opened/closed opening/closing enter/leave entered/left join/leave joined/left arrive/depart
high/low higher/lower highest/lowest high/lowest upper/lower up/down above/below over/under top/bottom front/back
inside/outside internal/external interior/exterior inner/outer upstream/downstream near/far horizontal/vertical
north/south northern/southern east/west eastern/western ascending/descending input/output
increase/decrease increases/decreases increased/decreased increasing/decreasing rise/fall rises/falls rose/fell
more/less more/fewer most/least large/small larger/smaller largest/smallest big/small bigger/smaller biggest/smallest
greater/smaller greater/less greatest/least major/minor maximum/minimum max/min majority/minority many/few
long/short longer/shorter longest/shortest wide/narrow deep/shallow fast/slow faster/slower fastest/slowest
strong/weak stronger/weaker strongest/weakest hot/cold warm/cold rich/poor cheap/expensive easy/difficult simple/complex
young/old new/old newer/older newest/oldest ancient/modern good/bad better/worse best/worst true/false right/wrong
enable/disable enables/disables enabled/disabled enabling/disabling on/off allow/forbid allows/forbids allowed/forbidden
allow/prevent allows/prevents cause/prevent causes/prevents caused/prevented accept/reject accepts/rejects
accepted/rejected approve/reject approved/rejected include/exclude includes/excludes included/excluded
add/remove adds/removes added/removed adding/removing create/delete creates/deletes created/deleted create/destroy
created/destroyed read/write reads/writes upload/download uploads/downloads encrypt/decrypt encode/decode push/pull
send/receive sends/receives sent/received give/take gives/takes gave/took buy/sell buys/sells bought/sold
import/export imports/exports imported/exported win/lose wins/loses won/lost attack/defend attacked/defended
support/oppose supports/opposes supported/opposed agree/disagree agreed/disagreed unite/divide united/divided
succeed/fail succeeds/fails succeeded/failed success/failure advantage/disadvantage advantages/disadvantages
benefit/drawback gain/loss profit/loss victory/defeat birth/death born/died life/death alive/dead war/peace
positive/negative active/passive public/private direct/indirect permanent/temporary static/dynamic primary/secondary
natural/artificial synchronous/asynchronous local/remote same/different similar/different common/rare often/rarely
frequent/rare always/never all/none everyone/nobody foreign/domestic urban/rural civilian/military friend/enemy
male/female man/woman men/women father/mother son/daughter brother/sister husband/wife king/queen
"""


def _index_opposites() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for pair in PAIRS.split():
        one, other = pair.split("/")
        found[one] = found.get(one, frozenset()) | {other}
        found[other] = found.get(other, frozenset()) | {one}
    return found


OPPOSITES = _index_opposites()


def has_unmatched_denial(question: str, passage: str) -> bool:
    """Whether the question denies something, and the passage nothing at all.

    >>> has_unmatched_denial("Which exporter does not need root?", "The exporter needs root.")
    True
    """
    return not OF_MEANS.match(question) and bool(NEGATION.search(question)) and NEGATION.search(passage) is None


def find_opposed_words(question: str, passage: str) -> list[str]:
    """The question's words of which the passage has only the opposite, in order.

    >>> find_opposed_words("How do I disable the cache?", "Set `cache: on` to enable the cache.")
    ['disable']
    """
    asked, said = _lower_words(question), _lower_words(passage)
    return [word for word in asked if word not in said and _has_opposite_in(word, asked.keys(), said.keys())]


def _has_opposite_in(word: str, asked: Set[str], said: Set[str]) -> bool:
    opposite = OPPOSITES.get(word, frozenset())
    if opposite & said and not opposite & asked:
        return True
    return bool(opposite_stems(word) & said) or any(word in opposite_stems(other) for other in said)


def opposite_stems(word: str) -> frozenset[str]:
    """The word that a denying prefix denies: `disconnected` gives `connected`, `default` none.

    >>> [sorted(opposite_stems(word)) for word in ("disconnected", "informal", "imported", "default", "instances")]
    [['connected'], ['formal'], [], [], []]
    """
    match = NEGATING_PREFIX.fullmatch(word)
    return frozenset((match[1],)) if match and not NOT_DENYING.fullmatch(word) else frozenset()


def extract_numbers(text: str) -> set[str]:
    """The numbers written in digits, without their separators of thousands."""
    return {match[0].replace(",", "") for match in NUMBER.finditer(text)}


def has_other_number(question: str, passage: str) -> bool:
    """Whether the question names a number that the passage lacks, and the passage one that the question lacks."""
    asked, said = extract_numbers(question), extract_numbers(passage)
    return bool(asked - said) and bool(said - asked)


def find_extremes(question: str, passage: str) -> list[str]:
    """The question's "first", "only", "largest" and their kind that the passage does not have."""
    said = _lower_words(passage)
    return [w for w in _lower_words(question) if EXTREME.fullmatch(w) and w not in NOT_EXTREME and w not in said]


def holds_term(term: str, found: Set[str]) -> bool:
    """Whether a term, or one with the same beginning (`settl`, `settlement`), is among those found."""
    return term in found or (len(term) >= 4 and any(_share_beginning(term, other) for other in found))


def words_of_terms(question: str, lacking: Sequence[str]) -> tuple[str, ...]:
    """The words of a question, as they stand in it, that the given terms come from; each once.

    >>> words_of_terms("How are the Alertmanager's receivers configured?", ["configur", "alertmanag"])
    ('configured', "Alertmanager's")
    """
    written: dict[str, str] = {}
    for word in extract_tokens(question):
        for term in extract_terms(word):
            written.setdefault(term, word)
    return tuple(dict.fromkeys(written.get(term, term) for term in lacking))


def _share_beginning(term: str, other: str) -> bool:
    shared = max(4, (3 * len(term) + 3) // 4)  # three quarters of the term: set by hand
    return len(other) >= 4 and other[:shared] == term[:shared]


def _lower_words(text: str) -> dict[str, None]:
    return dict.fromkeys(_iterate_words(text))


def _iterate_words(text: str) -> Iterator[str]:
    return (token.lower() for token in extract_tokens(text))
