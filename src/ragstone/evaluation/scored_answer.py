"""The result of a question with an answer: abstained or given, on which passages, and whether they are the gold."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ragstone import guard
from ragstone.answering.verification.claims import MARKER
from ragstone.core.answers import Answer, Citation
from ragstone.core.types import Document
from ragstone.evaluation.case import Case

WORD = re.compile(r"\w+")
RecordLookup = Callable[[Document], str | None]


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """An answer as it is scored: its cited sentences with what they cite, how many of its citations are valid.

    `text` is all that it says, also what nothing supports. `rated` are measures that it comes with, such as a judge's;
    `usage` are the tokens that writing it took.
    """

    abstained: bool
    answerability: float | None = None
    cited: tuple[str, ...] = ()
    citations: int = 0
    valid: int = 0
    text: str = ""
    rated: Mapping[str, float] = field(default_factory=dict)
    usage: Mapping[str, int] = field(default_factory=dict)


def score_answer(answer: Answer, record: RecordLookup, *, rated: Mapping[str, float] | None = None) -> ScoredAnswer:
    """An answer as it is scored; `record` gives a document's text of record, None where it is gone. Its groundedness
    is added to what it was `rated`.

    Unsupported parts do not count: an unverified sentence, and the quote of an unverified citation, which is its whole
    chunk.
    """
    sentences = [one.text for one in answer.sentences if one.citations and one.status != "unverified"]
    quotes = [one.quote for one in answer.citations if one.status != "unverified"]
    own = {} if answer.abstained else {"Groundedness": answer.groundedness}
    return ScoredAnswer(
        answer.abstained,
        answer.answerability,
        tuple(dict.fromkeys([*sentences, *quotes])),
        len(answer.citations),
        sum(is_valid_citation(citation, record(citation.document)) for citation in answer.citations),
        text="" if answer.abstained else answer.text,
        rated={**own, **(rated or {})},
        usage=answer.usage,
    )


def is_valid_citation(citation: Citation, text: str | None) -> bool:
    """Whether a citation supports a sentence, and its quote stands at its places in the text of record, to the letter.

    It supports one where it is verified or repaired: the check found the sentence in what it quotes. Where secrets are
    masked in the quote, it is compared with the record's own words after they were masked too.
    """
    if text is None or not citation.spans or citation.status == "unverified":
        return False
    places = [text[span.char_start : span.char_end] for span in citation.spans]
    said = "\n".join(places)
    if citation.masked:
        said = guard.mask_secrets(
            said, citation.spans, guard.select_secrets(guard.locate_secrets(text), citation.spans)
        )
    return all(places) and said == citation.quote


def holds_gold(case: Case, cited: tuple[str, ...]) -> bool | None:
    """Whether the cited sentences hold the gold: all of `answer_contains`, else one of the case's sentences or quotes,
    else one of its answers. None where the case names none of these.

    Words are compared, without regard to case, blanks and punctuation.
    """
    said = "\n".join(map(_normalize_words, cited))
    if case.answer_contains:
        return all(_normalize_words(one) in said for one in case.answer_contains)
    wanted = (*case.sentences, *(quote.text for quote in case.quotes)) or case.answers
    return any(_normalize_words(one).strip() and _normalize_words(one) in said for one in wanted) if wanted else None


def says_forbidden(case: Case, said: str) -> bool | None:
    """Whether an answer says one of the case's `forbidden` claims, by their words in a row; None where it has none."""
    if not case.forbidden:
        return None
    words = _normalize_words(MARKER.sub(" ", said))
    return any(_normalize_words(claim).strip() and _normalize_words(claim) in words for claim in case.forbidden)


def _normalize_words(text: str) -> str:
    return f" {' '.join(WORD.findall(text.casefold()))} "
