"""Sentences of an answer that rest on nothing but passages that try to give orders to a model."""

from collections.abc import Sequence

from ragstone.core.types import Chunk, Citation, Note, Sentence


def note_flagged_sentences(
    sentences: Sequence[Sentence], citations: Sequence[Citation], chunks: Sequence[Chunk]
) -> tuple[Note, ...]:
    """A note `flagged` that names the citations of such sentences, where there are any; `chunks` are what the answer
    was made of. That the words stand there is true all the same, so that no verdict changes."""
    found = {one.n: flags for one in citations if (flags := _citation_flags(one, chunks))}
    alone = [one.citations for one in sentences if one.citations and found.keys() >= set(one.citations)]
    numbers = sorted({n for cited in alone for n in cited})
    if not numbers:
        return ()
    named = ", ".join(f"[{n}]" for n in numbers)
    stands = "stands in a passage that carries" if len(numbers) == 1 else "stand in passages that carry"
    what = ", ".join(sorted({flag for n in numbers for flag in found[n]}))
    return (Note("flagged", f"{named} {stands} instructions to a model ({what}): look there before you rely on it"),)


def _citation_flags(citation: Citation, chunks: Sequence[Chunk]) -> set[str]:
    """The flags of the chunks that a citation quotes from."""
    return {flag for chunk in chunks if _is_quoted_from(citation, chunk) for flag in chunk.flags}


def _is_quoted_from(citation: Citation, chunk: Chunk) -> bool:
    return chunk.document.id == citation.document.id and any(
        one.char_start < other.char_end and other.char_start < one.char_end
        for one in citation.spans
        for other in chunk.spans
    )
