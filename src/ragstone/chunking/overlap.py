"""The end of one piece that the next one repeats."""

from ragstone.chunking.split import DENSEST, TokenCounter
from ragstone.core.sentences import split_sentences
from ragstone.core.types import Span

# Looked at from the end; more would make a hostile text of tiny sentences slow.
SENTENCES = 32


def find_sentence_tail(record: str, span: Span, tokens: int, count: TokenCounter) -> int:
    """Where the last whole sentences of a span begin that have `tokens` tokens at most; its end if none has."""
    low = max(span.char_start, span.char_end - DENSEST * tokens)
    starts = [low + start for start, _ in split_sentences(record[low : span.char_end])]
    whole = starts if low == span.char_start else starts[1:]
    near = whole[-SENTENCES:]
    counts = count([record[start : span.char_end] for start in near])
    return min((start for start, n in zip(near, counts, strict=True) if n <= tokens), default=span.char_end)


def find_word_tail(record: str, start: int, end: int, length: int) -> int:
    """Where the last `length` characters of [start, end) begin, from after their first space; `end` without one."""
    low = max(start, end - length)
    if low == start:
        return start
    space = next((i for i in range(low, end) if record[i].isspace()), end)
    while space < end and record[space].isspace():
        space += 1
    return space
