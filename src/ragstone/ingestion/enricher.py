"""The request for a summary and questions of a chunk, and the reading of the answer."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from ragstone.core.chunk_enrichment import ENRICHED, QUESTIONS, SUMMARY
from ragstone.core.ports import Completion, Message, Prompt
from ragstone.core.prompt_parts import fill_fields, split_parts
from ragstone.core.types import Document
from ragstone.guard import spotlighting

EDITION = 1  # of the prompt: another one asks for everything anew where a run refreshes
LACKING = " (incomplete)"
KEYS = {"summary": SUMMARY, "questions": QUESTIONS}  # the key of each kind in the metadata
LONGEST_SUMMARY, LONGEST_QUESTION, MOST_QUESTIONS = 600, 300, 5
MAX_TOKENS = 600


@dataclass(frozen=True, slots=True)
class Enricher:
    """The language model, the texts that it writes for each chunk (`kinds`: summary, questions), and whether keyword
    search reads them."""

    model: Completion
    kinds: tuple[str, ...]
    searched: bool = False

    @property
    def recipe(self) -> str:
        """The name of model, kinds, use and prompt."""
        words = "+words" if self.searched else ""
        return f"{self.model.vendor}/{self.model.model}:{'+'.join(self.kinds)}{words}:{EDITION}"


def lacks_enrichment(document: Document, recipe: str | None, *, refresh: bool) -> bool:
    """Whether a document was stored without the texts that an enricher of this recipe writes; None wants none."""
    marked = document.meta.get(ENRICHED)
    return recipe is not None and (not marked or str(marked).endswith(LACKING) or (refresh and marked != recipe))


@cache
def _read_prompt() -> Mapping[str, str]:
    return split_parts(files(__package__).joinpath("prompts", "enrich.txt").read_text("utf-8"))


def build_enrichment_prompt(text: str, kinds: tuple[str, ...]) -> Prompt:
    """The request for these texts about a passage, which stands between marks."""
    parts, mark = _read_prompt(), spotlighting.make_mark([text])
    fields = {"shape": "{" + ", ".join(parts[kind] for kind in kinds) + "}", "mark": mark, "text": text}
    turns = (
        Message("system", fill_fields(parts["system"], fields)),
        Message("user", fill_fields(parts["user"], fields)),
    )
    shapes = {"summary": {"type": "string"}, "questions": {"type": "array", "items": {"type": "string"}}}
    schema = {
        "type": "object",
        "properties": {kind: shapes[kind] for kind in kinds},
        "required": list(kinds),
        "additionalProperties": False,
    }
    return Prompt(turns, max_tokens=MAX_TOKENS, schema=schema, mark=mark)


def read_enrichment(text: str, kinds: tuple[str, ...]) -> dict[str, Any]:
    """The texts of an answer, by the keys of a chunk's metadata; raises `ValueError` for anything else.

    >>> read_enrichment('{"summary": "Kept  15 days."}', ("summary",))
    {'summary': 'Kept 15 days.'}
    """
    try:
        value, _ = json.JSONDecoder().raw_decode(text[text.index("{") :])
        made: dict[str, Any] = {}
        if "summary" in kinds:
            made[KEYS["summary"]] = _clean(value["summary"], LONGEST_SUMMARY)
        if "questions" in kinds:
            asked = [_clean(one, LONGEST_QUESTION) for one in value["questions"]]
            made[KEYS["questions"]] = list(dict.fromkeys(asked))[:MOST_QUESTIONS]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"the model wrote no {' and '.join(kinds)} as JSON") from error
    if not all(made.values()):
        raise ValueError(f"the model left {' or '.join(kinds)} empty")
    return made


def _clean(text: str, longest: int) -> str:
    """One line, cut at a word."""
    flat = " ".join(text.split())
    return flat if len(flat) <= longest else flat[:longest].rpartition(" ")[0]
