"""How many tokens a text is to a language model: by its own tokenizer from a file, else by an estimate."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from math import ceil
from pathlib import Path
from typing import Any

from ragstone.core.errors import ConfigError
from ragstone.providers.minilm.wordpiece import WordPiece

FILE = "tokenizer.json"
# What the count of BERT's vocabulary is multiplied by. Contexts of English documentation are .84 to 1.01 of that count
# to GPT-4o, Llama 3.1, Gemma 3 and Qwen 3, single passages up to 1.2 (benchmarks/answers/estimate.py).
MARGIN = 1.1
# A longer word, or a line of a script without blanks, is one unknown token to BERT, but for ideographs, which it parts.
LONGEST_WORD = 100  # characters of a word
UNKNOWN = re.compile(rf"[^\s\u3400-\u9fff\uf900-\ufaff]{{{LONGEST_WORD + 1},}}")
DENSEST = 2  # bytes of such a word for each token
TURN_TOKENS = 8  # tokens that mark a turn of the conversation, in the templates of models


class EstimatingTokenizer:
    """Counts where a model's own tokenizer is not at hand: on the safe side for English, and for most others."""

    name = "estimate"

    def __init__(self) -> None:
        self._words = WordPiece()

    def count(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each text, rather too many than too few."""
        known = self._words.count(texts)
        return [ceil(MARGIN * (count + _count_unknown_tokens(text))) for count, text in zip(known, texts, strict=True)]


class FileTokenizer:
    """A model's own tokenizer, as Hugging Face's library writes it: `tokenizer.json`, or the folder that holds it."""

    def __init__(self, path: str) -> None:
        """Nothing is read yet: see `load`."""
        self.name = path
        self._lock = threading.Lock()
        self._loaded: Any = None

    def count(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each text, special ones left out. Raises `ConfigError` for a file that is none."""
        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        return [len(one.ids) for one in self.load().encode_batch(clean, add_special_tokens=False)]

    def load(self) -> Any:
        """Read the file now, once."""
        from tokenizers import Tokenizer

        with self._lock:
            if self._loaded is None:
                path = Path(self.name).expanduser()
                try:
                    text = (path / FILE if path.is_dir() else path).read_text("utf-8")
                    self._loaded = Tokenizer.from_str(text)
                except Exception as error:  # the library's own errors are plain Exceptions
                    why = f"{error.strerror}" if isinstance(error, OSError) else f"it is not a {FILE} ({error})"
                    raise ConfigError(f"llm.tokenizer {self.name} cannot be read: {why}") from error
                self._loaded.no_padding()
                self._loaded.no_truncation()
            return self._loaded


def _count_unknown_tokens(text: str) -> int:
    """The tokens of what BERT does not look into."""
    long = [word for word in text.split() if len(word) > LONGEST_WORD]
    return sum(len(part.encode("utf-8", "replace")) // DENSEST for word in long for part in UNKNOWN.findall(word))
