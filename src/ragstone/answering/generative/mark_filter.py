"""The prompt's mark taken out of a model's text while it streams: a small model copies it from the passages."""

import re

LONGEST = 13  # characters of a mark with its brackets and the end of its line
FEWEST = 4  # digits of a mark that was cut short, behind its brackets


class MarkFilter:
    """Takes a text piece by piece. `mark` are the digits that stand around the passages, `<<mark` and `mark>>`."""

    def __init__(self, mark: str) -> None:
        short = "|".join(re.escape(mark[:size]) for size in range(len(mark) - 1, FEWEST - 1, -1))
        self._copied = re.compile(rf"(?:<<)?{re.escape(mark)}(?:>>)?\n?|<<(?:{short})" if mark else r"(?!)")
        self._forms = tuple(f"{a}{mark}{b}\n" for a in ("<<", "") for b in (">>", "")) if mark else ()
        self._held = ""

    def feed(self, piece: str) -> str:
        """The text to pass on; what may still become a mark is held back."""
        text = self._held + piece
        near = max(0, len(text) - LONGEST)
        keep = next((size for size in range(near, len(text)) if self._may_begin(text[size:])), len(text))
        self._held = text[keep:]
        return self._copied.sub("", text[:keep])

    def end(self) -> str:
        """The text held back so far."""
        text, self._held = self._held, ""
        return self._copied.sub("", text)

    def _may_begin(self, rest: str) -> bool:
        return any(form.startswith(rest) for form in self._forms)
