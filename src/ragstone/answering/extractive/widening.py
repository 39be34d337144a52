"""Chosen passages with what they do not say alone: the sentence before a pronoun, the list below its introduction, the
introduction of an item and the rest of it, the code that a sentence is about, the reply to a question of the text."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from ragstone.answering.extractive.passages import ITEM, Passage, chunk_passages
from ragstone.answering.extractive.replies import find_reply, is_question

PRONOUN = re.compile(r"(?:It|This|These|They|He|She|That|Those|Its|Their|His|Her|Such|Here)\b")
INTRODUCES = re.compile(r"(?:[:：]|as follows|following)[\"'”*_`)\s]*\.?$")
# What a sentence begins with that stands below the code it is about.
ABOUT_CODE = re.compile(
    r"(?:This|These|The (?:above |previous |preceding )?(?:command|example|line|script|snippet)s?)\b"
)
# A line of YAML or JSON: data that a page shows beside a sentence seldom answers how something is done.
DATA_LINE = re.compile(r"\s*(?:- )?[\"']?[\w.<>-]+[\"']?:(?:\s|$)|\s*[\[\]{}],?\s*$|\s*- \S")
STEP = re.compile(r"\s*\d{1,2}[.)]\s")
LABEL = re.compile(r"[\W_]*([^\W\d_]\w{0,11}):[*_]*(?=\s)")  # "Q:", "**Problem:**"
SHORT_CODE = 240  # characters of code that come along with a sentence
LONGEST_LEAD = 160  # characters of an introduction that come along with an item
ITEMS = 10  # pieces that an introduction introduces at most
FOLLOWS = 900  # characters of them
LONGEST_ITEM = 350  # characters of an item that is quoted whole


def widen_passage(
    passage: Passage, *, asks_how: bool, room: int = 0, steps: bool = False, listed: bool = False
) -> Passage:
    """A passage with what it needs to be understood; `asks_how`: the question asks how something is done. `room`:
    characters for sentences that follow in its paragraph, which then come along. `steps`: all steps of a numbered list
    are the answer. `listed`: a list directly below a heading comes as one."""
    start, end, last = passage.start, passage.end, passage.index
    pieces = chunk_passages(passage.chunk, passage.hit)
    if is_question(passage):
        reply = find_reply(pieces, passage)
        return replace(passage, end=reply.end) if reply is not None else passage
    if last and PRONOUN.match(passage.text):
        before = pieces[last - 1]
        if before.form == "sentence" and _are_together(before, passage):
            start = before.start
    if INTRODUCES.search(passage.text):
        end = _find_introduced_end(pieces[last + 1 : last + 1 + ITEMS], end)
    elif asks_how:
        start, end = _add_code(pieces, passage, start, end)
    item = _find_item(pieces, last)
    if steps and item and (whole := _find_steps(pieces, item)):
        start, end = whole
    elif item and item[-1].end - item[0].start <= LONGEST_ITEM:
        start, end = min(start, item[0].start), max(end, item[-1].end)
        if listed and _is_first_below_heading(pieces, item[0].index):
            end = max(end, _find_list_end(pieces[item[0].index :], LONGEST_ITEM))
    elif room:
        end = max(end, _find_paragraph_end(pieces[last:], room))
    lead = _find_lead(pieces, item[0]) if item and start <= item[0].start else None
    return replace(passage, start=start, end=end, lead=lead)


def _is_first_below_heading(pieces: Sequence[Passage], at: int) -> bool:
    """Whether a piece of a chunk is the first one below a heading."""
    return at > 0 and pieces[at - 1].form == "heading"


def _find_list_end(pieces: Sequence[Passage], room: int) -> int:
    """The end of the items of a list that fit into `room`, with the sentences that go on with them."""
    end = pieces[0].end
    for one, following in pairwise(pieces):
        if not (_is_item(following) or _goes_on(one, following)) or following.end - pieces[0].start > room:
            break
        end = following.end
    return end


def _are_together(one: Passage, following: Passage) -> bool:
    return "\n\n" not in one.chunk.text[one.end : following.start]


def _find_item(pieces: Sequence[Passage], at: int) -> Sequence[Passage]:
    """The sentences of the list item that a piece belongs to; none where it stands in no list."""
    first, last = at, at
    while first and _goes_on(pieces[first - 1], pieces[first]):
        first -= 1
    if not _is_item(pieces[first]):
        return ()
    while last + 1 < len(pieces) and _goes_on(pieces[last], pieces[last + 1]):
        last += 1
    return pieces[first : last + 1]


def _find_steps(pieces: Sequence[Passage], item: Sequence[Passage]) -> tuple[int, int] | None:
    """The range of a numbered list, from an item of it; None where it is long, or has no numbers."""
    first, last = item[0].index, item[-1].index
    while first and (_is_item(pieces[first - 1]) or _find_item(pieces, first - 1)):
        first -= 1
    while last + 1 < len(pieces) and (_is_item(pieces[last + 1]) or _goes_on(pieces[last], pieces[last + 1])):
        last += 1
    listed = pieces[first : last + 1]
    numbered = all(STEP.match(piece.text) for piece in listed if _is_item(piece))
    return (listed[0].start, listed[-1].end) if numbered and listed[-1].end - listed[0].start <= FOLLOWS else None


def _find_paragraph_end(pieces: Sequence[Passage], room: int) -> int:
    """The end of the first piece and of the sentences behind it in its paragraph that fit into `room`, and in the next
    one where both have a label, as "Problem:" and "Solution:"."""
    end = pieces[0].end
    label = read_label(pieces[0].text)
    for one, following in pairwise(pieces):
        paired = label and following.form == "sentence" and read_label(following.text) not in (None, label)
        if not (paired or _goes_on(one, following)) or following.end - pieces[0].end > room:
            break
        end = following.end
    return end


def read_label(text: str) -> str | None:
    """The word before the colon that a paragraph begins with.

    >>> read_label("**Problem:** It hums."), read_label("Two of them: one")
    ('Problem', None)
    """
    found = LABEL.match(text)
    return found[1] if found else None


def _goes_on(one: Passage, following: Passage) -> bool:
    return following.form == "sentence" and _are_together(one, following) and not _is_field(one)


def _is_item(passage: Passage) -> bool:
    return passage.form == "item"


def _is_field(passage: Passage) -> bool:
    """Whether a piece is a line of a form, which ends with its line."""
    return _is_item(passage) and ITEM.match(passage.text) is None


def _add_code(pieces: Sequence[Passage], passage: Passage, start: int, end: int) -> tuple[int, int]:
    """The range of a sentence with the short code that it is about: the code below it, or above a sentence on `this
    example`; of code with the sentence above it. A question of how something is done wants both."""
    before = pieces[passage.index - 1] if passage.index else None
    after = next(iter(pieces[passage.index + 1 : passage.index + 2]), None)
    if passage.form == "code":
        described = (
            before is not None and before.form in ("sentence", "item") and before.end - before.start <= LONGEST_LEAD
        )
        return (before.start if before and described else start), end
    about_above = ABOUT_CODE.match(passage.text)
    if before and about_above and _is_short_code(before):
        return before.start, end
    if after and not about_above and _is_short_code(after):
        return start, after.end
    return start, end


def _is_short_code(piece: Passage) -> bool:
    """Whether a piece is code to run, a few lines of it."""
    if piece.form != "code" or piece.end - piece.start > SHORT_CODE:
        return False
    lines = [line for line in piece.text.splitlines() if line.strip() and not line.lstrip().startswith(("```", "~~~"))]
    return sum(bool(DATA_LINE.match(line)) for line in lines) * 2 < len(lines)


def _find_lead(pieces: Sequence[Passage], item: Passage) -> tuple[int, int] | None:
    """The sentence that introduces the list of an item, other items between them or none."""
    above = next((piece for piece in reversed(pieces[: item.index]) if not _is_item(piece)), None)
    if above is None or above.form != "sentence" or above.end - above.start > LONGEST_LEAD:
        return None
    return (above.start, above.end) if INTRODUCES.search(above.text) else None


def _find_introduced_end(pieces: Sequence[Passage], end: int) -> int:
    """The end of what an introduction introduces: a list, the rows of a table, a block of code, else one sentence."""
    if not pieces or pieces[0].form == "heading":
        return end
    first = pieces[0]
    for piece in pieces:
        if piece.form not in (first.form, "noise") or piece.end - first.start > max(FOLLOWS, first.end - first.start):
            break
        end = piece.end
        if first.form in ("sentence", "code"):
            break
    return end
