"""Questions that may be no more than a topic, and the passages that are headed by it."""

import re
from collections.abc import Sequence
from functools import lru_cache

from ragstone.core.analyzer import extract_terms
from ragstone.core.document_names import list_name_words
from ragstone.core.headings import name_heading, normalize_heading
from ragstone.core.types import Chunk, Document

LONGEST = 200  # characters of a question that may be no more than a topic
MOST = 8  # terms of a topic: longer questions are seldom a heading
# "Sick leave policy", "An overview of sick leave": words that name no topic.
GENERAL = frozenset(
    extract_terms("the a an of on for and our policy policies rule rules guideline guidelines overview introduction")
)
# How far a passage is about its title, about the heading right above it, and about that of its section further up.
TITLED, LED, CONTINUED = 1.0, 0.9, 0.5
HEADING_LINE = re.compile(r"^#{1,6}[ \t]+(\S.*)$", re.MULTILINE)
FENCED = re.compile(r"^(```|~~~).*?(?:^\1|\Z)", re.MULTILINE | re.DOTALL)  # a comment in code is no heading
PLACE = r"[^?!.,;]{1,60}?"  # the documents that are asked: "the handbook"
ASKS = (
    r"(?:please )?(?:(?:can|could) you )?(?:tell (?:me|us) (?:more |something |everything )?about|explain|describe"
    rf"|summari[sz]e|what (?:does|do) {PLACE} (?:say|state|tell (?:me|us)) (?:about|on)"
    rf"|what is (?:said|written) (?:in {PLACE} )?(?:about|on)"
    r"|what (?:should|must|do|can) (?:i|we|you) (?:need to )?know about"
    r"|what(?:'s| is| are) (?:the|our|your) (?:rules?|polic(?:y|ies)|guidelines?|procedures?) (?:on|for|about)"
    r") (?:the )?",
    r"(?:bitte )?(?:erzähle?n?(?: sie)? (?:mir|uns) (?:etwas |mehr )?(?:über|von)|erkläre?n?(?: sie)?(?: mir)?"
    rf"|beschreibe?|was (?:steht|sagt|sagen) (?:{PLACE} )?(?:über|zu[mr]?)) (?:de[nmr] |die |das )?",
    r"(?:parlez?[- ](?:moi|nous) (?:de (?:la |l')?|d'|des |du )|(?:expliquez?(?:[- ]moi)?|décri(?:s|vez)) "
    rf"|que (?:dit|disent|prévoit|prévoient) {PLACE} (?:sur|au sujet de|à propos de) )(?:l[ea]s? |l')?",
    r"(?:háblame (?:de|sobre)|cuéntame (?:algo )?(?:de|sobre)|explícame|explica|describe"
    rf"|qué (?:dice|dicen) {PLACE} (?:sobre|acerca de)) (?:el |l[ao]s? )?",
    r"(?:parlami d(?:i |el |ell[ao] |ell'|ei |egli |elle )|(?:spiega(?:mi)?|descrivi) "
    rf"|(?:che )?cosa (?:dice|dicono) {PLACE} (?:su |sul |sull[ao] |sull'|sui |sugli |sulle ))(?:il |l[aoe] |l')?",
    rf"(?:fala-me (?:de|d[oa]s?|sobre)|explique|descreva|o que diz(?:em)? {PLACE} sobre) (?:[oa]s? )?",
    rf"(?:vertel (?:me |mij |ons )?(?:iets |meer )?over|beschrijf|wat (?:staat er|zegt|zeggen) (?:{PLACE} )?over) "
    r"(?:de |het )?",
)
ASKED = re.compile(rf"[\W_]*(?:{'|'.join(ASKS)})(?P<topic>\S[^\n]*?)[\s?!.]*+", re.IGNORECASE)
SIGNS = "\"'“”‘’«»`*_ "  # around a topic


def find_topic(question: str) -> str | None:
    """The topic of a question that asks for all that is said about it; None where a question asks for more.

    >>> find_topic("What does the handbook say about parental leave?"), find_topic("Tell me about refunds.")
    ('parental leave', 'refunds')
    >>> find_topic("Was steht im Vertrag zur Kündigung?"), find_topic("Que dit le guide sur les congés ?")
    ('Kündigung', 'congés')
    """
    said = " ".join(question.replace("’", "'").split()) if len(question) <= LONGEST else ""
    match = ASKED.fullmatch(said)
    return match["topic"].strip(SIGNS) or None if match else None


def may_be_heading(question: str) -> bool:
    """Whether a question, or its topic, is short enough for a heading.

    >>> may_be_heading("Parental leave?"), may_be_heading("word " * 80)
    (True, False)
    """
    return len(question) <= LONGEST and len(_list_terms(find_topic(question) or question)) <= MOST


def is_headed(heading: str, topic: str) -> bool:
    """Whether a heading names the topic, in any order of its words.

    >>> is_headed("## 3.1 Leave of parents", "parents' leave"), is_headed("## Leave", "parental leave")
    (True, False)
    """
    terms = _list_terms(topic)
    return bool(terms) and _list_terms(name_heading(heading)) == terms


def rate_heading(chunk: Chunk, question: str) -> float:
    """How far a passage is headed by the question or its topic: 1 where the title of its document is that, less below
    such a heading, half further down in that section, else 0."""
    topic = find_topic(question) or question
    own = chunk.heading_path[-1] if chunk.heading_path else ""
    if not chunk.ordinal and is_headed(chunk.document.title or "", topic):
        return TITLED
    begins = normalize_heading(own) == normalize_heading(chunk.text.partition("\n")[0])
    leads = [*HEADING_LINE.findall(FENCED.sub("", chunk.text)), *([own] if begins else [])]
    if any(is_headed(heading, topic) for heading in leads):
        return LED
    return CONTINUED if is_headed(own, topic) else 0.0


def list_elsewhere(chunks: Sequence[Chunk], question: str) -> set[str]:
    """The ids of the passages that are headed by the topic of a question in other documents than it names, as "the
    handbook", where one of those has such a passage too."""
    topic = find_topic(question)
    asked = frozenset(extract_terms(question)) - frozenset(extract_terms(topic)) if topic else frozenset()
    headed = [chunk for chunk in chunks if rate_heading(chunk, question)] if asked else []
    named = [chunk for chunk in headed if asked & _list_name_terms(chunk.document)]
    return {chunk.id for chunk in headed} - {chunk.id for chunk in named} if named else set()


def _list_name_terms(document: Document) -> frozenset[str]:
    words = list_name_words(document.path, document.title, document.meta)
    return frozenset(extract_terms(" ".join((document.title or "", *words))))


@lru_cache(4096)
def _list_terms(text: str) -> frozenset[str]:
    """The terms of a heading or a topic, without those that say only that it is one, unless it has no others."""
    terms = frozenset(extract_terms(text))
    return terms - GENERAL or terms
