"""From ranked hits to an answer that can be checked: budget, order, quotes, citations, abstention, formats."""

from ragstone.answering.abstention.abstain import (
    ABSTENTION,
    Decision,
    Policy,
    decide,
    edition,
    models,
    settled,
    signs_of,
)
from ragstone.answering.abstention.calibration import Calibration, calibration_text, check_model, read_calibration
from ragstone.answering.abstention.evidence import Evidence, evidence
from ragstone.answering.abstention.thresholds import by_thresholds
from ragstone.answering.extractive.question_analysis import Asked, asked
from ragstone.answering.extractive.selection import Choosing, Scored, choose, compared, quotes, rank
from ragstone.answering.formats import (
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
from ragstone.answering.generative.budget import Budget, fit
from ragstone.answering.generative.context import Shown, arranged
from ragstone.answering.generative.passage_order import ends_first
from ragstone.answering.generative.prompt import NAMES, Template, frame, labels, messages, template
from ragstone.answering.generative.transcript import Piece, Said, Transcript
from ragstone.answering.generative.verdicts import Checked, Checker, Support
from ragstone.answering.verification.citations import (
    Quote,
    by_chunk,
    cited,
    documents,
    groundedness,
    number,
    stands_alone,
    verify,
    written,
)
from ragstone.answering.verification.injection_notes import ordering
from ragstone.answering.verification.page_boxes import drawn
from ragstone.answering.verification.spans import spans_at
from ragstone.answering.verification.support import Finding, Grounds, grounded
from ragstone.answering.windows import around, widened
from ragstone.retrieval.question_identity import unlike

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
