"""From ranked hits to an answer that can be checked: budget, order, quotes, citations, abstention, formats."""

from ragstone.answer.abstain import ABSTENTION, Decision, Policy, decide, edition, models, settled, signs_of
from ragstone.answer.boxes import drawn
from ragstone.answer.budget import Budget, fit
from ragstone.answer.calibration import Calibration, calibration_text, check_model, read_calibration
from ragstone.answer.checked import Checked, Checker, Support
from ragstone.answer.cite import Quote, by_chunk, cited, documents, groundedness, number, stands_alone, verify, written
from ragstone.answer.context import Shown, arranged
from ragstone.answer.evidence import Evidence, evidence
from ragstone.answer.extractive import Choosing, Scored, choose, compared, quotes, rank
from ragstone.answer.formats import (
    answer_json,
    answer_text,
    citation_json,
    context_xml,
    document_json,
    event_json,
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
from ragstone.answer.ordering import ordering
from ragstone.answer.places import spans_at
from ragstone.answer.prompt import NAMES, Template, frame, labels, messages, template
from ragstone.answer.question import Asked, asked
from ragstone.answer.support import Finding, Grounds, grounded
from ragstone.answer.thresholds import by_thresholds
from ragstone.answer.transcript import Piece, Said, Transcript
from ragstone.answer.unlike import unlike
from ragstone.answer.windows import around, widened

__all__ = [
    "ABSTENTION",
    "NAMES",
    "Asked",
    "Budget",
    "Calibration",
    "Checked",
    "Checker",
    "Choosing",
    "Decision",
    "Evidence",
    "Finding",
    "Grounds",
    "Piece",
    "Policy",
    "Quote",
    "Said",
    "Scored",
    "Shown",
    "Support",
    "Template",
    "Transcript",
    "answer_json",
    "answer_text",
    "around",
    "arranged",
    "asked",
    "by_chunk",
    "by_thresholds",
    "calibration_text",
    "check_model",
    "choose",
    "citation_json",
    "cited",
    "compared",
    "context_xml",
    "decide",
    "document_json",
    "documents",
    "drawn",
    "edition",
    "ends_first",
    "event_json",
    "evidence",
    "fit",
    "found_json",
    "found_text",
    "frame",
    "grounded",
    "groundedness",
    "hit_json",
    "inline",
    "labels",
    "messages",
    "models",
    "number",
    "ordering",
    "pack_full",
    "pack_llm",
    "printable",
    "quotes",
    "rank",
    "read_calibration",
    "settled",
    "signs_of",
    "span_json",
    "spans_at",
    "stands_alone",
    "template",
    "unlike",
    "verify",
    "widened",
    "written",
]
