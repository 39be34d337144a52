"""A sentence of a model beside what it cites: supported there, elsewhere in what the model was shown, or nowhere."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragstone.answering.generative.context import ContextPassage
from ragstone.answering.generative.transcript import CitedSentence
from ragstone.answering.verification.support import GroundingContext, SentencePair
from ragstone.core.types import Chunk, Span, Verdict


@dataclass(frozen=True, slots=True)
class SentenceSupport:
    """The support of a sentence: the passage, by its place in the context, its chunk, and where in the record."""

    passage: int
    chunk: Chunk
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class CheckedSentence:
    """A sentence with its verdict and why; `passages` are those that it cites, corrected if another one supports it.
    One that `claims` nothing ("Here is what the documents say:") needs no support. The cosines of `pairs` of texts
    may still change the verdict."""

    text: str
    passages: tuple[int, ...]
    status: Verdict
    why: str
    claims: bool = True
    supports: tuple[SentenceSupport, ...] = ()
    pairs: tuple[SentencePair, ...] = ()

    @property
    def is_presentable(self) -> bool:
        """Whether it is shown if only supported sentences are."""
        return not self.claims or self.status != "unverified"


class SentenceChecker:
    """Checks the sentences of one answer against the passages that its model was shown."""

    def __init__(self, shown: Sequence[ContextPassage]) -> None:
        self._chunks = [(passage, chunk) for passage, one in enumerate(shown) for chunk in one.chunks]
        self._owners = {chunk.id: passage for passage, chunk in self._chunks}
        self._grounds = GroundingContext([chunk for _, chunk in self._chunks])

    def check(self, said: CitedSentence, similar: Mapping[SentencePair, float] | None = None) -> CheckedSentence:
        """The verdict on a sentence, by its words and what `similar` knows; see `GroundingContext.check`."""
        cited = [place for place, (passage, _) in enumerate(self._chunks) if passage in said.passages]
        found = self._grounds.check(said.text, cited, similar=similar)
        supports = tuple(SentenceSupport(self._owners[one.chunk.id], one.chunk, one.spans) for one in found.quotes)
        if not found.claim or found.status == "unverified":
            return CheckedSentence(said.text, said.passages, found.status, found.why, found.claim, pairs=found.pairs)
        passages = tuple(dict.fromkeys(support.passage for support in supports))
        return CheckedSentence(said.text, passages, found.status, found.why, supports=supports, pairs=found.pairs)
