"""What became of a question that was asked for an answer: withheld or given, on what, and whether that is the gold."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ragstone.evals.case import Case
from ragstone.types import Answer, Citation, Document

WORD = re.compile(r"\w+")
Record = Callable[[Document], str | None]


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer as it is scored: its cited sentences with what they cite, how many of its citations are valid.

    `rated` are measures that it comes with, such as a judge's; `usage` are the tokens that writing it took.
    """

    abstained: bool
    answerability: float | None = None
    cited: tuple[str, ...] = ()
    citations: int = 0
    valid: int = 0
    rated: Mapping[str, float] = field(default_factory=dict)
    usage: Mapping[str, int] = field(default_factory=dict)


def answered(answer: Answer, record: Record, *, rated: Mapping[str, float] | None = None) -> Answered:
    """An answer as it is scored; `record` gives a document's text of record, None where it is gone. Its groundedness
    is added to what it was `rated`.
    """
    cited = [sentence.text for sentence in answer.sentences if sentence.citations]
    quoted = [citation.quote for citation in answer.citations]
    valid = sum(stands(citation, record(citation.document)) for citation in answer.citations)
    texts = tuple(dict.fromkeys([*cited, *quoted]))
    own = {} if answer.abstained else {"Groundedness": answer.groundedness}
    return Answered(
        answer.abstained,
        answer.answerability,
        texts,
        len(answer.citations),
        valid,
        rated={**own, **(rated or {})},
        usage=answer.usage,
    )


def stands(citation: Citation, text: str | None) -> bool:
    """Whether what a citation quotes stands at its place, to the character; a masked quote has its place alone."""
    if text is None or not citation.spans:
        return False
    places = [text[span.char_start : span.char_end] for span in citation.spans]
    return all(places) and (citation.masked or "\n".join(places) == citation.quote)


def gold_in(case: Case, cited: tuple[str, ...]) -> bool | None:
    """Whether the cited sentences hold the gold: all of `answer_contains`, else one of the case's sentences or quotes,
    else one of its answers. None where the case names none of these.

    Words are compared, without regard to case, blanks and punctuation.
    """
    said = "\n".join(map(_plain, cited))
    if case.answer_contains:
        return all(_plain(one) in said for one in case.answer_contains)
    wanted = (*case.sentences, *(quote.text for quote in case.quotes)) or case.answers
    return any(_plain(one).strip() and _plain(one) in said for one in wanted) if wanted else None


def _plain(text: str) -> str:
    return f" {' '.join(WORD.findall(text.casefold()))} "
