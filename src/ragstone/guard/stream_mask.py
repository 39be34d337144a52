"""Masking of a text that comes in pieces: a piece goes on as soon as nothing behind it can make a secret of it."""

import re

from ragstone.core.late_pattern import compile_late
from ragstone.guard.assignments import NAME
from ragstone.guard.aws_secrets import WORD as AWS_WORD
from ragstone.guard.bracketed_passwords import MACHINE_BEFORE
from ragstone.guard.call_secrets import CALL_STARTS
from ragstone.guard.commands import COMMAND_STARTS
from ragstone.guard.credentials import AUTHORIZATION_STARTS, LOGIN_STARTS, PRIVATE_KEY_STARTS
from ragstone.guard.encoded_secrets import ENCODED_STARTS
from ragstone.guard.hook_secrets import HOOK_STARTS
from ragstone.guard.listed_secrets import find_list_end
from ragstone.guard.login_pairs import ASCII_LEADS, OTHER_LEADS
from ragstone.guard.masking import mask_secrets
from ragstone.guard.pipe_table_secrets import find_line_end

WORDS_KEPT = 4  # a name of a secret has at most so many words
LONGEST = 20_000  # characters that are kept back at most
STARTS = (*AUTHORIZATION_STARTS, *PRIVATE_KEY_STARTS, *COMMAND_STARTS, *CALL_STARTS, *ENCODED_STARTS)
OTHER_NAMES = sorted({*STARTS, "cookie", *LOGIN_STARTS, *HOOK_STARTS})
NAMES = compile_late(
    "|".join((NAME, AWS_WORD, r"(?<=: )&[\w.-]{1,40} ", *map(re.escape, (*OTHER_NAMES, *ASCII_LEADS, *OTHER_LEADS)))),
    re.IGNORECASE,
)
BLANK_LINE = re.compile(r"\n[ \t]*\r?\n\s*\S[^\n]*\n[ \t]*\r?\n")
DOC_TABLE = "|==="
CELL_MARKS = re.compile(r"[|&\t;!]|==")
LABELS = re.compile(r"(?:[^\n,.]{1,30},)++[^\n,.]{0,30}\s*")  # prose soon has a longer part
ROW_STARTS = ("<tr", "<TR", "{|", "|-", DOC_TABLE, "* -")  # where a heading may go over several lines
ROW_LENGTH, HEADING_LINES = 2000, 3
MACHINE_LENGTH = 40
GAP = re.compile(r"\n[ \t]*\r?\n")
KEY_END = re.compile(r"-----END[^\n]*\n", re.IGNORECASE)


class StreamMask:
    """Feed it the pieces, and pass on what it gives. A paragraph that names a secret waits for the paragraph below it;
    of all other text the last four words wait."""

    def __init__(self) -> None:
        self._held: list[str] = []
        self._length = 0
        self._named = False

    def feed(self, piece: str) -> str:
        """The masked text that may be shown by now; often none."""
        self._held.append(piece)
        self._length += len(piece)
        waits = self._named and "\n" not in piece
        if self._length <= LONGEST and (waits or not any(c.isspace() for c in piece)):
            return ""
        held = "".join(self._held)
        end = len(held) if self._length > LONGEST else self._find_settled(held)
        self._held, self._length = [held[end:]], len(held) - end
        return mask_secrets(held[:end]) if end else ""

    def close(self) -> str:
        """The rest, masked."""
        held, self._held, self._length = "".join(self._held), [], 0
        return mask_secrets(held)

    def _find_settled(self, held: str) -> int:
        """Where the text ends that nothing behind it can change."""
        at = done = start = end = covered = 0
        last = held.rstrip().rfind("\n")
        while named := NAMES.search(held, at):
            first, at = named.span()
            if first < covered:  # in a list that a name before it opens
                continue
            listed = covered = max(covered, find_list_end(held, first))
            if first >= end:
                done, start = end, first
            elif listed <= min(end, last):  # nothing of it stands behind what waits for a name before it
                continue
            settled = (KEY_END if held.startswith("-----", first) else BLANK_LINE).search(held, at)
            if settled is None or listed > last or held.count(DOC_TABLE, 0, settled.end()) % 2:
                break  # a list may go on in its last line, and a table of AsciiDoc until it is closed
            end = max(end, listed, settled.end())
        self._named = named is not None
        done = end if named is None else done
        cut = _find_words_before(held, len(held) if named is None else start, done)
        machine = MACHINE_BEFORE.search(held, max(0, cut - MACHINE_LENGTH), cut)
        return max(done, _find_heading(held, machine.start() if machine else cut))


def _find_words_before(held: str, at: int, least: int) -> int:
    """Where the last words before a place begin, not before `least`."""
    words = held[least:at].rsplit(maxsplit=WORDS_KEPT)
    return held.index(words[0], least) + len(words[0]) if len(words) > WORDS_KEPT else least


def _find_heading(held: str, end: int) -> int:
    """Where the heading of a table begins that may go on behind a place, because columns are counted from its first
    cell; the place itself if there is none."""
    start, line = end, held.rfind("\n", 0, end) + 1
    for _ in range(HEADING_LINES):
        below = find_line_end(held, line)
        above = held.rfind("\n", 0, max(0, line - 1)) + 1
        labels = CELL_MARKS.search(held, line, below) or LABELS.fullmatch(held, line, below)
        if not (labels or "==" in held[above:line]):
            break
        start, line = line, above
    first, last = max(0, end - ROW_LENGTH), end + 2
    marks = (held.rfind(mark, first, last) for mark in ROW_STARTS)
    return min([start, *(held.rfind("\n", 0, at) + 1 for at in marks if at >= 0 and not GAP.search(held, at, end))])
