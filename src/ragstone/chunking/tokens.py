"""Counting tokens: the estimate where there is no tokenizer, and a memory in front of one."""

from collections.abc import Iterator, Sequence

from ragstone.core.ports import Tokenizer
from ragstone.core.work_limit import check_work

# Texts in one call of the tokenizer: its encodings take some hundred bytes a token while a batch lives.
BATCH = 1 << 18
# Characters. Of 33 MB of documentation in several versions, 63 % of the characters are remembered, else 68 %.
SHORT = 50


class Characters:
    """The estimate of four characters a token, rounded up."""

    name = "characters/4"

    def count(self, texts: Sequence[str]) -> list[int]:
        """
        >>> Characters().count(["", "four", "fiver"])
        [0, 1, 2]
        """
        return [(len(text) + 3) // 4 for text in texts]


class CachingTokenizer:
    """A tokenizer that remembers its counts, since versions of a document share most of their text.

    It holds at most `most` characters of text: when the younger half is full, the older is dropped. Short texts are
    counted again: they would take more beside their characters than these.
    """

    def __init__(self, tokenizer: Tokenizer, *, most: int = 1 << 24) -> None:
        self._tokenizer = tokenizer
        self._half = most // 2
        self._size = 0
        self._young: dict[str, int] = {}
        self._old: dict[str, int] = {}

    @property
    def name(self) -> str:
        return self._tokenizer.name

    def count(self, texts: Sequence[str]) -> list[int]:
        """The counts of the texts; each distinct new text is counted once."""
        young, old = self._young, self._old
        known = {text: young[text] if text in young else old[text] for text in texts if text in young or text in old}
        unknown = [text for text in dict.fromkeys(texts) if text not in known]
        for batch in batch_texts(unknown):
            check_work()
            known.update(zip(batch, self._tokenizer.count(batch), strict=True))
        for text in unknown:
            self._cache_count(text, known[text])
        return [known[text] for text in texts]

    def _cache_count(self, text: str, count: int) -> None:
        if not SHORT <= len(text) <= self._half:
            return
        if self._size + len(text) > self._half:
            self._young, self._old, self._size = {}, self._young, 0
        self._young[text] = count
        self._size += len(text)


def batch_texts(texts: Sequence[str], *, characters: int = BATCH) -> Iterator[list[str]]:
    """The texts in order, in lists of at most `characters` characters or one text."""
    batch: list[str] = []
    size = 0
    for text in texts:
        if batch and size + len(text) > characters:
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    if batch:
        yield batch


PROBES = (("a b c d e f", tuple("abcdef")), ("one, two.\n\n- three", ("one, two.", "- three")))


def is_additive(tokenizer: Tokenizer) -> bool:
    """Whether counts of parts add up across white space, as WordPiece's do; the estimate's do not.

    >>> is_additive(Characters())
    False
    """
    return all(tokenizer.count([whole])[0] == sum(tokenizer.count(parts)) for whole, parts in PROBES)
