"""Answers that quote: whether the chosen passages are evidence enough, and where each quote stands."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ragstone import guard
from ragstone.answering.abstention.abstain import Decision, decide_abstention, decide_by_thresholds
from ragstone.answering.abstention.calibration import NO_SCORES, AbstentionPolicy
from ragstone.answering.abstention.evidence import Evidence, collect_evidence
from ragstone.answering.assembly import abstain, abstain_unquoted
from ragstone.answering.extractive.reading_form import arrange_passages, make_quotes
from ragstone.answering.extractive.rivals import Rivals
from ragstone.answering.extractive.scored_passages import ScoredPassage
from ragstone.answering.extractive.selection import read_whole
from ragstone.answering.passage_choice import (
    EXTRACT_FROM,
    AnswerInput,
    ChosenPassages,
    Texts,
    choose_passages,
    drop_unfit_calibration,
)
from ragstone.answering.verification.citations import (
    cite_quotes,
    groundedness,
    list_documents,
    note_flagged_sentences,
    render_answer,
)
from ragstone.answering.verification.lines_above import prepend_lines_above
from ragstone.answering.verification.page_boxes import add_page_boxes
from ragstone.core.answers import Answer, Note
from ragstone.core.errors import UsageError
from ragstone.core.types import Hit
from ragstone.retrieval.retriever_weights import list_answered_weights

WHOLE = 5  # passages that are judged whole where a model will write
CONTRADICTION, COMPUTED = "contradiction", "computed"  # codes of notes
LONGEST_SHOWN = 240  # characters of a passage in a note


@dataclass(frozen=True, slots=True)
class QuotedAnswer:
    """An extractive answer or an abstention, and whether the passages are evidence enough to ask a model: that may be
    so where no sentence can be quoted."""

    answer: Answer
    suffices: bool


async def make_extractive_answer(retrieved: AnswerInput, policy: AbstentionPolicy, *, sparing: bool) -> QuotedAnswer:
    """An extractive answer: the sentences that answer best, each quoted and checked; or an abstention. `sparing` where
    a model will write: passages are compared by vectors only when the decision may hang on it, and where it is to
    abstain, the passages are judged whole."""
    sparing_for = policy if sparing else None
    # Where tables answer and no row fits, a model may read on, and other policies do not judge quotes.
    chosen = await choose_passages(retrieved, sparing=sparing_for, insist=sparing or policy.rule != "fitted")
    fitting = drop_unfit_calibration(policy, chosen.evidence, retrieved)
    verdict = _decide(retrieved, chosen.evidence, fitting)
    if verdict.abstain:
        whole = _judge_whole_passages(chosen, retrieved, fitting) if sparing else verdict
        likely, clarify = max(verdict.answerability, whole.answerability), verdict.clarify
        made = abstain(verdict.reason, verdict.message, clarify=clarify, answerability=likely)
        return QuotedAnswer(made, not whole.abstain)
    passages = arrange_passages(chosen.with_rivals())
    made = await _cite(retrieved.reader, passages) if passages else abstain_unquoted()
    notes = [_note_contradiction(pair) for pair in chosen.rivals]
    notes += [Note(COMPUTED, guard.mask_secrets(chosen.said))] if chosen.said else []
    own = () if made.abstained else tuple(notes)
    return QuotedAnswer(replace(made, answerability=verdict.answerability, notes=(*made.notes, *own)), suffices=True)


def _judge_whole_passages(chosen: ChosenPassages, retrieved: AnswerInput, policy: AbstentionPolicy) -> Decision:
    """The decision over the best whole passages, of which a model reads more than one sentence: the most hopeful."""
    question, hits = chosen.question, retrieved.hits[:EXTRACT_FROM]
    decisions = [
        _decide(retrieved, _judge(chosen, hits, read_whole(question, hit, rank)), policy)
        for rank, hit in enumerate(hits[:WHOLE])
    ]
    return max(decisions, key=lambda one: (not one.abstain, one.answerability), default=Decision(True, "no_hits"))


def _judge(chosen: ChosenPassages, hits: Sequence[Hit], whole: ScoredPassage) -> Evidence:
    """The evidence of one whole passage."""
    words, floor = chosen.evidence.compares_words, chosen.evidence.floor
    return collect_evidence(chosen.question, hits, [whole], idf=chosen.idf, compares_words=words, floor=floor)


def _note_contradiction(pair: Rivals) -> Note:
    """The note on two passages that contradict each other, which holds both, so that an answer in other words shows
    them too."""
    told = [
        f'{guard.mask_secrets(p.chunk.document.path)}: "{_shorten(guard.mask_chunk_part(p.chunk, p.start, p.end))}"'
        for p in (pair.ours.passage, pair.theirs.passage)
    ]
    return Note(CONTRADICTION, f"two documents contradict each other: {'; '.join(told)}")


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_SHOWN else f"{line[:LONGEST_SHOWN]}…"


def _decide(retrieved: AnswerInput, found: Evidence, policy: AbstentionPolicy) -> Decision:
    """Answer or abstain, by what the policy names. Raises `UsageError` where its thresholds have nothing to judge."""
    if policy.rule != "thresholds":
        return decide_abstention(found, policy)
    question, hits, by_store = retrieved.question, retrieved.hits, retrieved.fused_by_store
    if question.fusion != "rrf" and not by_store and not any("rerank" in hit.signals for hit in hits):
        raise UsageError(NO_SCORES)
    weights = list_answered_weights(hits, question, by_store=by_store)
    return decide_by_thresholds(hits, weights=weights, policy=policy)


async def _cite(reader: Texts, chosen: Sequence[ScoredPassage]) -> Answer:
    """The chosen passages as an answer, each quote found again in its document; an abstention when none is."""
    quotes = make_quotes(chosen)
    texts = await reader.records(list_documents(quotes))
    quotes = [prepend_lines_above(quote, texts.get(quote.chunk.document.id, "")) for quote in quotes]
    sentences, citations = cite_quotes(quotes, texts, mask=guard.mask_secrets, secrets=guard.locate_secrets)
    grounded = groundedness([sentence.status for sentence in sentences])
    if not grounded:
        return abstain("unsupported", "No quote could be found again in the text of its document.")
    paged = [d for d in list_documents(quotes) if any(span.page for c in citations for span in c.spans)]
    citations = add_page_boxes(citations, texts, await reader.layouts(paged))
    notes = note_flagged_sentences(sentences, citations, [quote.chunk for quote in quotes])
    text = render_answer(sentences, citations)
    return Answer(text, sentences=sentences, citations=citations, groundedness=grounded, notes=notes)
