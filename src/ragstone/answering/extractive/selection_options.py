"""How much each sign counts in choosing the passages of an answer."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SelectionOptions:
    """How much each sign counts, and how many passages an answer has.

    `rank` and `kind` were compared on the questions of SQuAD 2.0, CLAP NQ and the demo
    (`benchmarks/answers/extractive.py`), `enough` to `room`, `similarity` and `chunk` also on everyday questions
    (`benchmarks/answers/README.md`): all are flat about these values. The rest was set by hand.
    """

    most: int = 3
    enough: float = 0.9  # a passage that says this share of the question's mass needs no other, but one that
    adds: float = 0.15  # adds this share
    near: float = 0.6  # a further passage scores so much less than the best one at most
    beside: float = 1.0  # for a further passage beside a chosen one
    room: int = 350  # characters of all passages, where one alone does not say enough
    context: float = 0.35  # a term in heading, title or the sentence before counts so much
    kind: float = 0.2
    pairs: float = 0.15  # terms that stand next to each other in the question and in the passage
    similarity: float = 3.0  # the cosine of the question and the passage below its headings
    # Where single words were matched (`benchmarks/answers/fit_everyday.py`): instead of `similarity` and `near`, and
    # for the question's word that the passage comes least near to.
    similarity_beside_words: float = 2.0
    near_in_words: float = 0.8
    weakest: float = 2.0
    elsewhere: float = 1.0  # against a sentence that sends the reader elsewhere, where is asked how something is done
    defines: float = 1.5  # for a sentence that says what the thing is that a question asks the meaning of
    headed: float = 0.75  # for the first sentence below that thing's name, where it begins with another word
    reason: float = 1.5  # for the first sentence below "Root cause" and its like, where a reason is asked for
    led: float = 4.0  # for the first passage below a heading that is the question: more than all else
    titled: float = 1.0  # on top, where that is the title of the document
    chunk: float = 2.0  # the cosine of the question and the passage's chunk
    rank: float = 0.2  # for the first hit; the second has half of it, and so on
    hits: int = 8
    alike: float = 0.8
