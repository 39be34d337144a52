"""Questions in the text: an answer only with the reply that stands below them."""

import re
from collections.abc import Sequence

from ragstone.answering.extractive.passages import Passage

ASKS = re.compile(r"[?？؟][\"'”’)\]*_`]*\Z")
STOPPED = re.compile(r"[.!:;。！：][\"'”’)\]*_`]*\Z")
FEW = 4  # terms of a reply that wants the sentence behind it
NEXT = 5  # pieces behind a question among which its reply begins


def is_question(passage: Passage) -> bool:
    """Whether a sentence asks something; items do not count, as a list of questions may be the answer."""
    return passage.form == "sentence" and ASKS.search(passage.text) is not None


def find_reply(pieces: Sequence[Passage], question: Passage) -> Passage | None:
    """The last sentence of the reply to a question of the text, in the pieces of its chunk: the next sentence, and one
    more behind a short one; names, dates and labels of buttons may stand between. None where another kind of piece
    follows, or another question."""
    reply: Passage | None = None
    said = 0
    for piece in pieces[question.index + 1 : question.index + 1 + NEXT]:
        if piece.form not in ("sentence", "noise") or is_question(piece):
            break
        if STOPPED.search(piece.text):
            reply = piece
            said += len(piece.terms)
        if said >= FEW:
            break
    return reply
