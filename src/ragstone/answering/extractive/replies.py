"""Questions in the text: an answer only with the reply that stands below them."""

import re
from collections.abc import Sequence

from ragstone.answering.extractive.passages import Passage

ASKS = re.compile(r"[?？؟][\"'”’)\]*_`]*\Z")
STOPPED = re.compile(r"[.!:;。！：][\"'”’)\]*_`]*\Z")
# Sentences that state something, with a question mark: a fact told as a question, a question that is reported.
TELLS = re.compile(
    r"\W*(?:did you know|wuss?test? |wuss?ten sie|(?:le )?saviez-vous|sab[íi]as? |sapevi)\W*(?:\w+\W+){4}", re.I
)
REPORTS = re.compile(r"\w[^\w\n]{0,3}\s[\"“„«‘'][^\"“”„«»\n]{1,300}[?？؟][\"”»’'][.*_`]{0,2}\Z")
QUOTED = 320  # characters of the end of a sentence in which that is looked for
FOLLOWS = 900  # characters of a list, a table or code that is a reply
FEW = 4  # terms of a reply that wants the sentence behind it
MAIL = "message/rfc822"  # its media type
NEXT = 5  # pieces behind a question among which its reply begins


def is_question(passage: Passage) -> bool:
    """Whether a sentence asks something; items do not count, as a list of questions may be the answer."""
    if passage.form != "sentence" or ASKS.search(passage.text) is None:
        return False
    return not (TELLS.match(passage.text) or REPORTS.search(passage.text[-QUOTED:]))


def find_reply(pieces: Sequence[Passage], question: Passage) -> Passage | None:
    """The last sentence of the reply to a question of the text, in the pieces of its chunk: the next sentence, and one
    more behind a short one; names, dates and labels of buttons may stand between. A list, the rows of a table and code
    are replies as well, whole. None where a heading follows, or another question, and where a mail asks: who replies
    writes below the quoted question, or another mail."""
    if question.chunk.document.media_type == MAIL and not _is_quoted(question):
        return None
    reply: Passage | None = None
    said = 0
    for piece in pieces[question.index + 1 : question.index + 1 + NEXT]:
        if piece.form in ("item", "row", "code") and not said and not ASKS.search(piece.text):
            return _find_last_alike(pieces[piece.index :])
        if piece.form not in ("sentence", "noise") or is_question(piece):
            break
        if STOPPED.search(piece.text):
            reply = piece
            said += len(piece.terms)
        if said >= FEW:
            break
    return reply


def _is_quoted(passage: Passage) -> bool:
    """Whether its line begins as mails quote."""
    line = passage.chunk.text.rfind("\n", 0, passage.start) + 1
    return passage.chunk.text.startswith(">", line)


def _find_last_alike(pieces: Sequence[Passage]) -> Passage:
    """The last piece of the list, table or code that begins here, a part of it where it is long."""
    first = last = pieces[0]
    for piece in pieces[1:]:
        if piece.form != first.form or ASKS.search(piece.text) or piece.end - first.start > FOLLOWS:
            break
        last = piece
    return last
