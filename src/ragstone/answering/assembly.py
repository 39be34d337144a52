"""From a model's text to an answer: checked sentences with citations, or an abstention."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ragstone import guard
from ragstone.answering.abstention.abstain import ABSTENTION, CLARIFY, MESSAGES
from ragstone.answering.generative.context import ContextPassage
from ragstone.answering.generative.declining import is_declined
from ragstone.answering.generative.transcript import AnswerPiece, CitedSentence, Transcript
from ragstone.answering.generative.verdicts import CheckedSentence, SentenceChecker, SentenceSupport
from ragstone.answering.options import Conversation
from ragstone.answering.verification.citations import groundedness, note_flagged_sentences, stands_alone
from ragstone.answering.verification.page_boxes import add_page_boxes
from ragstone.answering.verification.similarity import TextSimilarity
from ragstone.core.answers import Answer, Citation, Event, Note, Sentence
from ragstone.core.page_layout import Layout
from ragstone.core.plural import format_count
from ragstone.core.ports import CompletionResult
from ragstone.core.trace import Trace
from ragstone.core.types import Span, join_slices

UNSUPPORTED = "unsupported"  # the reason where no sentence of a model is supported


@dataclass(frozen=True, slots=True)
class Draft:
    """The start of an answer: the quoted answer, which replaces the model's if that fails; the passages in their
    order; texts and pages, by document, that sentences are checked against, and what compares them. `ask` says that
    the passages are evidence enough to ask a model."""

    conversation: Conversation
    quoted: Answer
    ask: bool
    shown: tuple[ContextPassage, ...] = ()
    records: Mapping[str, str] = field(default_factory=dict)
    layouts: Mapping[str, Layout] = field(default_factory=dict)
    similarity: TextSimilarity | None = None


def abstain(reason: str | None, message: str, *, clarify: str = "", answerability: float | None = None) -> Answer:
    """An abstention with its reason, and with a question back if that may help."""
    notes = (Note(reason or "abstained", message), *([Note("clarify", clarify)] if clarify else []))
    return Answer(ABSTENTION, abstained=True, reason=reason, answerability=answerability, notes=notes)


def abstain_unquoted() -> Answer:
    """An abstention where no sentence and no row answers."""
    reason = "no_supporting_sentence"
    return abstain(reason, MESSAGES[reason], clarify=CLARIFY[reason])


class AnswerAssembler:
    """Shows a model's text as it comes, and makes the answer of it. With `strict` a sentence is shown after its check,
    and only if it is supported or claims nothing. `similarity` gives the cosines that decide where words do not."""

    def __init__(
        self,
        draft: Draft,
        transcript: Transcript,
        trace: Trace,
        *,
        strict: bool = False,
        similarity: TextSimilarity | None = None,
    ) -> None:
        self._draft = draft
        self._transcript = transcript
        self._trace = trace
        self._strict = strict
        self._similarity = similarity
        self._out = ""
        self._checker = SentenceChecker(draft.shown)
        self._checked: list[CheckedSentence] = []

    async def show(self, pieces: Iterable[AnswerPiece], *, last: bool = False) -> AsyncIterator[Event]:
        """The events of what came: `message` with the piece's text, `citation` before a passage's first use."""
        for piece in pieces:
            for passage in piece.first:
                chunk = self._draft.shown[passage].first
                yield Event("citation", {"n": self._transcript.number_passage(passage), "chunk": chunk})
            if not self._strict:
                self._out += piece.text
                yield Event("message", {"text": piece.text, "citations": piece.numbers, "delta": True})
        if self._strict:
            async for event in self._show_supported(last=last):
                yield event

    async def _show_supported(self, *, last: bool) -> AsyncIterator[Event]:
        """Sentences that are whole by now, and that something supports."""
        told = self._transcript.sentences(len(self._checked))
        for checked in await self._check(told if last else told[:-1]):
            if checked.is_presentable:
                text = self._format_sentence(checked)
                self._out += text
                yield Event("message", {"text": text, "citations": self._number_passages(checked), "delta": True})

    async def _check(self, told: Sequence[CitedSentence]) -> list[CheckedSentence]:
        """The verdicts on some sentences by their words, then once more on those that cosines may change, at once."""
        with self._trace.time_stage("check"):
            checked = [self._checker.check(said) for said in told]
            pairs = dict.fromkeys(pair for one in checked for pair in one.pairs)
            if (
                pairs
                and self._similarity is not None
                and (similar := await self._similarity.cosines(pairs, self._trace))
            ):
                checked = [
                    self._checker.check(said, similar) if one.pairs else one
                    for said, one in zip(told, checked, strict=True)
                ]
        self._checked += checked
        return checked

    def _number_passages(self, checked: CheckedSentence) -> tuple[int, ...]:
        return tuple(self._transcript.number_passage(passage) for passage in checked.passages)

    def _format_sentence(self, checked: CheckedSentence) -> str:
        gap = "" if not self._out else "\n" if stands_alone(checked.text) else " "
        marks = "".join(map(self._transcript.render_marker, checked.passages))
        return f"{gap}{checked.text}{' ' if marks else ''}{marks}"

    async def finish(self, done: CompletionResult) -> Answer:
        """The answer as a whole, or an abstention: the model's own, or since nothing that it says is supported."""
        await self._check(self._transcript.sentences(len(self._checked)))
        self._note_outcome(done, self._trace)
        counts = {"prompt_tokens": done.prompt_tokens, "completion_tokens": done.completion_tokens}
        usage = {name: count for name, count in counts.items() if count is not None}
        return replace(self._build_answer(), usage=usage)

    def _build_answer(self) -> Answer:
        whole = " ".join(one.text for one in self._checked)
        claims = [one for one in self._checked if one.claims]
        supported = [one for one in claims if one.is_presentable]
        if is_declined(whole) and not any(one.passages for one in supported):
            said = guard.mask_secrets(self._out.strip() or ABSTENTION)
            return replace(abstain("declined", "The model found no answer in the passages."), text=said)
        if not supported:
            return abstain(UNSUPPORTED, "The passages support nothing that the model wrote.")
        kept = [one for one in self._checked if one.is_presentable] if self._strict else self._checked
        citations = self._build_citations(kept)
        sentences = tuple(
            Sentence(guard.mask_secrets(one.text), self._number_passages(one), one.status) for one in kept
        )
        grounded = groundedness([one.status for one in claims])
        notes = note_flagged_sentences(
            sentences, citations, [chunk for one in self._draft.shown for chunk in one.chunks]
        )
        return Answer(
            self._final_text(),
            sentences=sentences,
            citations=citations,
            groundedness=grounded,
            notes=notes,
            mode="written",
        )

    def _final_text(self) -> str:
        """As it was shown, or with the markers that are right where some were not."""
        mended = any(one.status == "repaired" for one in self._checked) and not self._strict
        text = self._transcript.render_text([one.passages for one in self._checked]) if mended else self._out
        return guard.mask_secrets(text.strip())

    def _note_outcome(self, done: CompletionResult, trace: Trace) -> None:
        """What the reader of the answer should know of how it came about."""
        if done.ended == "length":
            trace.note("cut", "the answer was cut at the token limit: raise llm.max_tokens")
        elif done.ended == "refused":
            trace.note("refused", "the vendor's filter ended the answer")
        if unknown := list(dict.fromkeys(self._transcript.unknown)):
            trace.note(
                "citation_unknown",
                f"left out citations of passages that the model did not get: {', '.join(unknown[:5])}",
            )
        left = [one for one in self._checked if not one.is_presentable]
        if left and self._strict:
            trace.note("left_out", f"left out {format_count(len(left), 'sentence')} that nothing supports")
        elif left:
            said = "sentence is not supported by what it cites", "sentences are not supported by what they cite"
            trace.note("unverified", format_count(len(left), *said))

    def _build_citations(self, kept: Sequence[CheckedSentence]) -> tuple[Citation, ...]:
        """One for each passage that a sentence cites, by number: it quotes all that the sentences rest on."""
        behind: dict[int, list[SentenceSupport]] = {}
        for one in kept:
            for passage in one.passages:
                behind.setdefault(passage, [])
            for support in one.supports:
                behind[support.passage].append(support)
        made = [self._build_citation(passage, supports) for passage, supports in behind.items()]
        drawn_boxes = add_page_boxes(made, self._draft.records, self._draft.layouts)
        return tuple(sorted(drawn_boxes, key=lambda citation: citation.n))

    def _build_citation(self, passage: int, supports: Sequence[SentenceSupport]) -> Citation:
        number = self._transcript.number_passage(passage)
        if not supports:
            chunk = self._draft.shown[passage].first
            text = guard.mask_secrets(chunk.text, chunk.spans, chunk.secrets)
            return Citation(number, chunk.id, chunk.document, text, chunk.spans, masked=text != chunk.text)
        chunk = supports[0].chunk
        spans = _merge_spans(span for support in supports for span in support.spans)
        quote = join_slices(self._draft.records[chunk.document.id], spans)
        secrets = sorted({secret for support in supports for secret in support.chunk.secrets})
        text = guard.mask_secrets(quote, spans, guard.select_secrets(secrets, spans))
        return Citation(number, chunk.id, chunk.document, text, spans, "verified", masked=text != quote)


def _merge_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Each place once, in the order of the text; one inside another goes."""
    out: list[Span] = []
    for span in sorted(set(spans), key=lambda span: (span.char_start, -span.char_end)):
        if not out or span.char_end > out[-1].char_end:
            out.append(span)
    return tuple(out)
