"""From ranked hits to an answer that can be checked: budget, order, quotes, citations, abstention, formats."""

from ragstone.answer.abstain import ABSTENTION, Policy, decide
from ragstone.answer.boxes import drawn
from ragstone.answer.budget import Budget, fit
from ragstone.answer.cite import Quote, by_chunk, cited, documents, groundedness, number, verify, written
from ragstone.answer.evidence import Evidence, evidence
from ragstone.answer.extractive import Choosing, Scored, choose, compared, quotes, rank
from ragstone.answer.formats import (
    answer_json,
    answer_text,
    citation_json,
    context_xml,
    document_json,
    found_json,
    found_text,
    hit_json,
    inline,
    pack_full,
    pack_llm,
    printable,
    span_json,
)
from ragstone.answer.order import ends_first
from ragstone.answer.places import spans_at
from ragstone.answer.question import Asked, asked
from ragstone.answer.support import Finding, Grounds, grounded

__all__ = [
    "ABSTENTION",
    "Asked",
    "Budget",
    "Choosing",
    "Evidence",
    "Finding",
    "Grounds",
    "Policy",
    "Quote",
    "Scored",
    "answer_json",
    "answer_text",
    "asked",
    "by_chunk",
    "choose",
    "citation_json",
    "cited",
    "compared",
    "context_xml",
    "decide",
    "document_json",
    "documents",
    "drawn",
    "ends_first",
    "evidence",
    "fit",
    "found_json",
    "found_text",
    "grounded",
    "groundedness",
    "hit_json",
    "inline",
    "number",
    "pack_full",
    "pack_llm",
    "printable",
    "quotes",
    "rank",
    "span_json",
    "spans_at",
    "verify",
    "written",
]
