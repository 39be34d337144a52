"""An answer as text with a list of its sources, and where its markers stand, for clients that know no citations."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ragstone.answering.plain_text import format_place
from ragstone.answering.verification.citations import chunk_marker, number_marker
from ragstone.core.answers import Answer, Citation
from ragstone.core.types import Json
from ragstone.guard import mask_secrets

EXCERPT = 240  # characters of a passage below a refusal


@dataclass(frozen=True, slots=True)
class Mention:
    """A marker in a text: its characters from `start` to `end`, and the citation that it names."""

    start: int
    end: int
    citation: Citation


def list_sources(answer: Answer) -> str:
    """The lines below an answer: a place for each citation, or the closest passages of a refusal; "" for none."""
    if answer.abstained:
        lines = [
            f"- {format_place(hit.chunk.document, hit.chunk.spans)}: "
            f"{_shorten(mask_secrets(hit.chunk.text, hit.chunk.spans, hit.chunk.secrets))}"
            for hit in answer.closest
        ]
        return mask_secrets("\n\nClosest passages:\n" + "\n".join(lines)) if lines else ""
    marks = [mark if (mark := chunk_marker(one)) in answer.text else number_marker(one) for one in answer.citations]
    pairs = zip(marks, answer.citations, strict=True)
    lines = [f"{mark} {format_place(one.document, one.spans)}" for mark, one in pairs]
    return mask_secrets("\n\nSources:\n" + "\n".join(lines)) if lines else ""


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= EXCERPT else f"{line[:EXCERPT]}…"


def find_mentions(text: str, answer: Answer) -> Iterator[Mention]:
    """The markers in a text, in order: `[1]`, or `[chunk:ID]`."""
    known = {mark(one): one for mark in (number_marker, chunk_marker) for one in answer.citations}
    for found in re.finditer(r"\[[^\[\]\n]{1,200}\]", text):
        if citation := known.get(found[0]):
            yield Mention(found.start(), found.end(), citation)


def annotate(text: str, answer: Answer, *, base_url: str) -> list[Json]:
    """The citations of a chat completion: the address of each passage, and where its marker stands."""
    return [
        {
            "type": "url_citation",
            "url_citation": {
                "start_index": one.start,
                "end_index": one.end,
                "title": mask_secrets(one.citation.document.title or one.citation.document.path),
                "url": locate_citation(one.citation, base_url=base_url),
            },
        }
        for one in find_mentions(text, answer)
    ]


def locate_citation(citation: Citation, *, base_url: str) -> str:
    """The address of a web page, else of the passage on this server."""
    path = citation.document.path
    return path if path.startswith(("http://", "https://")) else f"{base_url}v1/chunks/{citation.chunk}"


def count_usage(answer: Answer) -> tuple[int, int]:
    """The tokens that a language model read and wrote; 0 where none was asked."""
    return answer.usage.get("prompt_tokens", 0), answer.usage.get("completion_tokens", 0)
