"""Words that contradict each other: denials, opposites, amounts and places on one scale."""

import re
from functools import cache

from ragstone.core.comparable_words import Word, key_of

NEGATIONS = frozenset(
    """not no never none nor without cannot neither nobody nothing unable fail fails failed lack lacks lacked lacking
    refuse
    refuses refused rarely hardly except exclude excludes excluded excluding""".split()
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
beforehand/afterwards before/afterwards wider/narrower heavier/lighter taller/shorter sooner/later colder/warmer
hotter/colder hotter/cooler dearer/cheaper oldest/youngest indoors/outdoors upstairs/downstairs deepest/shallowest
drop/add drops/adds dropped/added widest/narrowest heaviest/lightest warmest/coldest
"""


def _index_opposites() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for pair in PAIRS.split():
        one, other = pair.split("/")
        found[one] = found.get(one, frozenset()) | {other}
        found[other] = found.get(other, frozenset()) | {one}
    return found


OPPOSITES = _index_opposites()
# Further pairs, by word: what changes, begins, ends, permits or judges. Compared by stem, so one form of each is here.
CHANGES = """
abolish/establish abolish/found abolish/create dissolve/found dissolve/establish close/found destroy/build
demolish/build
demolish/construct destroy/construct destroy/restore arrive/depart depart/return retain/discard keep/discard
keep/abandon
retain/lose improve/worsen improve/deteriorate expand/shrink grow/shrink expand/contract strengthen/weaken widen/narrow
raise/reduce raise/lower reduce/increase reduce/expand cut/raise elect/dismiss appoint/dismiss hire/fire employ/fire
imprison/free release/imprison arrest/release love/hate like/dislike praise/criticize praise/criticise praise/condemn
welcome/condemn promote/demote promote/discourage encourage/discourage encourage/forbid permit/forbid permit/prohibit
allow/prohibit require/forbid legal/illegal optional/mandatory optional/required optional/compulsory
voluntary/compulsory
safe/dangerous peaceful/violent friendly/hostile guilty/innocent visible/hidden empty/full wet/dry clean/dirty
thick/thin
heavy/light bright/dark loud/quiet solid/liquid hard/soft conservative/liberal optimistic/pessimistic healthy/sick
abundant/scarce plentiful/scarce agree/refuse agree/decline approve/veto approve/deny confirm/deny admit/deny
accept/decline
accept/refuse grant/deny grant/refuse ratify/reject pass/reject victory/loss winner/loser successful/failed
popular/unpopular
famous/unknown known/unknown likely/unlikely able/unable elder/younger older/younger mount/unmount attach/detach
connect/disconnect lock/unlock install/remove install/uninstall insert/remove append/remove append/prepend show/hide
expose/hide merge/split join/separate combine/separate unite/separate gather/scatter attract/repel absorb/emit
accelerate/decelerate accelerate/slow hasten/delay precede/follow ancestor/descendant predecessor/successor
optimal/worst superior/inferior senior/junior proponent/opponent supporter/opponent ally/enemy ally/rival import/export
surplus/deficit credit/debit asset/liability income/expense lender/borrower employer/employee teacher/student
acid/alkaline anode/cathode odd/even finite/infinite concrete/abstract explicit/implicit mutable/immutable
blocking/nonblocking serial/parallel manual/automatic relative/absolute clockwise/counterclockwise left/right
upward/downward forward/backward inward/outward uphill/downhill morning/evening day/night summer/winter spring/autumn
asleep/awake present/absent innocent/convicted convict/acquit ascend/descend inhale/exhale freeze/melt freeze/boil
heat/cool
deposit/withdraw lend/borrow lead/follow lead/trail preserve/destroy protect/endanger protect/threaten
"""
# Words that stand in each other's place on one scale. All, a part, none: what is on one line is taken for the same.
ALL = "all every each always entirely completely".split()
PART = (
    "most many some several few various numerous often usually sometimes rarely seldom typically generally "
    "frequently commonly "
    "occasionally mostly partly largely partially"
).split()
NONE = "no none never neither".split()
AMOUNTS = {word: level for level, line in enumerate((ALL, PART, NONE)) for word in line}
OTHERS = [
    frozenset(line.split())
    for line in """
million billion trillion thousand hundred
daily weekly monthly yearly annually hourly quarterly
north south east west
northern southern eastern western
red blue green yellow black white brown orange purple pink
first second third last
father mother son daughter brother sister husband wife
monday tuesday wednesday thursday friday saturday sunday
""".strip().splitlines()
]


@cache
def _index_by_stem() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for pair in CHANGES.split():
        one, other = (key_of(word) for word in pair.split("/"))
        found[one] = found.get(one, frozenset()) | {other}
        found[other] = found.get(other, frozenset()) | {one}
    return found


def opposite_stems(word: str) -> frozenset[str]:
    """The word that a denying prefix denies: `disconnected` gives `connected`, `default` none.

    >>> [sorted(opposite_stems(word)) for word in ("disconnected", "informal", "imported", "default", "instances")]
    [['connected'], ['formal'], [], [], []]
    """
    match = NEGATING_PREFIX.fullmatch(word)
    return frozenset((match[1],)) if match and not NOT_DENYING.fullmatch(word) else frozenset()


def is_denial(word: Word) -> bool:
    """Whether a word denies what stands behind it."""
    return word.lower in NEGATIONS or word.lower.endswith(("n't", "n’t"))


def is_opposite(one: Word, other: Word) -> bool:
    """Whether one word cannot stand for the other."""
    a, b = one.lower, other.lower
    return (
        b in OPPOSITES.get(a, frozenset())
        or other.key in _index_by_stem().get(one.key, frozenset())
        or b in opposite_stems(a)
        or a in opposite_stems(b)
        or (AMOUNTS.get(a, -1) != AMOUNTS.get(b, AMOUNTS.get(a, -1)) and a in AMOUNTS)
        or any(a in scale and b in scale for scale in OTHERS)
    )
