"""A question that goes on from others: what it would be if it stood alone."""

from collections.abc import Mapping, Sequence

from ragstone.errors import Unavailable, UsageError
from ragstone.ports import Completion, Message, Prompt
from ragstone.trace import Trace
from ragstone.words import terms

History = Sequence[Message | Mapping[str, object]]
TURNS = 10  # of a conversation that are looked at
LONGEST_TURN = 4_000  # characters; the beginning of a longer one
FEWEST_TERMS = 3  # a question with fewer words that name something leans on what was said before
LEANING = frozenset(
    "it its they them their theirs he him his she her hers this that these those there then one ones same "
    "such former latter also else instead".split()
)
ASKED = (
    "Rewrite the last question of the conversation so that it can be understood alone: put names in place of words "
    "such as it, they, that one. Change nothing else, answer nothing, and write the question alone. A question that "
    "can be understood alone is repeated as it is."
)
LONGEST_QUESTION = 2_000  # characters; what is longer is no question
TOKENS = 200


def checked(history: History) -> tuple[Message, ...]:
    """The turns that are looked at. Raises `UsageError` for what is no turn of the user or the assistant."""
    turns = [_turn(turn) for turn in history]
    return tuple(turn for turn in turns[-TURNS:] if turn.text)


def _turn(turn: Message | Mapping[str, object]) -> Message:
    role, text = (turn.get("role"), turn.get("content")) if isinstance(turn, Mapping) else (turn.role, turn.text)
    if role not in ("user", "assistant") or not isinstance(text, str):
        raise UsageError(
            f"a message of the conversation is {turn!r:.80}; it must have a role, user or assistant, and its content"
        )
    return Message("user" if role == "user" else "assistant", text.strip()[:LONGEST_TURN])


async def standalone(
    question: str, history: Sequence[Message], model: Completion | None, trace: Trace, *, seconds: float | None = None
) -> str:
    """The question to search for: the model's rewriting, or without one, or one that takes longer than `seconds`, the
    last question said along with this one, where this one leans on it."""
    if not history:
        return question
    if model is None:
        return _with_the_last(question, history)
    made = await trace.attempt("standalone", _rewritten(question, history, model), None, seconds=seconds)
    return made if made is not None else _with_the_last(question, history)


async def _rewritten(question: str, history: Sequence[Message], model: Completion) -> str | None:
    said = "\n".join(f"{turn.role}: {turn.text}" for turn in history)
    turns = (Message("system", ASKED), Message("user", f"{said}\n\nlast question: {question}"))
    try:
        done = await model.complete(Prompt(turns, max_tokens=TOKENS))
    except UsageError as error:  # such as a wrong key: the question can still be answered
        raise Unavailable(str(error)) from error
    text = " ".join(done.text.split()).strip("\"'“”")
    return text if text and len(text) <= LONGEST_QUESTION and done.ended == "stop" else None


def _with_the_last(question: str, history: Sequence[Message]) -> str:
    asked = [turn.text for turn in history if turn.role == "user"]
    words = {word.strip(".,;:!?'\"").lower() for word in question.split()}
    leans = bool(words & LEANING) or len(terms(question)) < FEWEST_TERMS
    return f"{asked[-1]} {question}" if asked and leans else question
