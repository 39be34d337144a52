"""A sentence of a model beside what it cites: supported there, elsewhere in what the model was shown, or nowhere."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragstone.answer.cite import verify
from ragstone.answer.context import Shown
from ragstone.answer.transcript import Said
from ragstone.types import Chunk, Span, Verdict


@dataclass(frozen=True, slots=True)
class Support:
    """What stands behind a sentence: the passage, by its place in the context, its chunk, and where in the record."""

    passage: int
    chunk: Chunk
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Checked:
    """A sentence with its verdict; `passages` are what it cites, mended where the support stands elsewhere. One that
    `claims` nothing ("Here is what the documents say:") needs no support."""

    text: str
    passages: tuple[int, ...]
    status: Verdict
    claims: bool
    supports: tuple[Support, ...] = ()

    @property
    def stands(self) -> bool:
        """Whether it may be shown where only what is supported is shown."""
        return not self.claims or self.status != "unverified"


def checked(said: Said, shown: Sequence[Shown], records: Mapping[str, str]) -> Checked:
    """The verdict on a sentence."""
    for place in [*said.passages, *(n for n in range(len(shown)) if n not in said.passages)]:
        for chunk in shown[place].chunks:
            status, spans = verify(said.text, chunk.spans, records.get(chunk.document.id, ""))
            if status != "unverified":
                moved: Verdict = "verified" if place in said.passages else "repaired"
                return Checked(said.text, (place,), moved, True, (Support(place, chunk, spans),))
    return Checked(said.text, said.passages, "unverified", True)
