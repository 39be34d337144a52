"""The tokenizer of BERT's uncased models: counts what a model reads, and gives its numbers."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ragstone.core.errors import Unavailable

FIRST, LAST = 101, 102  # [CLS] and [SEP]
REMEMBERED = 200_000  # words, some 20 MB; 36 MB of Markdown documentation hold 97,500 short ones
LONGEST = 40  # characters of a word worth remembering
# Python splits at these, the tokenizer drops them and so joins what they part.
JOINING = re.compile(r"[\x0b\x0c\x1c-\x1f\x85]")


class WordPiece:
    """Loads the shipped vocabulary at first use; any thread may call it. `[SEP]` in a text is just text."""

    name = "wordpiece-bert-uncased"

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded: Any = None  # a Tokenizer: its package takes 40 ms, which who embeds nothing should not pay
        self._counts = _WordCounts(self)

    def __reduce__(self) -> tuple[type[WordPiece], tuple[()]]:
        return type(self), ()  # on another machine it loads the vocabulary itself

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, special ones left out.

        Words between blanks are independent, so each is tokenised once and cached: 36 MB of Markdown take 3.4 s,
        tokenising every text takes 14.
        """
        counted = self._counts.__getitem__
        return [sum(map(counted, JOINING.sub("", text).split())) for text in texts]

    def ids(self, text: str, *, limit: int) -> list[int]:
        """The first `limit` tokens between [CLS] and [SEP]."""
        return [FIRST, *self.cut(text)[:limit], LAST]

    def cut(self, text: str) -> list[int]:
        """All tokens of a text as numbers, special ones left out."""
        tokens = (self._loaded or self.load()).encode(_replace_surrogates(text), add_special_tokens=False)
        numbers: list[int] = tokens.ids
        return numbers

    def find(self, word: str) -> int | None:
        """The number of a word in lower case that is one token, a common word of English; the more frequent, the less.
        None where it is not."""
        number: int | None = (self._loaded or self.load()).token_to_id(word)
        return number

    def place(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """All tokens of a text as numbers, and which of its characters each stands for."""
        tokens = (self._loaded or self.load()).encode(_replace_surrogates(text), add_special_tokens=False)
        return tokens.ids, tokens.offsets

    def load(self) -> Any:
        """Read the vocabulary now. Raises `Unavailable` when the package or the file is missing."""
        with self._lock:
            if self._loaded is None:
                self._loaded = _load_tokenizer()
            return self._loaded


class _WordCounts(dict[str, int]):
    """Tokens of words that were seen; forgets all when it is full, which no result depends on."""

    def __init__(self, cutter: WordPiece) -> None:
        super().__init__()
        self._cutter = cutter

    def __missing__(self, word: str) -> int:
        count = len(self._cutter.cut(word))
        if len(word) <= LONGEST:
            if len(self) >= REMEMBERED:
                self.clear()
            self[word] = count
        return count


def _load_tokenizer() -> Any:
    try:
        from tokenizers import Tokenizer

        text = Path(__file__).with_name("tokenizer.json").read_text("utf-8")
    except ImportError as error:
        raise Unavailable("the package tokenizers is missing: pip install tokenizers") from error
    except OSError as error:
        raise Unavailable(
            f"the tokenizer's file is missing ({error}): pip install --force-reinstall ragstone"
        ) from error
    tokenizer = Tokenizer.from_str(text)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tokenizer.encode_special_tokens = True
    return tokenizer


def _replace_surrogates(text: str) -> str:
    """Half a surrogate pair cannot be written as UTF-8, and the tokenizer takes nothing else."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
