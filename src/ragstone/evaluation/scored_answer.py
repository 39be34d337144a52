"""The result of a question with an answer: abstained or given, on which passages, and whether they are the gold."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ragstone import guard
from ragstone.answering.verification.claims import MARKER
from ragstone.core.answers import Answer, Citation
from ragstone.core.types import Document
from ragstone.evaluation.case import Case

WORD = re.compile(r"\w+")
ARTICLES = frozenset(("a", "an", "the"))
RecordLookup = Callable[[Document], str | None]


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """An answer as it is scored: its cited sentences with what they cite, how many of its citations are valid.

    `text` is all that it says, also what nothing supports; `documents` are the paths that it cites. `rated` are
    measures that it comes with, such as a judge's; `usage` are the tokens that writing it took.
    """

    abstained: bool
    answerability: float | None = None
    cited: tuple[str, ...] = ()
    citations: int = 0
    valid: int = 0
    text: str = ""
    documents: tuple[str, ...] = ()
    rated: Mapping[str, float] = field(default_factory=dict)
    usage: Mapping[str, int] = field(default_factory=dict)


def score_answer(answer: Answer, record: RecordLookup, *, rated: Mapping[str, float] | None = None) -> ScoredAnswer:
    """An answer as it is scored; `record` gives a document's text of record, None where it is gone. Its groundedness
    is added to what it was `rated`.

    Unsupported parts do not count: an unverified sentence, and the quote of an unverified citation, which is its whole
    chunk.
    """
    sentences = [one.text for one in answer.sentences if one.citations and one.status != "unverified"]
    supporting = [one for one in answer.citations if one.status != "unverified"]
    quotes = [one.quote for one in supporting]
    own = {} if answer.abstained else {"Groundedness": answer.groundedness}
    return ScoredAnswer(
        answer.abstained,
        answer.answerability,
        tuple(dict.fromkeys([*sentences, *quotes])),
        len(answer.citations),
        sum(is_valid_citation(citation, record(citation.document)) for citation in answer.citations),
        text="" if answer.abstained else answer.text,
        documents=tuple(dict.fromkeys(one.document.path for one in supporting)),
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
    said = "\n".join(map(normalize_words, cited))
    if case.answer_contains:
        return all(normalize_words(one) in said for one in case.answer_contains)
    wanted = (*case.sentences, *(quote.text for quote in case.quotes)) or case.answers
    return any(normalize_words(one).strip() and normalize_words(one) in said for one in wanted) if wanted else None


def says_forbidden(case: Case, said: str) -> bool | None:
    """Whether an answer says one of the case's `forbidden` claims, by their words in a row; None where it has none."""
    if not case.forbidden:
        return None
    words = normalize_words(MARKER.sub(" ", said))
    return any(normalize_words(claim).strip() and normalize_words(claim) in words for claim in case.forbidden)


def compare_words(case: Case, said: str) -> tuple[float, float] | None:
    """F1 of an answer's words and those of the expected answer that they are nearest to, and the share of that one's
    words that the answer has (Rajpurkar and others 2016, without articles); None where the case expects none."""
    expected = [words for text in (case.answer, *case.answers) if text and (words := _count_words(text))]
    if not expected:
        return None
    given = _count_words(MARKER.sub(" ", said))
    found = []
    for words in expected:
        shared, wanted = (given & words).total(), words.total()
        found.append((2 * shared / (given.total() + wanted), shared / wanted))
    return max(found)


def _count_words(text: str) -> Counter[str]:
    return Counter(word for word in WORD.findall(text.casefold()) if word not in ARTICLES)


def normalize_words(text: str) -> str:
    """The words of a text, without regard to case, blanks and punctuation, with a blank before and after each."""
    return f" {' '.join(WORD.findall(text.casefold()))} "
